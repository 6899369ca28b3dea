package io.github.vicinal.benchmarks.topic;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.benchmarks.ProcessCpu;
import org.HdrHistogram.Histogram;

/** One process of a measurement of topics, from both of its sides. */
public final class TopicProcess implements AutoCloseable {

	/** The first argument that makes a JVM this process. */
	public static final String COMMAND = "topic-process";

	static final String PUBLISH = "publish";

	static final String SUBSCRIBE = "subscribe";

	static final String DRIVE = "drive";

	/** Prefix of each answer; all other lines come from libraries. */
	private static final String MARK = "@ ";

	/** Number and time of a message. */
	private static final int HEAD_BYTES = 2 * Long.BYTES;

	private final Process process;

	private final BufferedReader output;

	private final PrintStream input;

	private TopicProcess(Process process) {
		this.process = process;
		this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
	}

	/** Starts a process in a role, which is ready when this returns. */
	static TopicProcess start(String role, String system, TopicSystem.Place place) throws IOException {
		List<String> options = new ArrayList<>(List.of("-Xmx1g", "--add-opens",
				"java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED",
				"--add-exports", "java.base/jdk.internal.ref=ALL-UNNAMED", "--add-opens",
				"java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.lang.reflect=ALL-UNNAMED",
				"--add-opens", "java.base/java.io=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED"));
		if (Runtime.version().feature() >= 22) {
			options.add("--enable-native-access=ALL-UNNAMED");
		}
		List<String> command = BenchJvm.command(options, COMMAND, role, system, place.directory().toString(),
				Integer.toString(place.port()));
		TopicProcess started = new TopicProcess(
				new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
		started.answer();
		return started;
	}

	long pid() {
		return this.process.pid();
	}

	double cpuMicros() {
		return ProcessCpu.micros(pid());
	}

	/** Sends a command and returns its answer. */
	String ask(String command) throws IOException {
		this.input.println(command);
		return answer();
	}

	private String answer() throws IOException {
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.startsWith(MARK)) {
				return line.substring(MARK.length());
			}
		}
		throw new IOException("A process of the measurement has ended");
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/**
	 * Runs until standard input ends.
	 * @param arguments the command, the role, the system, the directory, the port
	 * @throws Exception if it cannot do its part
	 */
	public static void main(String[] arguments) throws Exception {
		TopicSystem.Place place = new TopicSystem.Place(Path.of(arguments[3]), Integer.parseInt(arguments[4]));
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		switch (arguments[1]) {
			case DRIVE -> drive(TopicSystem.of(arguments[2]), place, input);
			case SUBSCRIBE -> subscribe(TopicSystem.of(arguments[2]), place, input);
			default -> publish(TopicSystem.of(arguments[2]), place, input);
		}
		System.exit(0);
	}

	private static void say(String text) {
		System.out.println(MARK + text);
		System.out.flush();
	}

	private static void drive(TopicSystem system, TopicSystem.Place place, BufferedReader input) throws Exception {
		try (AutoCloseable driver = system.driver(place)) {
			say("ready " + driver);
			while (input.readLine() != null) {
				say("driving");
			}
		}
	}

	private static void subscribe(TopicSystem system, TopicSystem.Place place, BufferedReader input) throws Exception {
		Received received = new Received();
		try (AutoCloseable subscription = system.subscribe(place, received::accept)) {
			say("ready " + subscription);
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				if (line.equals("reset")) {
					received.reset();
				}
				say(received.toString());
			}
		}
	}

	/** Messages that a subscriber has received since it was reset. */
	private static final class Received {

		private final Histogram latencies = new Histogram(3_600_000_000_000L, 3);

		private final CRC32 checksum = new CRC32();

		private long count;

		private long next = 1;

		private long faults;

		private long lastNanos;

		synchronized void accept(byte[] message) {
			ByteBuffer buffer = ByteBuffer.wrap(message);
			long number = buffer.getLong();
			this.lastNanos = System.nanoTime();
			this.latencies.recordValue(Math.max(0, this.lastNanos - buffer.getLong()));
			if (number != this.next || !intact(message)) {
				this.faults++;
			}
			this.next = number + 1;
			this.count++;
		}

		private boolean intact(byte[] message) {
			if (message.length == HEAD_BYTES) {
				return true;
			}
			this.checksum.reset();
			this.checksum.update(message, HEAD_BYTES + Long.BYTES, message.length - HEAD_BYTES - Long.BYTES);
			return this.checksum.getValue() == ByteBuffer.wrap(message).getLong(HEAD_BYTES);
		}

		synchronized void reset() {
			this.latencies.reset();
			this.count = 0;
			this.next = 1;
			this.faults = 0;
		}

		@Override
		public synchronized String toString() {
			return "%d;%d;%d;%d;%d".formatted(this.count, this.faults, this.lastNanos,
					this.latencies.getValueAtPercentile(50), this.latencies.getValueAtPercentile(99));
		}

	}

	private static void publish(TopicSystem system, TopicSystem.Place place, BufferedReader input) throws Exception {
		try (TopicSystem.Publisher publisher = system.publisher(place)) {
			say("ready");
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				String[] words = line.split(";");
				if (words[0].equals("await")) {
					publisher.awaitSubscribers(Integer.parseInt(words[1]));
					say("attached");
				}
				else {
					say(Long.toString(publish(publisher, Integer.parseInt(words[1]), Integer.parseInt(words[2]),
							Long.parseLong(words[3]))));
				}
			}
		}
	}

	/** Returns when the first message was published. */
	private static long publish(TopicSystem.Publisher publisher, int count, int size, long intervalNanos)
			throws Exception {
		byte[] body = new byte[size];
		for (int i = HEAD_BYTES; i < size; i++) {
			body[i] = (byte) (31 * i);
		}
		long checksum = 0;
		if (size > HEAD_BYTES) {
			CRC32 crc = new CRC32();
			crc.update(body, HEAD_BYTES + Long.BYTES, size - HEAD_BYTES - Long.BYTES);
			checksum = crc.getValue();
		}
		long start = System.nanoTime();
		for (int i = 1; i <= count; i++) {
			// Some clients keep the array until it is sent.
			byte[] message = body.clone();
			ByteBuffer buffer = ByteBuffer.wrap(message);
			long due = start + i * intervalNanos;
			while (intervalNanos > 0 && System.nanoTime() - due < 0) {
				LockSupport.parkNanos(due - System.nanoTime());
			}
			buffer.putLong(i).putLong(System.nanoTime());
			if (size > HEAD_BYTES) {
				buffer.putLong(checksum);
			}
			publisher.publish(message);
		}
		return start;
	}

}
