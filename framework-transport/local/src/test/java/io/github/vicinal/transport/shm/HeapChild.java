package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathServer;

/**
 * A client or a server with a small heap that has large calls or replies on many threads,
 * in a JVM of its own.
 */
public final class HeapChild implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private HeapChild(Process process) {
		this.process = process;
		this.output = process.inputReader(StandardCharsets.UTF_8);
	}

	/**
	 * Starts a child.
	 * @param heap the largest heap, as in {@code -Xmx}
	 * @param arguments those of {@link #main}
	 */
	static HeapChild start(String heap, Object... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap,
						"-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						HeapChild.class.getName()));
		Arrays.stream(arguments).map(Object::toString).forEach(command::add);
		return new HeapChild(new ProcessBuilder(command).redirectErrorStream(true).start());
	}

	/** Returns what a client said until its end. */
	static List<String> run(String heap, Object... arguments) throws Exception {
		try (HeapChild child = start(heap, arguments)) {
			return child.output.lines().toList();
		}
	}

	/** Returns the next line. */
	String line() throws IOException {
		return this.output.readLine();
	}

	/** Asks a server for its heap in use, and returns the answer. */
	List<String> end() throws IOException {
		this.process.getOutputStream().close();
		return this.output.lines().toList();
	}

	@Override
	public void close() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	/**
	 * Calls at the same time on all threads, twice, or serves until standard input ends;
	 * then says what is left in use of the heap.
	 * @param args client or server, the kind of path, the directory, the server's
	 * instance id, how large requests and replies are, how many threads a client has
	 */
	public static void main(String[] args) throws Exception {
		String kind = args[1];
		Rendezvous rendezvous = Rendezvous.open(args[2]);
		PeerIdentity server = new PeerIdentity(args[3], rendezvous.hostId());
		int requestBytes = Integer.parseInt(args[4]);
		int replyBytes = Integer.parseInt(args[5]);
		if (args[0].equals("client")) {
			call(kind, rendezvous, server, new byte[requestBytes], replyBytes, Integer.parseInt(args[6]));
		}
		else {
			serve(kind, rendezvous, server, requestBytes, new byte[replyBytes]);
		}
		System.exit(0);
	}

	private static void call(String kind, Rendezvous rendezvous, PeerIdentity server, byte[] request, int replyBytes,
			int threads) throws Exception {
		Contract contract = Contracts.of(EchoContract.class);
		PathProvider provider = IdleChild.provider(IdleChild.Kind.valueOf(kind.toUpperCase(Locale.ROOT)), rendezvous);
		PathProvider.Attempt attempt = provider.connect(contract,
				new PeerAnnouncement(server, Set.of(kind), contract.hash(), ""));
		CallPath path = ((PathProvider.Connected) attempt).path();
		CyclicBarrier together = new CyclicBarrier(threads + 1);
		List<CompletableFuture<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			callers.add(Async.call(() -> {
				for (int j = 0; j < 2; j++) {
					together.await();
					Reply reply = call(path, Contracts.call(contract, "bytes", (Object) request));
					if (((byte[]) ((Reply.Value) reply).body()).length != replyBytes) {
						throw new IllegalStateException("another reply");
					}
				}
				together.await();
				together.await();
				return true;
			}));
		}
		for (int i = 0; i < 3; i++) {
			awaitAll(together, callers);
		}
		String used = used(request.length);
		awaitAll(together, callers);
		for (CompletableFuture<Boolean> caller : callers) {
			caller.get(60, TimeUnit.SECONDS);
		}
		System.out.println(used);
	}

	/**
	 * On a busy machine a call may wait for shared memory for too long, and would go
	 * another way, which there is not here.
	 */
	private static Reply call(CallPath path, CallFrame frame) throws PathException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
		while (true) {
			try {
				return path.call(frame);
			}
			catch (PathException ex) {
				boolean waits = ex.reason() == PathException.Reason.EXHAUSTED && !ex.maybeExecuted();
				if (!waits || System.nanoTime() - deadline > 0) {
					throw ex;
				}
			}
		}
	}

	/** A wait for callers reports the failure of one of them. */
	private static void awaitAll(CyclicBarrier together, List<CompletableFuture<Boolean>> callers) throws Exception {
		try {
			together.await(60, TimeUnit.SECONDS);
		}
		catch (TimeoutException | BrokenBarrierException ex) {
			for (CompletableFuture<Boolean> caller : callers) {
				if (caller.isCompletedExceptionally()) {
					caller.get();
				}
			}
			Thread.getAllStackTraces().forEach((thread, stack) -> {
				System.out.println(thread + " " + thread.getState());
				Arrays.stream(stack).forEach((frame) -> System.out.println("\tat " + frame));
			});
			throw ex;
		}
	}

	private static void serve(String kind, Rendezvous rendezvous, PeerIdentity identity, int requestBytes, byte[] reply)
			throws Exception {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(Contracts.of(EchoContract.class), (frame) -> {
			if (((byte[]) frame.arguments()[0]).length != requestBytes) {
				throw new IllegalStateException("another request");
			}
			return Contracts.value(reply);
		}));
		try (PathServer server = kind.equals("uds")
				? new UdsPathServer(identity, rendezvous, services, UdsOptions.defaults())
				: new ShmPathServer(identity, rendezvous, services, ShmOptions.defaults())) {
			server.start();
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts.
			}
			System.out.println(used(reply.length));
		}
	}

	/** Garbage that is collected does not count; a test's time-out ends this. */
	private static String used(int ownBytes) {
		Runtime runtime = Runtime.getRuntime();
		long used;
		do {
			System.gc();
			used = runtime.totalMemory() - runtime.freeMemory();
		}
		while (used > (40L << 20) + ownBytes);
		return "ok, " + (used >> 20) + " MiB are in use";
	}

}
