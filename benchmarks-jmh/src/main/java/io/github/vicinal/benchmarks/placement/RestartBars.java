package io.github.vicinal.benchmarks.placement;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import org.jspecify.annotations.Nullable;

/**
 * Five applications under load, two of which are restarted in turn: the rates that the
 * endpoint shows against those that were driven, at each look.
 */
final class RestartBars {

	/** Observed time before which rates are means over the lives of instances. */
	private static final Duration BASE = Duration.ofSeconds(15);

	/** Maximum time until all drivers hold their pace. */
	private static final Duration WARM_UP = Duration.ofMinutes(2);

	/** Interval in which a driver must have held its pace, so that its rate is one. */
	private static final Duration STEADY = Duration.ofSeconds(5);

	/** Part of the pace by which an application may fall behind. */
	private static final double BEHIND = 0.02;

	/** Calls since a start below which one call more or less is no error of a rate. */
	private static final int EVIDENCE = 100;

	/** Time after which a request without an answer is given up. */
	private static final Duration LONGEST = Duration.ofSeconds(30);

	/** Status of an answer by which overload control refuses a request. */
	private static final int REFUSED = 503;

	private final Measurement.Settings settings;

	private final Path rendezvous;

	private final HttpClient http = HttpClient.newHttpClient();

	private final Map<String, PieceProcess> running = new LinkedHashMap<>();

	private final Map<String, String> callee = new LinkedHashMap<>();

	private final List<Driver> drivers = new ArrayList<>();

	/** Largest error against the rates over all lives of the applications, in percent. */
	private double worstOfLives;

	private RestartBars(Measurement.Settings settings, Path rendezvous) {
		this.settings = settings;
		this.rendezvous = rendezvous;
	}

	static void measure(Measurement.Settings settings, Report report) throws IOException {
		Path directory = Files.createTempDirectory("placement-restarts");
		RestartBars bars = new RestartBars(settings, directory);
		try {
			report.bar("five applications, two restarted in turn: largest error of a rate, %", bars.worst(), 5);
			bars.drivers
				.forEach((driver) -> settings.say("'%s' refused %d requests in all", driver.name, driver.refused()));
			settings.say(
					"Largest error against the rate of all the time in which the application ran: %.2f %% (no bar)",
					bars.worstOfLives);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			bars.close();
			delete(directory);
		}
	}

	private void start(String name, String port, String callee, String... more) throws IOException {
		String address = callee.isEmpty() ? "http://localhost:1" : "http://localhost:" + process(callee).port();
		List<String> arguments = new ArrayList<>(List.of(name, port, address, this.rendezvous.toString()));
		arguments.addAll(List.of(more));
		this.running.put(name, PieceProcess.start(arguments.toArray(String[]::new)));
		this.callee.put(name, callee);
	}

	private double worst() throws IOException, InterruptedException {
		this.settings.say("Five applications, of which two are restarted ...");
		start("stock", "0", "");
		start("price", "0", "");
		start("shop", "0", "stock");
		start("desk", "0", "stock");
		start("offer", "0", "price",
				String.join(",",
						List.of("stock", "price", "shop", "desk")
							.stream()
							.map((name) -> "http://localhost:%s/actuator".formatted(process(name).port()))
							.toList()));
		drive("shop", 20);
		drive("desk", 80);
		drive("offer", 40);
		warmUp();
		// What is observed begins here, as what is driven does.
		model();
		this.drivers.forEach(Driver::begin);
		double worst = watch(BASE.plusSeconds(this.settings.quick() ? 5 : 30), BASE);
		for (String name : List.of("shop", "desk")) {
			worst = Math.max(worst, restart(name));
			worst = Math.max(worst, watch(Duration.ofSeconds(this.settings.quick() ? 10 : 30), Duration.ZERO));
		}
		return worst;
	}

