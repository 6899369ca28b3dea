package io.github.vicinal.benchmarks.topic;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.ProcessCpu;
import io.github.vicinal.benchmarks.Report;
import org.jspecify.annotations.Nullable;

/** Topics over shared memory against brokers, Aeron's IPC and Chronicle Queue. */
public final class TopicMeasurement implements Measurement {

	private static final String VICINAL = "vicinal";

	private static final String DURABLE = "vicinal, durable";

	private static final String CHRONICLE = "chronicle";

	private static final String AERON = "aeron";

	private static final String KAFKA = "kafka";

	private static final String PAHO = "mosquitto, paho";

	private static final String HIVEMQ = "mosquitto, hivemq";

	private static final String RABBITMQ = "rabbitmq, paho";

	private static final List<String> SYSTEMS = List.of(VICINAL, DURABLE, AERON, CHRONICLE, KAFKA, PAHO, HIVEMQ,
			RABBITMQ);

	private static final int SMALL = 16;

	private static final int LARGE = 100_000;

	private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** Numbers of messages of the runs that are shown one by one. */
	private static final List<Integer> SERIES = List.of(10_000, 100_000, 1_000_000);

	/** Maximum bytes of such a run. */
	private static final long MAX_SERIES_BYTES = 2_000_000_000L;

	/** Time without a message after which a subscriber counts as complete. */
	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

	private static final int MAX_WARM_UPS = 8;

	/** Relative difference of the last two rounds up to which they count as steady. */
	private static final double STEADY = 0.15;

	@Override
	public String name() {
		return "topics";
	}

	@Override
	public String description() {
		return "messages of 16 B and 100 KB to 1 and 4 subscribers, against Mosquitto (two clients), RabbitMQ (MQTT), Kafka, Aeron IPC and Chronicle Queue";
	}

	private record Key(String system, int size, int subscribers) {
	}

	private record Round(double perSecond, double cpuMicros, long lost, long faults) {
	}

	private record Pace(double p50Micros, double p99Micros, double cpuMicros, long lost) {
	}

	private record Figures(Round burst, Map<Integer, Round> series, Pace paced, boolean steady) {

		/**
		 * Returns messages a second of a run of some messages, empty if there was none.
		 */
		Object perSecond(int messages) {
			Round round = this.series.get(messages);
			return (round != null) ? round.perSecond() : "";
		}

		/** Returns the same for a chart, NaN if there was none. */
		double series(int messages) {
			Round round = this.series.get(messages);
			return (round != null) ? round.perSecond() : Double.NaN;
		}

		long lost() {
			return this.burst.lost() + this.paced.lost() + this.series.values().stream().mapToLong(Round::lost).sum();
		}

		long faults() {
			return this.burst.faults() + this.series.values().stream().mapToLong(Round::faults).sum();
		}

	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path packages = Files.createTempDirectory("vicinal-bench");
		try {
			return run(settings, Mosquitto.find(packages),
					chosen(settings, RABBITMQ) ? rabbitMq(settings, packages.resolve("rabbitmq")) : null);
		}
		finally {
			delete(packages);
		}
	}

	/** One opponent more; nothing fails without it. */
	private static @Nullable RabbitMq rabbitMq(Settings settings, Path directory) throws InterruptedException {
		try {
			return RabbitMq.fetch(directory);
		}
		catch (IOException ex) {
			settings.say("Not measured: RabbitMQ, whose Debian packages could not be fetched: %s", ex);
			return null;
		}
	}

	private static Report run(Settings settings, Mosquitto mosquitto, @Nullable RabbitMq rabbitMq) throws Exception {
		Map<Key, Figures> figures = new LinkedHashMap<>();
		int left = 0;
		for (int size : new int[] { SMALL, LARGE }) {
			for (int subscribers : new int[] { 1, 4 }) {
				for (String system : SYSTEMS) {
					if (!chosen(settings, system) || (system.equals(RABBITMQ) && rabbitMq == null)) {
						continue;
					}
					Key key = new Key(system, size, subscribers);
					settings.say("%s, %d bytes, %d subscribers ...", system, size, subscribers);
					Figures measured = measured(settings, key, mosquitto, rabbitMq);
					if (measured != null) {
						figures.put(key, measured);
						settings.say("  %,.0f messages/s, CPU %.3f us each; paced p50 %.1f us",
								measured.burst().perSecond(), measured.burst().cpuMicros(),
								measured.paced().p50Micros());
					}
					else {
						left++;
					}
				}
			}
		}
		String directory = settings.options().get("figures");
		if (directory != null) {
			draw(Files.createDirectories(Path.of(directory)), figures);
		}
		Report report = report(figures, left == 0
				&& SYSTEMS.stream().allMatch((system) -> system.equals(RABBITMQ) || chosen(settings, system)));
		if (left > 0) {
			report.bar("systems that could not be measured", left, 0);
		}
		return report;
	}

