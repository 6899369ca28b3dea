package io.github.vicinal.benchmarks.selector;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.BenchJvm;
import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.shm.Transport;
import io.github.vicinal.benchmarks.shm.Transports;
import io.github.vicinal.choice.Decision;
import io.github.vicinal.selection.PathSelector;
import io.github.vicinal.selection.PathSelector.PathSwitch;
import org.jspecify.annotations.Nullable;

/** The path selector over real paths between two processes. */
public final class SelectorMeasurement implements Measurement {

	private static final int MBIT = 40;

	private static final int BODY_BYTES = 4096;

	private static final int FEW = 1;

	private static final int MANY = 12;

	private static final int WARM_UP_SECONDS = 40;

	private static final int WARM_UP_PROBES = 24;

	private static final int OPERATIONS = 5_000;

	/** Number of calls after a switch in which its loss may show. */
	private static final int AFTER_SWITCH = 100;

	/** Number of calls that alternate between two paths, each of which is a switch. */
	private static final int IN_TURNS = 2_000;

	private static final int[] SWITCHES = { 1, 5, 100, 500, 1_000, 3_000 };

	/** Makes a call by one of the paths. */
	private interface Caller {

		void call(int path, byte[] body) throws Exception;

	}

	/** Makes a caller for each thread. */
	private interface Callers {

		Caller caller(int number) throws Exception;

	}

	@Override
	public String name() {
		return "selector";
	}

