package io.github.vicinal.benchmarks.shm;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.SteadyState;
import io.github.vicinal.benchmarks.call.Echo;
import io.github.vicinal.benchmarks.call.EchoClient;
import io.github.vicinal.benchmarks.call.EchoProcess;
import org.jspecify.annotations.Nullable;

/** Shared memory against all other ways between two processes of one host. */
public final class ShmMeasurement implements Measurement {

	static final String TYPED_SHM = "typed: shm";

	static final String TYPED_UDS = "typed: uds";

	static final String TYPED_HTTP = "typed: RestClient HC5, JSON";

	/** One long text instead of a thousand lines. */
	static final String TYPED_SHM_TEXT = TYPED_SHM + ", a text";

	static final String TYPED_HTTP_TEXT = TYPED_HTTP + ", a text";

	static final int KIB = 1024;

	private static final Path MEMORY = Path.of("/dev/shm");

	private static final int PEERS = 100;

	/** Durations of the measurement. */
	private record Times(int repeats, int millis, int pacedMillis, int windowMillis, int idleMillis, int peersMillis) {

		static Times of(boolean quick) {
			return quick ? new Times(3, 100, 150, 200, 500, 1_000) : new Times(5, 250, 400, 400, 1_500, 3_000);
		}

		int of(Load load) {
			return load.paced() ? this.pacedMillis : this.millis;
		}

	}

	/**
	 * A transport under a load.
	 *
	 * @param transport its name
	 * @param load the load
	 */
	record Cell(String transport, Load load) {
	}

	/** Something that can be measured. */
	@FunctionalInterface
	private interface Subject {

		Result run(Load load, int millis) throws Exception;

	}

	@Override
	public String name() {
		return "shm";
	}