	/**
	 * Measures a system, a second time if it fails: a port that was free may be taken
	 * when a broker listens. What was measured before is not lost by one that fails
	 * twice.
	 */
	private static @Nullable Figures measured(Settings settings, Key key, Mosquitto mosquitto,
			@Nullable RabbitMq rabbitMq) throws Exception {
		try {
			return measure(settings, key, mosquitto, rabbitMq);
		}
		catch (IOException ex) {
			settings.say("  failed: %s; once more ...", String.valueOf(ex.getMessage()));
		}
		try {
			return measure(settings, key, mosquitto, rabbitMq);
		}
		catch (IOException ex) {
			settings.say("Not measured: %s, %d bytes, %d subscribers: %s", key.system(), key.size(), key.subscribers(),
					ex);
			return null;
		}
	}

	/** Returns whether a system is to be measured: all, or those that an option names. */
	private static boolean chosen(Settings settings, String system) {
		String subjects = settings.options().get("subjects");
		return subjects == null || List.of(subjects.split(",")).contains(system.replace(", ", "-"));
	}

	/** Figures 4 and 5 of the paper; its figure 6 needs a second host. */
	private static void draw(Path directory, Map<Key, Figures> figures) throws IOException {
		for (int size : new int[] { SMALL, LARGE }) {
			List<ColumnChart.Group> throughput = new ArrayList<>();
			List<ColumnChart.Group> latency = new ArrayList<>();
			figures.forEach((key, figure) -> {
				if (key.size() == size && key.subscribers() == 1) {
					throughput.add(new ColumnChart.Group(key.system(),
							SERIES.stream().map((messages) -> figure.series(messages)).toList()));
					latency.add(new ColumnChart.Group(key.system(),
							List.of(figure.paced().p50Micros(), figure.paced().p99Micros())));
				}
			});
			String words = (size == SMALL) ? "16 bytes" : "100 KB";
			String drawn = ColumnChart.draw("Messages of %s to one subscriber on the same host".formatted(words),
					List.of(new ColumnChart.Panel("Throughput, messages/s",
							SERIES.stream().map("%,d messages"::formatted).toList(), throughput),
							new ColumnChart.Panel("One-way latency at 1 message/ms, us",
									List.of("median", "99th percentile"), latency)));
			Files.writeString(directory.resolve((size == SMALL) ? "figure-4.svg" : "figure-5.svg"), drawn);
		}
	}

	private static Figures measure(Settings settings, Key key, Mosquitto mosquitto, @Nullable RabbitMq rabbitMq)
			throws Exception {
		Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bench");
		int port = freePort();
		List<TopicProcess> subscribers = new ArrayList<>();
		Process broker = null;
		TopicProcess driver = null;
		TopicSystem.Place place = new TopicSystem.Place(directory, port);
		try {
			if (key.system().startsWith("mosquitto")) {
				broker = broker(mosquitto, directory, port);
			}
			if (key.system().equals(RABBITMQ) && rabbitMq != null) {
				broker = listening(rabbitMq.start(directory, port, new int[] { freePort(), freePort(), freePort() }),
						port);
			}
			if (key.system().equals(AERON) || key.system().equals(KAFKA)) {
				driver = TopicProcess.start(TopicProcess.DRIVE, key.system(), place);
			}
			for (int i = 0; i < key.subscribers(); i++) {
				subscribers.add(TopicProcess.start(TopicProcess.SUBSCRIBE, key.system(), place));
			}
			try (TopicProcess publisher = TopicProcess.start(TopicProcess.PUBLISH, key.system(), place)) {
				publisher.ask("await;" + key.subscribers());
				long between = (broker != null) ? working(broker, rabbitMq) : (driver != null) ? driver.pid() : 0;
				return measure(settings, key, new Processes(publisher, subscribers, between));
			}
		}
		finally {
			subscribers.forEach(TopicProcess::close);
			if (driver != null) {
				driver.close();
			}
			if (broker != null) {
				broker.destroy();
				broker.onExit().join();
			}
			if (rabbitMq != null) {
				rabbitMq.end();
			}
			delete(directory);
		}
	}

