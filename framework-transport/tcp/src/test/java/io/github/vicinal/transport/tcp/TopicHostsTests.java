package io.github.vicinal.transport.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** Topics between processes of two hosts whose wire is cut, and which are killed. */
@Tag("deep")
@Timeout(600)
class TopicHostsTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final int BATCH = 2000;

	private static final int PORT = 7400;

	/** Distance between the first numbers of two publishers. */
	private static final long APART = 1_000_000_000L;

	@TempDir
	private Path keys;

	private final List<Path> directories = new ArrayList<>();

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	private TwoHosts hosts;

	@BeforeEach
	void makeHosts() throws Exception {
		assumeThat(TwoHosts.missing()).isEmpty();
		this.hosts = TwoHosts.create();
		this.closeables.push(this.hosts);
		Certificates certificates = new Certificates(this.keys).authority("ca")
			.signed("first", "ca", "-ext", "san=ip:" + TwoHosts.FIRST)
			.signed("second", "ca", "-ext", "san=ip:" + TwoHosts.SECOND);
		certificates.write("trust.p12", certificates.trust("ca"));
		for (String host : List.of("first", "second")) {
			certificates.write(host + ".p12", certificates.keys(host));
			this.directories.add(Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test"));
		}
	}

	@AfterEach
	void close() throws Exception {
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
		for (Path directory : this.directories) {
			try (var files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.delete(file);
				}
			}
		}
	}

	private Host publisher(String model) throws Exception {
		return publisher(model, PORT, 1);
	}

	private Host publisher(String model, int port, long first) throws Exception {
		return new Host(1, model, port, first, List.of());
	}

	private Host subscriber(String model, int... ports) throws Exception {
		List<String> addresses = IntStream.of((ports.length > 0) ? ports : new int[] { PORT })
			.mapToObj((port) -> TwoHosts.FIRST + ":" + port)
			.toList();
		return new Host(2, model, 0, 1, addresses);
	}

	@Test
	void aWireThatIsCutForAMomentLosesNothingAndRepeatsNothing() throws Exception {
		Host publisher = publisher("PUB_SUB");
		Host one = subscriber("PUB_SUB");
		Host two = subscriber("PUB_SUB");
		publisher.awaitSubscribers(1);
		one.awaitAttached();
		two.awaitAttached();
		long last = publisher.publish(BATCH);
		this.hosts.cut();
		last = publisher.publish(BATCH);
		// The other side has noticed by then, and five seconds have not passed.
		one.awaitState("gone");
		this.hosts.mend();
		last = publisher.publish(BATCH);
		for (Host host : List.of(one, two)) {
			host.awaitLast(last);
			host.assertAllOnceInOrder(last);
		}
	}

	@Test
	void aReceivingProcessThatIsKilledIsReplacedWithoutLossOrRepetition() throws Exception {
		Host publisher = publisher("PUB_SUB");
		Host one = subscriber("PUB_SUB");
		one.awaitState("copied by this process");
		Host two = subscriber("PUB_SUB");
		Host three = subscriber("PUB_SUB");
		two.awaitAttached();
		three.awaitAttached();
		long last = publisher.publish(BATCH);
		one.kill();
		for (int i = 0; i < 20; i++) {
			last = publisher.publish(100);
		}
		for (Host host : List.of(two, three)) {
			host.awaitLast(last);
			host.assertAllOnceInOrder(last);
		}
	}

	@Test
	void sentMessagesArriveThoughThePublisherIsKilledAndAnotherOneIsFound() throws Exception {
		Host publisher = publisher("PUB_SUB");
		Host subscriber = subscriber("PUB_SUB");
		publisher.awaitSubscribers(1);
		subscriber.awaitAttached();
		long last = publisher.publish(BATCH);
		subscriber.awaitLast(last);
		publisher.kill();
		subscriber.assertAllOnceInOrder(last);
		subscriber.forget();
		Host next = publisher("PUB_SUB");
		next.awaitSubscribers(1);
		last = next.publish(BATCH);
		subscriber.awaitLast(last);
		subscriber.assertAllOnceInOrder(last);
	}

	@Test
	void noMessageOfAStreamIsLostWithASubscriberThatIsKilled() throws Exception {
		Host publisher = publisher("STREAM");
		Host one = subscriber("STREAM");
		Host two = subscriber("STREAM");
		publisher.awaitSubscribers(2);
		long last = 0;
		for (int i = 0; i < 10; i++) {
			last = publisher.publish(500);
			if (i == 4) {
				one.kill();
			}
		}
		long count = last;
		await().atMost(PATIENCE).untilAsserted(() -> {
			Set<Long> all = new TreeSet<>(one.numbers());
			all.addAll(two.numbers());
			assertThat(all).hasSize((int) count);
		});
		assertThat(two.numbers()).doesNotHaveDuplicates();
		Set<Long> twice = new TreeSet<>(one.numbers());
		twice.retainAll(two.numbers());
		assertThat(two.redelivered()).as("messages that both got are marked").containsAll(twice);
	}

	@Test
	void noMessageOfAStreamIsLostWhenTheLinkIsCutUnderTraffic() throws Exception {
		Host publisher = publisher("STREAM");
		Host one = subscriber("STREAM");
		Host two = subscriber("STREAM");
		publisher.awaitSubscribers(2);
		publisher.ask("run");
		for (int i = 0; i < 3; i++) {
			awaitMore(one, two);
			this.hosts.cut();
			// The publisher has noticed, and nobody has what was on its way.
			publisher.awaitSubscribers(0);
			this.hosts.mend();
			publisher.awaitSubscribers(2);
		}
		awaitMore(one, two);
		long last = publisher.stop();
		awaitAll(List.of(one, two), Map.of(1L, last));
		assertTwiceOnlyIfMarked(List.of(one, two));
		await().atMost(PATIENCE).until(() -> publisher.ask("0").split(" ")[1].equals("0"));
	}

	@Test
	void noMessageOfAStreamIsLostWithSubscribersThatAreKilledUnderTraffic() throws Exception {
		Host publisher = publisher("STREAM");
		List<Host> all = new ArrayList<>(List.of(subscriber("STREAM"), subscriber("STREAM")));
		publisher.awaitSubscribers(2);
		publisher.ask("run");
		for (int i = 0; i < 4; i++) {
			awaitMore(all.get(i), all.get(i + 1));
			all.get(i).kill();
			all.add(subscriber("STREAM"));
			publisher.awaitSubscribers(2);
		}
		long last = publisher.stop();
		awaitAll(all, Map.of(1L, last));
		assertTwiceOnlyIfMarked(all);
	}

	/** Each process ends in order and is replaced, while the others go on. */
	@ParameterizedTest
	@ValueSource(strings = { "PUB_SUB", "STREAM" })
	void everyProcessIsReplacedUnderTraffic(String model) throws Exception {
		Map<Long, Long> published = new TreeMap<>();
		Host[] publishers = { publisher(model, PORT, 1), publisher(model, PORT + 1, 1 + APART) };
		List<Host> all = new ArrayList<>();
		List<Host> running = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			running.add(subscriber(model, PORT, PORT + 1));
		}
		all.addAll(running);
		for (Host each : running) {
			each.awaitAttached(2);
		}
		for (Host each : publishers) {
			each.ask("run");
		}
		for (int i = 0; i < 3; i++) {
			running.remove(0).end();
			Host next = subscriber(model, PORT, PORT + 1);
			running.add(next);
			all.add(next);
			next.awaitAttached(2);
			awaitMore(next);
		}
		for (int i = 0; i < 2; i++) {
			published.put(1 + i * APART, publishers[i].stop());
			publishers[i].end();
			long first = 1 + (i + 2) * APART;
			publishers[i] = publisher(model, PORT + i, first);
			for (Host each : running) {
				each.awaitAttached(2);
			}
			publishers[i].ask("run");
			awaitMore(running.toArray(new Host[0]));
		}
		for (int i = 0; i < 2; i++) {
			published.put(1 + (i + 2) * APART, publishers[i].stop());
		}
		if (model.equals("STREAM")) {
			awaitAll(all, published);
			assertTwiceOnlyIfMarked(all);
			return;
		}
		awaitAll(all, published);
		for (Host each : running) {
			// Nobody is stuck.
			awaitAll(List.of(each), Map.of(published.get(1 + 2 * APART), published.get(1 + 2 * APART),
					published.get(1 + 3 * APART), published.get(1 + 3 * APART)));
		}
		for (Host each : all) {
			each.assertInOrderWithoutGaps();
		}
	}

	/** Waits until each of some subscribers has got more. */
	private static void awaitMore(Host... subscribers) {
		for (Host each : subscribers) {
			int before = each.numbers().size();
			await().atMost(PATIENCE).until(() -> each.numbers().size() > before + 100);
		}
	}

	/**
	 * Waits until subscribers together have all numbers, from first ones to last ones.
	 */
	private static void awaitAll(List<Host> subscribers, Map<Long, Long> ranges) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			Set<Long> missing = new TreeSet<>();
			ranges.forEach((first, last) -> LongStream.rangeClosed(first, last).forEach(missing::add));
			subscribers.forEach((each) -> missing.removeAll(Set.copyOf(each.numbers())));
			assertThat(missing).isEmpty();
		});
	}

	/** What came more than once was marked each time but one. */
	private static void assertTwiceOnlyIfMarked(List<Host> subscribers) {
		Map<Long, Integer> unmarked = new TreeMap<>();
		for (Host each : subscribers) {
			List<Long> marked = each.redelivered();
			Map<Long, Integer> times = new TreeMap<>();
			each.numbers().forEach((number) -> times.merge(number, 1, Integer::sum));
			marked.forEach((number) -> times.merge(number, -1, Integer::sum));
			times.forEach((number, count) -> unmarked.merge(number, count, Integer::sum));
		}
		assertThat(unmarked.values()).allMatch((count) -> count <= 1);
	}

	/** A process on one of the hosts. */
	private final class Host {

		private final Process process;

		private final PrintStream input;

		private final List<String> said = Collections.synchronizedList(new ArrayList<>());

		private final List<String> answers = Collections.synchronizedList(new ArrayList<>());

		Host(int host, String model, int port, long first, List<String> publishers) throws IOException {
			String name = (host == 1) ? "first" : "second";
			List<String> command = new ArrayList<>(List.of(
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
					"-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
					TopicHostMain.class.getName(), TopicHostsTests.this.directories.get(host - 1).toString(),
					TopicHostsTests.this.keys.resolve(name + ".p12").toString(),
					TopicHostsTests.this.keys.resolve("trust.p12").toString(), model,
					(host == 1) ? TwoHosts.FIRST : TwoHosts.SECOND, String.valueOf(port), String.valueOf(first)));
			command.addAll(publishers);
			this.process = new ProcessBuilder(TopicHostsTests.this.hosts.on(host, command))
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			this.input = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.UTF_8);
			BufferedReader output = new BufferedReader(
					new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
			TopicHostsTests.this.closeables.push(this::kill);
			Thread reader = new Thread(() -> output.lines().forEach(this::heard), "output of " + name);
			reader.setDaemon(true);
			reader.start();
			await().atMost(PATIENCE).until(() -> this.answers.contains("ready"));
		}

		private void heard(String line) {
			(line.startsWith("+") || line.startsWith("-") ? this.said : this.answers).add(line);
		}

		private String ask(String line) {
			int before = this.answers.size();
			this.input.println(line);
			await().atMost(PATIENCE).until(() -> this.answers.size() > before);
			return this.answers.get(before);
		}

		/** Returns the number of the last message. */
		long publish(int count) {
			return Long.parseLong(ask(String.valueOf(count)).split(" ")[0]);
		}

		void awaitSubscribers(int count) {
			await().atMost(PATIENCE).until(() -> ask("0").endsWith(" " + count));
		}

		/** Waits until it is attached to publishers. */
		void awaitAttached(int publishers) {
			await().atMost(PATIENCE).until(() -> ask("state").split("attached", -1).length > publishers);
		}

		/** Ends continuous traffic, and returns the number of the last message. */
		long stop() {
			return Long.parseLong(ask("stop").split(" ")[0]);
		}

		/** Ends in order, and waits for what was said. */
		void end() throws Exception {
			this.input.close();
			await().atMost(PATIENCE).until(() -> this.answers.contains("closed"));
			this.process.waitFor(10, TimeUnit.SECONDS);
		}

		/** Each publisher's numbers follow each other, and none comes twice. */
		void assertInOrderWithoutGaps() {
			Map<Long, Long> lastOf = new TreeMap<>();
			for (long number : numbers()) {
				Long before = lastOf.put(number / APART, number);
				assertThat(before == null || number == before + 1).as("%d after %s", number, before).isTrue();
			}
		}

		void awaitAttached() {
			awaitState("attached");
		}

		void awaitState(String part) {
			await().atMost(PATIENCE).until(() -> ask("state").contains(part));
		}

		void awaitLast(long number) {
			await().atMost(PATIENCE).until(() -> !this.said.isEmpty() && last() >= number);
		}

		private long last() {
			synchronized (this.said) {
				return Math.abs(Long.parseLong(this.said.get(this.said.size() - 1)));
			}
		}

		void assertAllOnceInOrder(long last) {
			List<Long> numbers = numbers();
			assertThat(numbers).hasSize((int) last);
			for (int i = 0; i < last; i++) {
				assertThat(numbers.get(i)).isEqualTo(i + 1L);
			}
		}

		List<Long> numbers() {
			synchronized (this.said) {
				return this.said.stream().map((line) -> Math.abs(Long.parseLong(line))).toList();
			}
		}

		List<Long> redelivered() {
			synchronized (this.said) {
				return this.said.stream().map(Long::parseLong).filter((it) -> it < 0).map((it) -> -it).toList();
			}
		}

		void forget() {
			this.said.clear();
		}

		void kill() throws InterruptedException {
			this.process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
		}

	}

}
