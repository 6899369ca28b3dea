package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.github.vicinal.transport.testing.Contracts;
import tools.jackson.databind.json.JsonMapper;

/**
 * Program of the life-cycle tests in namespaces of their own. Prints what it saw; the
 * last line is {@code ok} if that was right.
 */
public final class NamespaceChild {

	private static final ShmOptions OPTIONS = ShmOptions.builder().acquireTimeout(Duration.ofMillis(100)).build();

	private static final int MIB = 1 << 20;

	private NamespaceChild() {
	}

	/**
	 * Runs one scenario.
	 * @param args its name, the rendezvous directory, the server's instance id
	 */
	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[1]);
		switch (args[0]) {
			case "full" -> full(directory);
			case "topics" -> topics(directory);
			case "small" -> small(directory);
			case "respawn" -> respawn(directory);
			case "large" -> large(directory, args[2]);
			case "serve" -> serve(directory, args[2]);
			case "call" -> call(directory, args[2]);
			default -> throw new IllegalArgumentException(args[0]);
		}
		System.out.println("ok");
		System.exit(0);
	}

	/** Answers with the first bytes, so that only requests need memory. */
	private static LaneServer.Handler shortAnswers() {
		return (lane, batch) -> lane.respond(lane.request(), Math.min(8, lane.length()));
	}

	private static String exchange(RawLanes.Client client, int bytes) {
		byte[] request = Contracts.pattern(bytes, bytes);
		try {
			ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
			try {
				lane.exchange(request, bytes, ClientLane.NO_DEADLINE);
				check(Arrays.equals(Arrays.copyOf(request, lane.responseLength()),
						Arrays.copyOf(lane.response(), lane.responseLength())), "another answer");
				return "answered";
			}
			finally {
				client.lanes().release(lane);
			}
		}
		catch (PathException ex) {
			check(ex.reason() == Reason.EXHAUSTED && !ex.maybeExecuted(), "failed otherwise: " + ex);
			return "exhausted";
		}
	}

	private static void check(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalStateException(otherwise);
		}
	}

	/** A file system of 2 MiB is filled by somebody else while calls are made. */
	private static void full(Path directory) throws Exception {
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer server = RawLanes.serve(directory, identity, OPTIONS, true, shortAnswers());
				RawLanes.Client client = RawLanes.connect(directory, identity.instanceId(), OPTIONS, true)) {
			check(exchange(client, 1000).equals("answered"), "a small call was refused");
			check(exchange(client, 3 * MIB).equals("exhausted"), "more than the file system holds");
			Path filler = directory.resolve("filler");
			fill(filler);
			check(Files.getFileStore(directory).getUsableSpace() == 0, "the file system is not full");
			check(exchange(client, 1000).equals("answered"), "a small call failed in a full file system");
			check(exchange(client, 300_000).equals("exhausted"), "there was no memory for this");
			try (RawLanes.Client another = RawLanes.connect(directory, identity.instanceId(), OPTIONS, true)) {
				throw new IllegalStateException("connected in a full file system: " + another);
			}
			catch (IOException ex) {
				System.out.println("refused: " + ex.getMessage());
				check(String.valueOf(ex.getMessage()).contains("KiB left"), "not the reason");
			}
			Files.delete(filler);
			check(exchange(client, 300_000).equals("answered"), "there is memory again");
			RawLanes.connect(directory, identity.instanceId(), OPTIONS, true).close();
		}
	}

	/** A file system of 3 MiB is filled by somebody else while topics are used. */
	private static void topics(Path directory) throws Exception {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		TopicSettings<byte[]> jobs = TopicSettings.of("jobs", TopicModel.STREAM, byte[].class).withCapacity(64 << 10);
		AtomicInteger handled = new AtomicInteger();
		try (ShmTopics topics = new ShmTopics(PeerIdentity.create(rendezvous.hostId()), "test", rendezvous,
				JsonMapper.builder().build())) {
			Topic<byte[]> topic = topics.topic(jobs);
			topic.publish(new byte[16]);
			Topic<byte[]> large = topics.topic(TopicSettings.of("large", TopicModel.STREAM, byte[].class));
			refused(large);
			Path filler = directory.resolve("filler");
			fill(filler);
			topic.publish(new byte[16]);
			refused(topics.topic(TopicSettings.of("other", TopicModel.STREAM, byte[].class).withCapacity(64 << 10)));
			Subscription subscription = topics.subscribe(jobs, SubscriberSettings.of("worker"),
					(message) -> handled.incrementAndGet());
			await(() -> subscription.report()
				.publishers()
				.values()
				.stream()
				.anyMatch((state) -> state.startsWith("refused: ") && state.contains("KiB left")));
			Files.delete(filler);
			await(() -> handled.get() == 2);
		}
	}

	private static void refused(Topic<byte[]> topic) {
		try {
			topic.publish(new byte[16]);
		}
		catch (TopicException ex) {
			System.out.println("refused: " + ex.getMessage());
			check(String.valueOf(ex.getMessage()).contains("KiB left"), "not the reason");
			return;
		}
		throw new IllegalStateException("published without room");
	}

	private static void await(BooleanSupplier condition) {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		while (!condition.getAsBoolean()) {
			check(System.nanoTime() - end < 0, "it did not come about");
			Thread.onSpinWait();
		}
	}

	private static void fill(Path file) throws IOException {
		byte[] page = new byte[4096];
		try (OutputStream out = Files.newOutputStream(file)) {
			while (true) {
				out.write(page);
			}
		}
		catch (IOException ex) {
			System.out.println("filled up: " + ex.getMessage());
		}
	}

	/** Several clients want far more than the 64 MiB that there are. */
	private static void small(Path directory) throws Exception {
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		ExecutorService threads = Executors.newCachedThreadPool();
		List<RawLanes.Client> clients = new ArrayList<>();
		try (ShmPathServer server = RawLanes.serve(directory, identity, OPTIONS, true, shortAnswers())) {
			AtomicInteger exhausted = new AtomicInteger();
			List<Callable<Object>> callers = new ArrayList<>();
			long begin = System.nanoTime();
			// A busy machine needs longer to run out of memory.
			BooleanSupplier goesOn = () -> {
				long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
				return seconds < 2 || (exhausted.get() == 0 && seconds < 60);
			};
			for (int i = 0; i < 4; i++) {
				RawLanes.Client client = RawLanes.connect(directory, identity.instanceId(), OPTIONS, true);
				clients.add(client);
				for (int j = 0; j < 4; j++) {
					Random random = new Random(i * 4L + j);
					callers.add(Executors.callable(() -> callLarge(client, random, goesOn, exhausted)));
				}
			}
			for (Future<Object> caller : threads.invokeAll(callers)) {
				caller.get();
			}
			long usable = Files.getFileStore(directory).getUsableSpace();
			System.out.printf("exhausted %d times, %d KiB are left%n", exhausted.get(), usable >> 10);
			check(exhausted.get() > 0, "the memory was never exhausted");
			check(usable >= 3L * MIB, "less than the reserve is left");
			for (RawLanes.Client client : clients) {
				check(exchange(client, 1000).equals("answered"), "a small call was refused");
			}
		}
		finally {
			clients.forEach(RawLanes.Client::close);
			threads.shutdown();
		}
	}

	/** Counts how often there was no memory. */
	private static void callLarge(RawLanes.Client client, Random random, BooleanSupplier goesOn,
			AtomicInteger exhausted) {
		while (goesOn.getAsBoolean()) {
			if (exchange(client, 1 + random.nextInt(random.nextBoolean() ? 9 * MIB : 3000)).equals("exhausted")) {
				exhausted.incrementAndGet();
			}
		}
	}

	/**
	 * Clients come, need a fifth of the file system, and are killed. Nothing in this
	 * process makes garbage that would have their memory unmapped.
	 */
	private static void respawn(Path directory) throws Exception {
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer server = RawLanes.serve(directory, identity, OPTIONS, true, shortAnswers())) {
			for (int i = 0; i < 9; i++) {
				Process client = new ProcessBuilder(List.of(
						Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
						NamespaceChild.class.getName(), "large", directory.toString(), identity.instanceId()))
					.redirectError(ProcessBuilder.Redirect.INHERIT)
					.start();
				try (BufferedReader said = client.inputReader()) {
					check("answered".equals(said.readLine()), "client " + i + " found no memory");
				}
				finally {
					client.destroyForcibly().waitFor();
				}
			}
		}
	}

	/** Tries until there is memory, for some time; then waits to be killed. */
	private static void large(Path directory, String instanceId) throws Exception {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
		boolean answered = false;
		while (!answered && System.nanoTime() < end) {
			try (RawLanes.Client client = RawLanes.connect(directory, instanceId, OPTIONS, true)) {
				answered = exchange(client, 12 * MIB).equals("answered");
			}
			catch (IOException ex) {
				check(String.valueOf(ex.getMessage()).contains("KiB left"), "not the reason: " + ex);
			}
		}
		System.out.println(answered ? "answered" : "no memory");
		System.out.flush();
		System.in.read();
	}

	private static void serve(Path directory, String instanceId) throws IOException {
		about(directory);
		try (ShmPathServer server = RawLanes.serve(directory, new PeerIdentity(instanceId, PeerIdentity.NO_HOST),
				OPTIONS, true, RawLanes.echo())) {
			System.out.println("ready");
			while (System.in.read() >= 0) {
				// Only the end counts: the parent is gone.
			}
		}
	}

	private static void call(Path directory, String instanceId) throws Exception {
		about(directory);
		try (RawLanes.Client client = RawLanes.connect(directory, instanceId, OPTIONS, true)) {
			for (int i = 0; i < 1000; i++) {
				check(exchange(client, (i % 10 == 0) ? 100_000 : 1000).equals("answered"), "a call was refused");
			}
		}
	}

	private static void about(Path directory) {
		System.out.println("pid " + ProcessHandle.current().pid());
		System.out.println("host " + Rendezvous.open(directory.toString()).hostId());
	}

}