	private static Process broker(Mosquitto mosquitto, Path directory, int port)
			throws IOException, InterruptedException {
		Path configuration = directory.resolve("mosquitto.conf");
		Files.writeString(configuration, """
				listener %d 127.0.0.1
				allow_anonymous true
				persistence false
				max_queued_messages 0
				""".formatted(port));
		return listening(mosquitto.start(configuration), port);
	}

	private static long working(Process broker, @Nullable RabbitMq rabbitMq) {
		return (rabbitMq != null) ? rabbitMq.worker().map(ProcessHandle::pid).orElse(broker.pid()) : broker.pid();
	}

	private static Process listening(Process started, int port) throws IOException, InterruptedException {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
		while (System.nanoTime() - end < 0) {
			try (var socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
				return started;
			}
			catch (IOException ex) {
				Thread.sleep(20);
			}
		}
		started.destroy();
		throw new IOException("The broker did not listen on port " + port);
	}

	private static Figures measure(Settings settings, Key key, Processes processes) throws Exception {
		int count = (key.size() == SMALL) ? 10_000 : 500;
		int most = (key.size() == SMALL) ? 1_000_000 : 20_000;
		double before = 0;
		boolean steady = false;
		for (int i = 0; i < MAX_WARM_UPS && !steady; i++) {
			Round round = processes.burst(count, key.size());
			steady = i > 1 && Math.abs(round.perSecond() - before) <= STEADY * before;
			before = round.perSecond();
			count = (int) Math.max(count, Math.min(most, round.perSecond()));
		}
		List<Round> rounds = new ArrayList<>();
		for (int i = 0; i < (settings.quick() ? 3 : 5); i++) {
			rounds.add(processes.burst(count, key.size()));
		}
		rounds.sort(Comparator.comparingDouble(Round::perSecond));
		Round median = rounds.get(rounds.size() / 2);
		Round burst = new Round(median.perSecond(), median.cpuMicros(), rounds.stream().mapToLong(Round::lost).sum(),
				rounds.stream().mapToLong(Round::faults).sum());
		Map<Integer, Round> series = new LinkedHashMap<>();
		for (int messages : SERIES) {
			boolean few = messages == SERIES.get(0) || !settings.quick();
			if (few && (long) messages * key.size() <= MAX_SERIES_BYTES) {
				series.put(messages, processes.burst(messages, key.size()));
			}
		}
		processes.paced(1_000, key.size());
		List<Pace> paces = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			paces.add(processes.paced(settings.quick() ? 1_000 : 4_000, key.size()));
		}
		paces.sort(Comparator.comparingDouble(Pace::p50Micros));
		return new Figures(burst, series, paces.get(1), steady);
	}

	/**
	 * The processes of one system.
	 *
	 * @param between the broker or driver, 0 if there is none
	 */
	private record Processes(TopicProcess publisher, List<TopicProcess> subscribers, long between) {

		private double cpuMicros() {
			return this.publisher.cpuMicros() + this.subscribers.stream().mapToDouble(TopicProcess::cpuMicros).sum()
					+ ((this.between != 0) ? ProcessCpu.micros(this.between) : 0);
		}

		Round burst(int count, int size) throws Exception {
			double cpu = cpuMicros();
			List<long[]> states = publish(count, size, 0);
			long start = states.get(0)[0];
			long end = start;
			long lost = 0;
			long faults = 0;
			for (long[] state : states.subList(1, states.size())) {
				end = Math.max(end, state[2]);
				lost += count - state[0];
				faults += state[1];
			}
			double got = count - (double) lost / this.subscribers.size();
			return new Round(got * 1e9 / Math.max(1, end - start), (cpuMicros() - cpu) / count, lost, faults);
		}

		Pace paced(int count, int size) throws Exception {
			double cpu = cpuMicros();
			List<long[]> states = publish(count, size, PACE_NANOS);
			double p50 = 0;
			double p99 = 0;
			long lost = 0;
			for (long[] state : states.subList(1, states.size())) {
				p50 = Math.max(p50, state[3] / 1e3);
				p99 = Math.max(p99, state[4] / 1e3);
				lost += count - state[0];
			}
			return new Pace(p50, p99, (cpuMicros() - cpu) / count, lost);
		}

		/** Returns when it began, then the state of each subscriber at the end. */
		private List<long[]> publish(int count, int size, long intervalNanos) throws Exception {
			for (TopicProcess subscriber : this.subscribers) {
				subscriber.ask("reset");
			}
			List<long[]> states = new ArrayList<>();
			states.add(new long[] {
					Long.parseLong(this.publisher.ask("publish;%d;%d;%d".formatted(count, size, intervalNanos))) });
			for (TopicProcess subscriber : this.subscribers) {
				states.add(awaitAll(subscriber, count));
			}
			return states;
		}

		private static long[] awaitAll(TopicProcess subscriber, int count) throws Exception {
			long seen = -1;
			long since = System.nanoTime();
			while (true) {
				String[] words = subscriber.ask("state").split(";");
				long[] state = new long[words.length];
				for (int i = 0; i < words.length; i++) {
					state[i] = Long.parseLong(words[i]);
				}
				if (state[0] != seen) {
					seen = state[0];
					since = System.nanoTime();
				}
				if (state[0] >= count || System.nanoTime() - since > SILENCE_NANOS) {
					return state;
				}
				Thread.sleep(5);
			}
		}

	}

	private static Report report(Map<Key, Figures> figures, boolean all) {
		Report report = new Report("system", "bytes", "subscribers", "messages/s", "of 10^4", "of 10^5", "of 10^6",
				"CPU us/message", "paced p50 us", "paced p99 us", "paced CPU us/message", "lost",
				"out of order or damaged", "steady")
			.chart("CPU time of all processes per message, in us", "CPU us/message", "system", "bytes", "subscribers");
		figures.forEach((key, figure) -> report.row(key.system(), key.size(), key.subscribers(),
				figure.burst().perSecond(), figure.perSecond(SERIES.get(0)), figure.perSecond(SERIES.get(1)),
				figure.perSecond(SERIES.get(2)), figure.burst().cpuMicros(), figure.paced().p50Micros(),
				figure.paced().p99Micros(), figure.paced().cpuMicros(), figure.lost(), figure.faults(),
				figure.steady() ? "yes" : "NO"));
		if (all) {
			bars(report, figures, 1);
			bars(report, figures, 4);
		}
		return report;
	}

	private static void bars(Report report, Map<Key, Figures> figures, int subscribers) {
		Figures own = get(figures, VICINAL, SMALL, subscribers);
		Figures aeron = get(figures, AERON, SMALL, subscribers);
		Figures paho = get(figures, PAHO, SMALL, subscribers);
		Figures hivemq = get(figures, HIVEMQ, SMALL, subscribers);
		Figures large = get(figures, VICINAL, LARGE, subscribers);
		String suffix = (subscribers == 1) ? "" : ", %d subscribers".formatted(subscribers);
		double best = Math.max(paho.burst().perSecond(), hivemq.burst().perSecond());
		report.bar("16 B: Mosquitto with Paho / topics, messages/s" + suffix,
				paho.burst().perSecond() / own.burst().perSecond(), 1 / 20.0);
		report.bar("16 B: Mosquitto with the best client / topics, messages/s" + suffix, best / own.burst().perSecond(),
				1 / 10.0);
		report.bar("16 B: Aeron / topics, messages/s" + suffix, aeron.burst().perSecond() / own.burst().perSecond(), 2);
		report.bar("16 B: topics / Mosquitto with Paho, paced p50" + suffix,
				own.paced().p50Micros() / paho.paced().p50Micros(), 1 / 8.0);
		report.bar("16 B: topics / Mosquitto with Paho, CPU per message" + suffix,
				own.burst().cpuMicros() / paho.burst().cpuMicros(), 1 / 50.0);
		report.bar("100 KB: 1 GB/s / topics" + suffix, 1e9 / (large.burst().perSecond() * LARGE), 1);
		report.bar("100 KB: topics, paced p50 us" + suffix, large.paced().p50Micros(), 50);
		Figures durable = get(figures, DURABLE, SMALL, subscribers);
		Figures chronicle = get(figures, CHRONICLE, SMALL, subscribers);
		report.bar("16 B: durable topics / Chronicle that polls, paced p50" + suffix,
				durable.paced().p50Micros() / chronicle.paced().p50Micros(), 1 / 10.0);
		report.bar("16 B: Chronicle that polls / durable topics, messages/s" + suffix,
				chronicle.burst().perSecond() / durable.burst().perSecond(), 1 / 0.8);
		report.bar("durable topics: messages lost, out of order or damaged" + suffix, durable.lost() + durable.faults(),
				0);
		report.bar("topics: messages lost, out of order or damaged" + suffix,
				own.lost() + own.faults() + large.lost() + large.faults(), 0);
	}

	private static Figures get(Map<Key, Figures> figures, String system, int size, int subscribers) {
		Figures found = figures.get(new Key(system, size, subscribers));
		if (found == null) {
			throw new IllegalStateException("%s was not measured".formatted(system));
		}
		return found;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

}