	@Override
	public String description() {
		return "the path selector over shm, uds and HTTP on a throttled link: load, switches, noise, degradation";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Report report = new Report("experiment", "case", "calls", "switches", "result", "unit")
			.chart("Calls per second where the order of two paths flips with load", "result", "experiment", "case")
			.chartOnly((row) -> "calls/s".equals(row.get("unit")), (label) -> label.contains("fixed"));
		bookkeeping(settings, report);
		Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-selector");
		Link link = null;
		try {
			try {
				link = new Link(MBIT);
			}
			catch (IOException ex) {
				settings.say("NOT MEASURED: the throttled link cannot be made (%s); it needs Linux, root, ip and tc. "
						+ "Its bars fall short.", String.valueOf(ex.getMessage()));
			}
			Process server = start(directory, link);
			try {
				local(settings, report, directory);
				throttled(settings, report, link);
			}
			finally {
				server.destroy();
				server.onExit().join();
			}
		}
		finally {
			if (link != null) {
				link.close();
			}
			try (Stream<Path> files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.deleteIfExists(file);
				}
			}
		}
		return report;
	}

	private static Process start(Path directory, @Nullable Link link) throws IOException {
		// The JDK's server waits 40 ms for an acknowledgement otherwise.
		List<String> command = BenchJvm.command(List.of("-Dsun.net.httpserver.nodelay=true"), SelectorServer.COMMAND,
				directory.toString());
		Process process = new ProcessBuilder((link != null) ? link.prefixed(command) : command)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(SelectorServer.READY)) {
				return process;
			}
		}
		throw new IOException("The server ended before it was ready");
	}

	private static void bookkeeping(Settings settings, Report report) {
		settings.say("Bookkeeping ...");
		Bookkeeping.Cost fast = Bookkeeping.measure(settings.quick(), 0);
		Bookkeeping.Cost medium = Bookkeeping.measure(settings.quick(), 60_000);
		Bookkeeping.Cost slow = Bookkeeping.measure(settings.quick(), 300_000);
		report.row("bookkeeping", "calls of nothing", 0, 0, fast.nanos(), "ns/call");
		report.row("bookkeeping", "calls of nothing", 0, 0, fast.bytes(), "bytes/call");
		report.row("bookkeeping", "calls of 60 us", 0, 0, medium.nanos(), "ns/call");
		report.row("bookkeeping", "calls of 300 us, all timed", 0, 0, slow.nanos(), "ns/call");
		report.bar("bookkeeping of a call, ns", fast.nanos(), 50);
		report.bar("bookkeeping of a call, bytes", fast.bytes(), 0);
	}

	private static PathSelector selector(List<String> names, List<PathSwitch> switches) {
		PathSelector selector = new PathSelector(names, 1, PathSelector.Settings.defaults(true), switches::add);
		for (int path = names.size() - 1; path >= 0; path--) {
			selector.opened(path, System.nanoTime());
		}
		return selector;
	}

	private static long flips(List<PathSwitch> switches, int from) {
		return switches.stream()
			.skip(from)
			.filter((change) -> change.decision().kind() != Decision.Kind.OPENED)
			.count();
	}

	/** Makes one call as a channel does. */
	private static void call(PathSelector selector, Caller caller, byte[] body) throws Exception {
		int path = selector.choose(body.length * 2L, true, System.nanoTime());
		int ticket = selector.begin(path, 0, body.length * 2L);
		long start = System.nanoTime();
		boolean answered = false;
		try {
			caller.call(path, body);
			answered = true;
		}
		finally {
			selector.end(path, ticket, answered);
		}
		if (ticket != PathSelector.UNTIMED) {
			long now = System.nanoTime();
			selector.record(path, 0, body.length * 2L, body.length * 2L, true, now - start, 1, now);
		}
	}

	/** Shared memory and sockets. */
	private static void local(Settings settings, Report report, Path directory) throws Exception {
		try (Transport.Client shm = Transports.of(Transports.LEARNED).connect(directory);
				Transport.Client uds = Transports.of(Transports.SOCKET).connect(directory)) {
			Callers callers = (number) -> {
				Transport.Caller first = shm.caller(number);
				Transport.Caller second = uds.caller(number);
				return (path, body) -> ((path == 0) ? first : second).call(body);
			};
			forced(settings, report, callers);
			noise(settings, report, callers);
			flapping(settings, report, callers);
		}
	}

	/** Table 7 of the paper: switches evenly spread over 5,000 operations. */
	private static void forced(Settings settings, Report report, Callers callers) throws Exception {
		settings.say("Forced switches between shm and uds ...");
		Caller caller = callers.caller(0);
		byte[] body = new byte[1024];
		int rounds = settings.quick() ? 7 : 31;
		double[][] micros = new double[SWITCHES.length + 2][rounds];
		for (int round = -2; round < rounds; round++) {
			for (int i = 0; i < micros.length; i++) {
				int switches = (i < 2) ? 0 : SWITCHES[i - 2];
				long start = System.nanoTime();
				for (int op = 0; op < OPERATIONS; op++) {
					int path = (i < 2) ? i : (int) ((long) op * (switches + 1) / OPERATIONS) & 1;
					caller.call(path, body);
				}
				if (round >= 0) {
					micros[i][round] = (System.nanoTime() - start) / 1e3;
				}
			}
		}
		double[] medians = Arrays.stream(micros).mapToDouble(SelectorMeasurement::median).toArray();
		report.row("forced switches", "shm, no switch", OPERATIONS, 0, medians[0], "us in all");
		report.row("forced switches", "uds, no switch", OPERATIONS, 0, medians[1], "us in all");
		double base = (medians[0] + medians[1]) / 2;
		double one = lossOfOne(settings, caller, body, rounds);
		report.row("forced switches", "the calls after one switch", OPERATIONS, 1, one / 1e3, "us lost");
		double each = lossOfEach(settings, caller, body, rounds);
		report.row("forced switches", "each of the calls that take turns", IN_TURNS, IN_TURNS, each / 1e3, "us lost");
		double first = Double.NaN;
		double byTotals = Double.NaN;
		for (int i = 0; i < SWITCHES.length; i++) {
			int runs = SWITCHES[i] + 1;
			// An odd number of runs gives one path a run more than the other.
			int shmRuns = (runs + 1) / 2;
			double mixed = (medians[0] * shmRuns + medians[1] * (runs - shmRuns)) / runs;
			double loss = medians[i + 2] - mixed;
			report.row("forced switches", SWITCHES[i] + " switches", OPERATIONS, SWITCHES[i], loss, "us lost");
			if (i == 0) {
				first = loss;
			}
			byTotals = (loss - first) / Math.max(1, SWITCHES[i] - 1);
		}
		report.figure("5,000 operations half by half, us", base);
		report.figure("marginal cost of a switch by totals of 5,000 operations, us", byTotals);
		report.bar("loss of one switch, ms (paper: 13.4)", one / 1e6, 1);
		report.bar("loss of one switch by totals of 5,000 operations, ms", first / 1e3, 1);
		report.bar("marginal cost of a switch, us (paper: 47)", each / 1e3, 20);
	}

	/**
	 * Additional time of the calls right after a switch, in nanoseconds. Totals would not
	 * show it: calls by a socket take 25 or 35 us, depending on the processors on which
	 * the kernel runs both ends, and that changes every few thousand calls.
	 */
	private static double lossOfOne(Settings settings, Caller caller, byte[] body, int rounds) throws Exception {
		settings.say("Loss of one switch, call by call ...");
		double[] lost = new double[2 * rounds];
		double[] nanos = new double[OPERATIONS / 2];
		for (int switched = 0; switched < lost.length; switched++) {
			for (int op = 0; op < nanos.length; op++) {
				long start = System.nanoTime();
				caller.call(switched & 1, body);
				nanos[op] = System.nanoTime() - start;
			}
			double usual = median(Arrays.copyOfRange(nanos, AFTER_SWITCH, 2 * AFTER_SWITCH));
			for (int op = 0; op < AFTER_SWITCH; op++) {
				lost[switched] += nanos[op] - usual;
			}
		}
		return median(lost);
	}

	/**
	 * Cost of each of many switches, in nanoseconds: the mean time of calls that
	 * alternate between the two paths, less that of as many calls by one path after the
	 * other just before. Totals of runs that are farther apart differ by more than that,
	 * for the reason above.
	 */
	private static double lossOfEach(Settings settings, Caller caller, byte[] body, int rounds) throws Exception {
		settings.say("Cost of each of %,d switches ...", IN_TURNS);
		double[] lost = new double[rounds];
		for (int round = 0; round < rounds; round++) {
			long usual = 0;
			for (int path = 0; path < 2; path++) {
				for (int op = 0; op < AFTER_SWITCH; op++) {
					caller.call(path, body);
				}
				long start = System.nanoTime();
				for (int op = 0; op < IN_TURNS / 2; op++) {
					caller.call(path, body);
				}
				usual += System.nanoTime() - start;
			}
			long start = System.nanoTime();
			for (int op = 0; op < IN_TURNS; op++) {
				caller.call(op & 1, body);
			}
			lost[round] = (double) (System.nanoTime() - start - usual) / IN_TURNS;
		}
		return median(lost);
	}

	private static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	private static void noise(Settings settings, Report report, Callers callers) throws Exception {
		int calls = settings.quick() ? 100_000 : 1_000_000;
		settings.say("%,d calls over shm, with uds standing by ...", calls);
		List<PathSwitch> switches = new CopyOnWriteArrayList<>();
		PathSelector selector = selector(List.of("shm", "uds"), switches);
		Caller caller = callers.caller(0);
		byte[] body = new byte[1024];
		for (int i = 0; i < 20_000; i++) {
			call(selector, caller, body);
		}
		int before = switches.size();
		for (int i = 0; i < calls; i++) {
			call(selector, caller, body);
		}
		long flips = flips(switches, before);
		switches.stream().skip(before).forEach((change) -> settings.say("  %s: %s", change.calls(), change.decision()));
		report.row("stationary noise", "shm and uds", calls, flips, 1000.0 * selector.probes() / calls,
				"probes per 1000");
		report.bar("flips on stationary noise over real paths", flips, 0);
	}

	private static void flapping(Settings settings, Report report, Callers callers) throws Exception {
		settings.say("A path that comes and goes every 50 ms ...");
		List<PathSwitch> switches = new CopyOnWriteArrayList<>();
		PathSelector selector = selector(List.of("shm", "uds"), switches);
		Caller caller = callers.caller(0);
		boolean[] open = { true };
		long[] closedUses = new long[1];
		long calls = 0;
		byte[] body = new byte[1024];
		long end = System.nanoTime() + (settings.quick() ? 3 : 10) * 1_000_000_000L;
		long flip = System.nanoTime() + 50_000_000L;
		int flaps = 0;
		while (System.nanoTime() < end) {
			call(selector, (path, sent) -> {
				closedUses[0] += (path == 0 && !open[0]) ? 1 : 0;
				caller.call(path, sent);
			}, body);
			calls++;
			if (System.nanoTime() >= flip) {
				flip += 50_000_000L;
				open[0] = !open[0];
				flaps++;
				if (open[0]) {
					selector.opened(0, System.nanoTime());
				}
				else {
					selector.closed(0, System.nanoTime());
				}
			}
		}
		report.row("flapping path", flaps + " flaps of 50 ms", calls, switches.size(), (double) closedUses[0],
				"calls to the closed path");
		report.bar("calls to a path that is closed", closedUses[0], 0);
		report.bar("switches per flap of a flapping path", switches.size() / (double) flaps, 0.5);
	}

	/** HTTP on a throttled link, and on one that is late. */
	private static void throttled(Settings settings, Report report, @Nullable Link link) throws Exception {
		if (link == null) {
			for (String bar : List.of("regret against the oracle, order flips with load, percent",
					"better fixed path / selector, calls", "reaction to a 10x degradation, ms")) {
				report.bar(bar + " (NOT MEASURED)", Double.NaN, 0);
			}
			return;
		}
		URL throttled = URI.create("http://%s:%d/".formatted(Link.THROTTLED, SelectorServer.PORT)).toURL();
		URL late = URI.create("http://%s:%d/".formatted(Link.WIDE, SelectorServer.LATE_PORT)).toURL();
		settings.say("HTTP on a link of %d Mbit/s, and on a wide one whose server answers %.0f ms late", MBIT,
				SelectorServer.LATE_NANOS / 1e6);
		Callers callers = (number) -> (path, body) -> post((path == 0) ? throttled : late, body);
		order(settings, report, callers);
		degradation(settings, report, callers, link);
	}

	private static void post(URL url, byte[] body) throws IOException {
		HttpURLConnection connection = (HttpURLConnection) url.openConnection();
		connection.setRequestMethod("POST");
		connection.setDoOutput(true);
		connection.setFixedLengthStreamingMode(body.length);
		connection.getOutputStream().write(body);
		connection.getInputStream().readAllBytes();
	}

	/** Tables 4 and 5 of the paper: which path is faster depends on the load. */
	private static void order(Settings settings, Report report, Callers callers) throws Exception {
		int phases = settings.quick() ? 4 : 10;
		long phaseNanos = (settings.quick() ? 2_000 : 5_000) * 1_000_000L;
		settings.say("Order flips with load: %d phases of %d s, %d and %d callers by turns", phases,
				phaseNanos / 1_000_000_000L, FEW, MANY);
		double[][] done = new double[3][2];
		List<PathSwitch> switches = new CopyOnWriteArrayList<>();
		PathSelector selector = selector(List.of("throttled", "late"), switches);
		// The paper measures both networks before. A probe is one of 256 calls.
		long warm = 0;
		for (int second = 0; second < WARM_UP_SECONDS && selector.probes() < WARM_UP_PROBES; second++) {
			warm += load(callers, (second % 2 == 0) ? FEW : MANY, 1_000_000_000L, selector, null);
		}
		settings.say("  %d calls and %d probes before", warm, selector.probes());
		for (int phase = 0; phase < phases; phase++) {
			int count = (phase % 2 == 0) ? FEW : MANY;
			for (int who = 0; who < 3; who++) {
				Integer fixed = (who < 2) ? who : null;
				done[who][phase % 2] += load(callers, count, phaseNanos, selector, fixed);
			}
			settings.say("  %d callers: throttled %.0f, late %.0f, selector %.0f calls so far", count,
					done[0][phase % 2], done[1][phase % 2], done[2][phase % 2]);
		}
		switches.forEach((change) -> settings.say("  %s", change.decision()));
		double oracle = Math.max(done[0][0], done[1][0]) + Math.max(done[0][1], done[1][1]);
		double seconds = phases * phaseNanos / 1e9;
		String[] names = { "fixed: throttled", "fixed: late", "selector" };
		for (int who = 0; who < 3; who++) {
			double sum = done[who][0] + done[who][1];
			report.row("order flips with load", names[who], (long) sum, (who < 2) ? 0 : flips(switches, 0),
					sum / seconds, "calls/s");
		}
		report.row("order flips with load", "oracle", (long) oracle, phases - 1, oracle / seconds, "calls/s");
		double selected = done[2][0] + done[2][1];
		report.bar("regret against the oracle, order flips with load, percent", 100 * (1 - selected / oracle), 5);
		report.bar("better fixed path / selector, calls",
				Math.max(done[0][0] + done[0][1], done[1][0] + done[1][1]) / selected, 0.9999);
	}

	/** Calls in a closed loop; returns the number of calls that were made. */
	private static long load(Callers callers, int count, long nanos, PathSelector selector, @Nullable Integer fixed)
			throws Exception {
		AtomicLong calls = new AtomicLong();
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		long end = System.nanoTime() + nanos;
		List<Thread> threads = new ArrayList<>();
		byte[] body = new byte[BODY_BYTES];
		for (int i = 0; i < count; i++) {
			Caller caller = callers.caller(i);
			Thread thread = new Thread(() -> {
				try {
					while (System.nanoTime() < end) {
						if (fixed != null) {
							caller.call(fixed, body);
						}
						else {
							call(selector, caller, body);
						}
						calls.incrementAndGet();
					}
				}
				catch (Exception ex) {
					failures.add(ex);
				}
			});
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		if (!failures.isEmpty()) {
			throw new IOException("A call failed: " + failures.get(0), failures.get(0));
		}
		return calls.get();
	}

	private static void degradation(Settings settings, Report report, Callers callers, Link link) throws Exception {
		int rounds = settings.quick() ? 2 : 5;
		double worst = 0;
		Caller caller = callers.caller(0);
		byte[] body = new byte[BODY_BYTES];
		for (int round = 0; round < rounds; round++) {
			List<PathSwitch> switches = new CopyOnWriteArrayList<>();
			PathSelector selector = selector(List.of("throttled", "late"), switches);
			long warmedUp = System.nanoTime() + 3_000_000_000L;
			long latest = warmedUp + WARM_UP_SECONDS * 1_000_000_000L;
			while (System.nanoTime() < warmedUp || ((selector.probes() < 8 || selector.current(body.length * 2L) != 0)
					&& System.nanoTime() < latest)) {
				call(selector, caller, body);
			}
			if (selector.current(body.length * 2L) != 0) {
				settings.say("  the throttled path was not the one in use: %s", switches);
			}
			int before = switches.size();
			link.rate(MBIT / 10);
			long start = System.nanoTime();
			long calls = 0;
			while (switches.size() == before && System.nanoTime() - start < 2_000_000_000L) {
				call(selector, caller, body);
				calls++;
			}
			double millis = (switches.size() == before) ? Double.POSITIVE_INFINITY
					: (switches.get(before).decision().nanos() - start) / 1e6;
			worst = Math.max(worst, millis);
			report.row("10x degradation", "link from %d to %d Mbit/s, round %d".formatted(MBIT, MBIT / 10, round + 1),
					calls, 1, millis, "ms");
			link.rate(MBIT);
			settings.say("10x degradation, round %d: %.1f ms, %s", round + 1, millis,
					switches.subList(before, switches.size()));
		}
		report.bar("reaction to a 10x degradation, ms", worst, 99.999);
	}

}