	private void warmUp() {
		long start = System.nanoTime();
		boolean steady = false;
		while (!steady && System.nanoTime() - start < WARM_UP.toNanos()) {
			this.drivers.forEach(Driver::begin);
			LockSupport.parkNanos(STEADY.toNanos());
			steady = this.drivers.stream().allMatch(Driver::holdsPace);
		}
		if (!steady) {
			this.settings.say("After %d s a driver does not hold its pace: its rate says little", WARM_UP.toSeconds());
		}
	}

	private PieceProcess process(String name) {
		PieceProcess process = this.running.get(name);
		if (process == null) {
			throw new IllegalStateException(name + " does not run");
		}
		return process;
	}

	private void drive(String name, int perSecond) {
		Driver driver = new Driver(name, process(name).port(), perSecond);
		this.drivers.add(driver);
		driver.thread.start();
	}

	/** Returns the largest error while an application is down and starts again. */
	private double restart(String name) throws IOException, InterruptedException {
		Driver driver = this.drivers.stream().filter((one) -> one.name.equals(name)).findFirst().orElseThrow();
		driver.pause();
		PieceProcess process = process(name);
		process.close();
		double worst = watch(Duration.ofSeconds(3), Duration.ZERO);
		start(name, process.port(), this.callee.getOrDefault(name, ""));
		driver.resume();
		return worst;
	}

	/** Returns the largest error of a rate in percent, from some time on. */
	private double watch(Duration time, Duration from) throws IOException, InterruptedException {
		double worst = 0;
		long start = System.nanoTime();
		while (System.nanoTime() - start < time.toNanos()) {
			LockSupport.parkNanos(1_000_000_000L);
			PlacementModel model = model();
			if (System.nanoTime() - start < from.toNanos()) {
				continue;
			}
			for (Driver driver : this.drivers) {
				double driven = driver.rate();
				if (!(driven > 0)) {
					continue;
				}
				double shown = rate(model, driver.name, this.callee.getOrDefault(driver.name, ""));
				this.worstOfLives = Math.max(this.worstOfLives, 100 * Math.abs(shown / driver.rateOfLives() - 1));
				double error = 100 * Math.abs(shown / driven - 1);
				if (error > worst) {
					worst = error;
					this.settings.say("'%s': %.2f calls/s driven, %.2f shown", driver.name, driven, shown);
				}
			}
		}
		return worst;
	}

	private static double rate(PlacementModel model, String from, String to) {
		return model.edges()
			.stream()
			.filter((edge) -> edge.from().equals(from) && edge.to().equals(to))
			.mapToDouble(RestartBars::calls)
			.sum();
	}

	private static double calls(Edge edge) {
		Double calls = edge.callsPerSecond();
		return (calls != null) ? calls : 0;
	}

	private PlacementModel model() throws IOException, InterruptedException {
		return new ModelJson().read(get("offer", "/actuator/vicinalplacement/model"));
	}

	private String get(String name, String path) throws IOException, InterruptedException {
		URI address = URI.create("http://localhost:%s%s".formatted(process(name).port(), path));
		HttpResponse<String> answer = this.http.send(HttpRequest.newBuilder(address).build(),
				HttpResponse.BodyHandlers.ofString());
		if (answer.statusCode() != 200) {
			throw new IOException("%s answers %d: %s".formatted(address, answer.statusCode(), answer.body()));
		}
		return answer.body();
	}