	@Override
	public String description() {
		return "bytes and typed calls between two JVMs through shared memory, against seven others and the kernel";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		if (!Files.isDirectory(MEMORY) || !Files.isWritable(MEMORY)) {
			throw new UsageException("This needs a writable %s".formatted(MEMORY));
		}
		Path directory = Files.createTempDirectory(MEMORY, "vicinal-bench-",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Path scratch = Files.createTempDirectory("vicinal-bench-");
		try {
			return run(settings, Times.of(settings.quick()), directory, scratch);
		}
		finally {
			delete(directory);
			delete(scratch);
		}
	}

	private static Report run(Settings settings, Times times, Path directory, Path scratch) throws Exception {
		Measured measured = new Measured();
		Floor floor = floor(settings, scratch);
		peers(settings, times, directory, measured);
		settings.say("Starting pairs of JVMs: one for what needs no flags, one each for Aeron and Chronicle ...");
		try (Pair plain = Pair.plain(directory, Transports.PLAIN);
				Pair aeron = Pair.polling(directory, Transports.AERON);
				Pair chronicle = Pair.polling(directory, Transports.CHRONICLE)) {
			Map<String, Pair> pairs = new LinkedHashMap<>();
			Transports.PLAIN.forEach((name) -> pairs.put(name, plain));
			pairs.put(Transports.AERON, aeron);
			pairs.put(Transports.CHRONICLE, chronicle);
			idle(settings, times, pairs, plain, measured);
			Map<String, Subject> raw = new LinkedHashMap<>();
			pairs.forEach((name, pair) -> raw.put(name, (load, millis) -> pair.run(name, load, millis)));
			for (Map.Entry<String, Subject> subject : raw.entrySet()) {
				warmUp(settings, subject, times, Load.closed(8, KIB), Load.closed(1, KIB));
			}
			List<Cell> cells = new ArrayList<>();
			for (Load load : rawLoads()) {
				raw.keySet()
					.stream()
					.filter((name) -> Transports.carries(name, load))
					.forEach((name) -> cells.add(new Cell(name, load)));
			}
			settings.say("Bytes: everything once, not counted ...");
			measure(cells, raw, times, new Measured());
			for (int repeat = 1; repeat <= times.repeats(); repeat++) {
				settings.say("Bytes: repeat %d of %d ...", repeat, times.repeats());
				measure(cells, raw, times, measured);
				floors(floor, times, measured);
				apart(settings, floor, plain, times, measured);
				measured.figure(Bars.COPY, plain.copy(KIB * KIB));
			}
			allocation(settings, times, plain, measured);
		}
		typed(settings, times, measured);
		return Bars.report(measured);
	}

	/** Runs each load until the CPU time per call is steady. */
	private static void warmUp(Settings settings, Map.Entry<String, Subject> subject, Times times, Load... loads)
			throws Exception {
		for (Load load : loads) {
			int windows = SteadyState.await(() -> subject.getValue().run(load, times.windowMillis()).cpuMicros());
			settings.say((windows < 0) ? "%s, %s of %s: NO steady state" : "%s, %s of %s: steady after %d windows",
					subject.getKey(), load.describe(), load.size(), windows);
		}
	}

	private static List<Load> rawLoads() {
		int processors = Runtime.getRuntime().availableProcessors();
		return List.of(Load.closed(1, KIB), Load.closed(8, KIB), Load.closed(32, KIB), Load.paced(KIB),
				Load.oversubscribed(processors, KIB), Load.closed(1, 16), Load.closed(8, 16), Load.closed(32, 16),
				Load.closed(1, 100 * KIB), Load.closed(8, 100 * KIB), Load.closed(32, 100 * KIB), Load.paced(100 * KIB),
				Load.closed(1, KIB * KIB), Load.closed(8, KIB * KIB), Load.closed(32, KIB * KIB));
	}

	private static List<Load> typedLoads() {
		return List.of(Load.closed(1, KIB), Load.closed(8, KIB), Load.closed(32, KIB), Load.paced(KIB),
				Load.closed(1, 100 * KIB), Load.closed(8, 100 * KIB));
	}

	private static void measure(List<Cell> cells, Map<String, Subject> subjects, Times times, Measured measured)
			throws Exception {
		for (Cell cell : cells) {
			Subject subject = subjects.get(cell.transport());
			if (subject != null) {
				measured.add(cell, subject.run(cell.load(), times.of(cell.load())));
			}
		}
	}

	private static @Nullable Floor floor(Settings settings, Path scratch) throws InterruptedException {
		try {
			return Floor.compile(scratch);
		}
		catch (IOException ex) {
			settings.say("THE FLOOR IS NOT MEASURED, its bar counts as not met: a C compiler 'cc' is needed: %s",
					String.valueOf(ex.getMessage()));
			return null;
		}
	}

	private static void floors(@Nullable Floor floor, Times times, Measured measured)
			throws IOException, InterruptedException {
		if (floor == null) {
			return;
		}
		measured.add(Bars.FUTEX_FLOOR, floor.run("futex", 0, times.millis()));
		measured.add(Bars.FIFO_FLOOR, floor.run("fifo", 0, times.millis()));
		measured.add(Bars.SOCKET_FLOOR, floor.run("uds", KIB, times.millis()));
	}

	/**
	 * A round trip of two that sleep takes several times as long if they are on different
	 * processors, which is up to the kernel: only bound to one each can they be compared.
	 */
	private static void apart(Settings settings, @Nullable Floor floor, Pair pair, Times times, Measured measured)
			throws IOException, InterruptedException {
		int last = Runtime.getRuntime().availableProcessors() - 1;
		if (floor == null || last == 0) {
			settings.say("WAKING BETWEEN PROCESSORS IS NOT MEASURED, its bar counts as not met: it takes two of them");
			return;
		}
		Load load = Load.closed(1, KIB);
		measured.add(Bars.FUTEX_APART, floor.runBound("futex", times.millis(), new int[] { 0, last }));
		measured.add(Bars.FIFO_APART, floor.runBound("fifo", times.millis(), new int[] { 0, last }));
		pair.bind("0", Integer.toString(last));
		measured.add(Bars.PARK_APART, pair.run(Transports.PARK, load, times.millis()));
		pair.bind("0-" + last, "0-" + last);
	}

	/** In a pair of their own, so that nothing else is connected. */
	private static void peers(Settings settings, Times times, Path directory, Measured measured) throws Exception {
		settings.say("Idle: %d connected peers ...", PEERS);
		try (Pair pair = Pair.plain(directory, List.of(Transports.LEARNED))) {
			for (int repeat = 0; repeat < times.repeats(); repeat++) {
				measured.figure(Bars.IDLE_JVMS, pair.idle(times.idleMillis(), times.idleMillis()));
			}
			pair.peers(PEERS);
			for (int repeat = 0; repeat < times.repeats(); repeat++) {
				measured.figure(Bars.IDLE_PEERS, pair.idle(times.idleMillis(), times.peersMillis()));
			}
		}
		finally {
			Files.deleteIfExists(directory.resolve(LanesTransport.INSTANCE_FILE));
		}
	}

	private static void idle(Settings settings, Times times, Map<String, Pair> pairs, Pair plain, Measured measured)
			throws Exception {
		for (int repeat = 1; repeat <= times.repeats(); repeat++) {
			settings.say("Idle: repeat %d of %d ...", repeat, times.repeats());
			measured.figure(Bars.idle("nothing, the same JVMs"),
					plain.idle(times.idleMillis() / 3, times.idleMillis()));
			for (Map.Entry<String, Pair> entry : pairs.entrySet()) {
				Pair pair = entry.getValue();
				pair.run(entry.getKey(), Load.closed(1, KIB), 50);
				measured.figure(Bars.idle(entry.getKey()), pair.idle(times.idleMillis() / 3, times.idleMillis()));
				if (pair == plain) {
					pair.closeClient(entry.getKey());
				}
			}
		}
	}

	private static void allocation(Settings settings, Times times, Pair pair, Measured measured) throws IOException {
		settings.say("Allocation ...");
		for (int bytes : new int[] { KIB, 100 * KIB }) {
			Load load = Load.closed(1, bytes);
			SteadyState.await(() -> pair.run(Transports.LEARNED, load, times.windowMillis()).allocatedBytes());
			for (int repeat = 0; repeat < times.repeats(); repeat++) {
				long before = pair.allocatedByReceivers();
				Result result = pair.run(Transports.LEARNED, load, times.millis());
				double served = pair.allocatedByReceivers() - before;
				measured.figure(Bars.allocation("client", load), result.allocatedBytes());
				measured.figure(Bars.allocation("server", load), served / result.calls());
			}
		}
	}

	private static void typed(Settings settings, Times times, Measured measured) throws Exception {
		settings.say("Starting a server application, and three client applications in this JVM ...");
		try (EchoProcess server = EchoProcess.start();
				EchoClient http = EchoClient.start(server.port(), "http", true);
				EchoClient uds = EchoClient.start(server.port(), "uds", true);
				EchoClient shm = EchoClient.start(server.port(), "shm", true);
				LoadRunner runner = new LoadRunner(new long[] { server.pid(), ProcessHandle.current().pid() })) {
			settings.say("Codec over shm: %s", shm.codec());
			Map<String, Subject> subjects = new LinkedHashMap<>();
			subjects.put(TYPED_SHM, subject(shm.echo(), runner));
			subjects.put(TYPED_UDS, subject(uds.echo(), runner));
			subjects.put(TYPED_HTTP, subject(http.echo(), runner));
			List<Cell> cells = new ArrayList<>();
			for (Load load : typedLoads()) {
				subjects.keySet().forEach((name) -> cells.add(new Cell(name, load)));
			}
			subjects.put(TYPED_SHM_TEXT, text(shm.echo(), runner));
			subjects.put(TYPED_HTTP_TEXT, text(http.echo(), runner));
			cells.add(new Cell(TYPED_SHM_TEXT, Load.closed(1, 100 * KIB)));
			cells.add(new Cell(TYPED_HTTP_TEXT, Load.closed(1, 100 * KIB)));
			for (Map.Entry<String, Subject> subject : subjects.entrySet()) {
				warmUp(settings, subject, times, Load.closed(8, KIB), Load.closed(1, 100 * KIB));
			}
			settings.say("Typed calls: everything once, not counted ...");
			measure(cells, subjects, times, new Measured());
			for (int repeat = 1; repeat <= times.repeats(); repeat++) {
				settings.say("Typed calls: repeat %d of %d ...", repeat, times.repeats());
				measure(cells, subjects, times, measured);
			}
		}
	}

	private static Subject subject(Echo echo, LoadRunner runner) {
		Echo.Order small = Echo.Order.sample(1);
		Echo.Order large = Echo.Order.sample(100);
		return (load, millis) -> {
			Echo.Order order = (load.bytes() > KIB) ? large : small;
			Transport.Caller caller = (body) -> echo.order(order).lines().size() == order.lines().size() ? body.length
					: -1;
			List<Transport.Caller> callers = java.util.Collections.nCopies(load.callers(), caller);
			return runner.run(callers, load, millis, Integer.MAX_VALUE);
		};
	}

	private static Subject text(Echo echo, LoadRunner runner) {
		Echo.Note large = Echo.Note.sample(100);
		Echo.Note small = Echo.Note.sample(1);
		return (load, millis) -> {
			Echo.Note note = (load.bytes() > KIB) ? large : small;
			Transport.Caller caller = (body) -> (echo.note(note).text().length() == note.text().length()) ? body.length
					: -1;
			return runner.run(java.util.Collections.nCopies(load.callers(), caller), load, millis, Integer.MAX_VALUE);
		};
	}

	private static void delete(Path directory) throws IOException {
		Files.walkFileTree(directory, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.deleteIfExists(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
				Files.deleteIfExists(visited);
				return FileVisitResult.CONTINUE;
			}

		});
	}

}
