package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.channel.PathProvider;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.peer.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;

/**
 * A client with a small heap that gets large replies on many threads, in a JVM of its
 * own.
 */
public final class HeapChild {

	private HeapChild() {
	}

	/** Returns what the child said. */
	static List<String> run(PathKind kind, String heap, Path directory, PeerIdentity server, int threads, int bytes)
			throws Exception {
		Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx" + heap, "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				HeapChild.class.getName(), kind.name(), directory.toString(), server.instanceId(),
				Integer.toString(threads), Integer.toString(bytes)))
			.redirectErrorStream(true)
			.start();
		try (BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
			return output.lines().toList();
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

	/**
	 * Calls at the same time on all threads, twice, and says what is left in use of the
	 * heap afterwards, while the threads are still there.
	 * @param args the kind of path, the directory, the server's instance id, how many
	 * threads, how large replies are
	 */
	public static void main(String[] args) throws Exception {
		PathKind kind = PathKind.valueOf(args[0]);
		Rendezvous rendezvous = Rendezvous.open(args[1]);
		Contract contract = Contracts.of(EchoContract.class);
		int count = Integer.parseInt(args[3]);
		int bytes = Integer.parseInt(args[4]);
		PathProvider provider = IdleChild.provider(IdleChild.Kind.valueOf(kind.name()), rendezvous);
		PathProvider.Attempt attempt = provider.connect(contract, new PeerAnnouncement(
				new PeerIdentity(args[2], rendezvous.hostId()), Set.of(kind), contract.hash(), ""));
		io.github.vicinal.channel.Path path = ((PathProvider.Connected) attempt).path();
		CyclicBarrier together = new CyclicBarrier(count + 1);
		List<CompletableFuture<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			callers.add(Async.call(() -> {
				for (int j = 0; j < 2; j++) {
					together.await();
					Reply reply = path.call(Contracts.call(contract, "bytes", (Object) new byte[] { 1 }));
					if (((byte[]) ((Reply.Value) reply).body()).length != bytes) {
						throw new IllegalStateException("another reply");
					}
				}
				together.await();
				together.await();
				return true;
			}));
		}
		for (int i = 0; i < 3; i++) {
			together.await(60, TimeUnit.SECONDS);
		}
		Runtime runtime = Runtime.getRuntime();
		long used;
		do {
			System.gc();
			used = runtime.totalMemory() - runtime.freeMemory();
		}
		while (used > 40L << 20);
		together.await();
		for (CompletableFuture<Boolean> caller : callers) {
			caller.get(60, TimeUnit.SECONDS);
		}
		System.out.println("ok, " + (used >> 20) + " MiB are in use");
		System.exit(0);
	}

}
