package io.github.vicinal.samples.trainticket.bench;

import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Runs modes one after the other.
 *
 * @param settings what to do
 * @param out receives the progress
 */
record Bench(Settings settings, PrintWriter out) {

	/**
	 * A cold JVM could not keep up with the rate, so the warm-up begins at its own pace.
	 */
	private static final int WARMUP_CALLERS = 4;

	/** Number of windows in the longest warm-up: means of a few seconds are compared. */
	private static final int WINDOWS = 20;

	/**
	 * The part of the warm-up that goes like the measurement: what waits between two
	 * requests is compiled anew when it does so for the first time.
	 */
	private static final int PACED_PART = 3;

	/**
	 * Settings of a run.
	 *
	 * @param launcher the command that starts the launcher
	 * @param basePort port of the first service
	 * @param logs directory for the output of the children
	 * @param requests what to send
	 * @param load how to send it
	 * @param warmup for how long before measuring at most
	 * @param duration for how long while measuring
	 * @param startTimeout how long a mode may take to become healthy
	 */
	record Settings(List<String> launcher, int basePort, Path logs, List<SearchRequest> requests, Load load,
			Duration warmup, Duration duration, Duration startTimeout) {
	}

	/**
	 * Runs modes.
	 * @param modes the modes
	 * @param rows where to put the measurements
	 * @return what was not answered in the same way in all modes
	 * @throws InterruptedException if the thread is interrupted
	 */
	List<String> run(List<Mode> modes, List<Row> rows) throws InterruptedException {
		LocalDate day = LocalDate.now(ZoneId.systemDefault()).plusDays(1);
		List<String> differences = new ArrayList<>();
		@Nullable Answers reference = null;
		for (Mode mode : modes) {
			Answers answers = run(mode, day, rows);
			if (reference == null) {
				reference = answers;
			}
			answers.differences(reference).forEach((request) -> differences.add(mode.name() + ": " + request));
		}
		return differences;
	}

	private Answers run(Mode mode, LocalDate day, List<Row> rows) throws InterruptedException {
		return run(mode, day, rows, (running) -> {
		});
	}

	/**
	 * Runs one mode.
	 * @param mode the mode
	 * @param day the day that is searched for
	 * @param rows where to put the measurements
	 * @param afterwards sees the services before they are stopped
	 * @return the answers
	 * @throws InterruptedException if the thread is interrupted
	 */
	Answers run(Mode mode, LocalDate day, List<Row> rows, Consumer<RunningMode> afterwards)
			throws InterruptedException {
		say("%s: starting %d JVMs".formatted(mode.name(), mode.plan().groups().size()));
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		try (RunningMode running = new RunningMode(mode, this.settings.launcher(), this.settings.basePort(),
				this.settings.logs())) {
			Duration start = running.start(client, this.settings.startTimeout(), this.out);
			for (SearchRequest request : this.settings.requests()) {
				rows.add(measure(mode, running, client, request, day, start));
			}
			Answers answers = Answers.of(client, running.gateway(), day);
			afterwards.accept(running);
			say("  stopping");
			return answers;
		}
	}

	private Row measure(Mode mode, RunningMode running, HttpClient client, SearchRequest request, LocalDate day,
			Duration start) throws InterruptedException {
		HttpRequest http = request.httpRequest(running.gateway(), day);
		boolean steady = warmUp(mode, running, client, request, http);
		CallCounts counts = new CallCounts(client);
		Map<String, Long> callsBefore = counts.read(running.addresses());
		Duration cpuBefore = running.cpu();
		say("  %s: measuring for %d s".formatted(request.requestName(), this.settings.duration().toSeconds()));
		LoadResult result = this.settings.load().run(client, http, this.settings.duration());
		Duration cpu = running.cpu().minus(cpuBefore);
		Memory memory = running.memory();
		Map<String, Long> calls = CallCounts.difference(counts.read(running.addresses()), callsBefore);
		if (result.errors() > 0) {
			say("  %s: %d errors, the first one: %s".formatted(request.requestName(), result.errors(),
					result.firstError()));
		}
		double operations = Math.max(1, result.operations());
		Map<String, Double> callsPerOperation = new TreeMap<>();
		calls.forEach((path, count) -> callsPerOperation.put(path, count / operations));
		return new Row(mode.name(), request.requestName(), running.processes(), start.toMillis(), result.operations(),
				result.errors(), result.percentileMillis(50), result.percentileMillis(90), result.percentileMillis(99),
				cpu.toNanos() / 1e6 / operations, Row.orUnknown(memory.rssKb()), Row.orUnknown(memory.pssKb()),
				callsPerOperation, steady);
	}

	/** Sends requests until they cost what they will cost, or the time is over. */
	private boolean warmUp(Mode mode, RunningMode running, HttpClient client, SearchRequest request, HttpRequest http)
			throws InterruptedException {
		String name = request.requestName();
		Duration paced = this.settings.load().paced() ? this.settings.warmup().dividedBy(PACED_PART) : Duration.ZERO;
		Duration longest = this.settings.warmup().minus(paced);
		Duration length = this.settings.warmup().dividedBy(WINDOWS);
		say("  %s: warming up for at most %d s".formatted(name, this.settings.warmup().toSeconds()));
		WarmUp steadiness = new WarmUp();
		Duration passed = Duration.ZERO;
		long searches = 0;
		while (passed.compareTo(longest) < 0 && !steadiness.isSteady()) {
			Duration before = running.cpu();
			LoadResult window = new ClosedLoop(WARMUP_CALLERS).run(client, http, length);
			steadiness.window(running.cpu().minus(before), window.operations());
			passed = passed.plus(length);
			searches += window.operations() - window.errors();
			if (searches == 0 && passed.compareTo(longest) >= 0) {
				throw new BenchException("No request was answered in the warm-up of " + mode.name(),
						window.firstError());
			}
		}
		boolean steady = steadiness.isSteady();
		say("  %s: %s after %d s and %d searches".formatted(name, steady ? "steady" : "NOT STEADY", passed.toSeconds(),
				searches));
		if (!paced.isZero()) {
			say("  %s: the next %d s as while measuring".formatted(name, paced.toSeconds()));
			this.settings.load().run(client, http, paced);
		}
		return steady;
	}

	private void say(String line) {
		this.out.println(line);
		this.out.flush();
	}

}