	private void close() {
		this.drivers.forEach(Driver::end);
		this.running.values().forEach(PieceProcess::close);
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

	/**
	 * Sends requests to one application at a fixed pace while it runs, however long it
	 * takes to answer: a cold application has to catch up with what was asked meanwhile.
	 */
	private final class Driver {

		private final String name;

		private final URI address;

		private final long interval;

		private final Thread thread;

		private long begun = System.nanoTime();

		/** Requests that were sent. */
		private long calls;

		/**
		 * Calls, and time in nanoseconds, of the lives of the application before this
		 * one.
		 */
		private long callsBefore;

		private long nanosBefore;

		/** Rate when the application was stopped. */
		private double before;

		private boolean paused;

		private boolean ended;

		/** Requests that were refused, by an application that was overloaded. */
		private long refused;

		/** Requests that are under way. */
		private int calling;

		Driver(String name, String port, int perSecond) {
			this.name = name;
			this.address = URI.create("http://localhost:%s/passed?number=1".formatted(port));
			this.interval = 1_000_000_000L / perSecond;
			this.thread = new Thread(this::run, "placement-driver-" + name);
			this.thread.setDaemon(true);
		}

		private void run() {
			HttpRequest request = HttpRequest.newBuilder(this.address).timeout(LONGEST).build();
			long next = System.nanoTime();
			while (true) {
				LockSupport.parkNanos(next - System.nanoTime());
				OptionalLong due = take(next);
				if (due.isEmpty()) {
					return;
				}
				CompletableFuture<?> unused = RestartBars.this.http
					.sendAsync(request, HttpResponse.BodyHandlers.discarding())
					.whenComplete(this::done);
				next = due.getAsLong() + this.interval;
			}
		}

		/**
		 * Counts a request.
		 * @return when it was due, which is now after a pause, since what was missed
		 * while the application was down is not made up for; empty at the end
		 */
		private synchronized OptionalLong take(long due) {
			long at = due;
			while (this.paused && !this.ended) {
				try {
					wait();
				}
				catch (InterruptedException ex) {
					return OptionalLong.empty();
				}
				at = System.nanoTime();
			}
			if (this.ended) {
				return OptionalLong.empty();
			}
			this.calls++;
			this.calling++;
			return OptionalLong.of(at);
		}

		private void done(@Nullable HttpResponse<Void> response, @Nullable Throwable failure) {
			boolean answered = response != null && response.statusCode() == 200;
			if (response == null) {
				RestartBars.this.settings.say("'%s' does not answer: %s", this.name, String.valueOf(failure));
			}
			else if (!answered && response.statusCode() != REFUSED) {
				RestartBars.this.settings.say("'%s' answers %d", this.name, response.statusCode());
			}
			synchronized (this) {
				// What was refused never became a call of the application's.
				this.calls -= answered ? 0 : 1;
				this.refused += answered ? 0 : 1;
				this.calling--;
				notifyAll();
			}
		}

		/** Returns whether the application keeps up with the pace. */
		synchronized boolean holdsPace() {
			double wanted = (System.nanoTime() - this.begun) / (double) this.interval;
			// One more or less by chance.
			return this.calls - this.calling >= (1 - BEHIND) * wanted - 1;
		}

		/** Counts from now on. */
		synchronized void begin() {
			this.begun = System.nanoTime();
			this.calls = 0;
		}

		/** Lets what is under way end, so that the application can be stopped. */
		synchronized void pause() throws InterruptedException {
			this.paused = true;
			long nanos = System.nanoTime() - this.begun;
			while (this.calling > 0) {
				wait();
			}
			this.before = 1e9 * this.calls / nanos;
			this.callsBefore += this.calls;
			this.nanosBefore += nanos;
		}

		/** The application counts anew, too. */
		synchronized void resume() {
			begin();
			this.paused = false;
			notifyAll();
		}

		/** Returns the calls per second of all the time in which the application ran. */
		synchronized double rateOfLives() {
			return this.paused ? (1e9 * this.callsBefore / this.nanosBefore)
					: 1e9 * (this.callsBefore + this.calls) / (this.nanosBefore + System.nanoTime() - this.begun);
		}

		/**
		 * Returns the calls per second since the application began to serve, or until it
		 * was stopped; 0 after too few calls.
		 */
		synchronized double rate() {
			if (this.paused) {
				return this.before;
			}
			return (this.calls < EVIDENCE) ? 0 : 1e9 * this.calls / (System.nanoTime() - this.begun);
		}

		synchronized long refused() {
			return this.refused;
		}

		synchronized void end() {
			this.ended = true;
			notifyAll();
		}

	}

}
