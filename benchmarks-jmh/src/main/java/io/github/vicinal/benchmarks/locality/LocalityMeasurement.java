package io.github.vicinal.benchmarks.locality;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import org.HdrHistogram.AtomicHistogram;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * Replicas of which one is near: shared memory to that one, HTTP over a link with a delay
 * to the others; the choice by locality against round-robin and against calling the near
 * one only.
 */
public final class LocalityMeasurement implements Measurement {

	private static final int FAR_REPLICAS = 2;

	private static final int SERVERS = 4;

	private static final int SHORTEST_MICROS = 5_000;

	private static final int LONGEST_MICROS = 15_000;

	private static final int DELAY_MICROS = 2_000;

	private static final double CAPACITY_PER_SECOND = SERVERS * 2e6 / (SHORTEST_MICROS + LONGEST_MICROS);

	private static final List<Double> LOADS = List.of(0.1, 0.3, 0.5, 0.7, 0.85, 1.0, 1.2);

	private static final List<Double> QUICK_LOADS = List.of(0.3, 0.7, 1.2);

	private static final String CHOICE = "locality";

	private static final String TURNS = "in turn";

	private static final String NEAR_ONLY = "near only";

	private static final double MIN_SHARE = 0.95;

	/**
	 * Minimum number of calls for a p99: of fewer, it would be the time of one or two.
	 */
	private static final int MIN_CALLS = 2_000;

	private static final int MAX_CONNECTIONS = 400;

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

	@Override
	public String name() {
		return "locality";
	}

	@Override
	public String description() {
		return "three replicas, one near by shared memory, two by HTTP over a delayed link, against taking turns";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Report report = new Report("load", "choice", "calls/s", "near share", "p50 ms", "p99 ms")
			.chart("Response time (p99), ms, by load of what the near replica can do", "p99 ms", "load", "choice")
			.chartOnly((row) -> true, (label) -> !label.contains(CHOICE));
		List<Double> loads = settings.quick() ? QUICK_LOADS : LOADS;
		Path rendezvous = Files.createTempDirectory("vicinal-locality");
		try (DelayedNetwork network = DelayedNetwork.open(DELAY_MICROS)) {
			settings.say("Far replicas run in a network namespace; delay %.1f ms each way by %s", DELAY_MICROS / 1e3,
					network.means());
			measure(settings, network, rendezvous, loads, report);
		}
		catch (DelayedNetwork.UnavailableException ex) {
			settings.say("NOT MEASURED, and all bars fall short: a delayed link takes root, ip, and either tc with "
					+ "netem or cc with /dev/net/tun: %s", String.valueOf(ex.getMessage()));
			for (double load : loads) {
				report.bar("load %.2f: not measured".formatted(load), Double.NaN, 1);
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(rendezvous);
		}
		return report;
	}

	private static void measure(Settings settings, DelayedNetwork network, Path rendezvous, List<Double> loads,
			Report report) throws Exception {
		settings.say("Starting three replicas with %d servers each, service time %d to %d ms, near capacity %.0f/s ...",
				SERVERS, SHORTEST_MICROS / 1000, LONGEST_MICROS / 1000, CAPACITY_PER_SECOND);
		List<AutoCloseable> running = new ArrayList<>();
		ExecutorService callers = Executors.newCachedThreadPool();
		try {
			ReplicaProcess near = ReplicaProcess.start("near", SERVERS, directory(rendezvous, "here"),
					(command) -> command);
			running.add(near);
			List<String> urls = new ArrayList<>(List.of("http://127.0.0.1:" + near.port()));
			for (int i = 1; i <= FAR_REPLICAS; i++) {
				ReplicaProcess far = ReplicaProcess.start("far-" + i, SERVERS, directory(rendezvous, "there"),
						network::beyond);
				running.add(far);
				urls.add("http://" + DelayedNetwork.THERE + ":" + far.port());
			}
			Map<String, Task> tasks = new LinkedHashMap<>();
			Map<String, String> replicas = Map.of(CHOICE, String.join(",", urls), TURNS, String.join(",", urls),
					NEAR_ONLY, urls.get(0));
			for (String choice : List.of(CHOICE, TURNS, NEAR_ONLY)) {
				ConfigurableApplicationContext client = client(String.valueOf(replicas.get(choice)),
						choice.equals(CHOICE), directory(rendezvous, "here"));
				running.add(client);
				tasks.put(choice, client.getBean(Task.class));
			}
			for (Map.Entry<String, Task> task : tasks.entrySet()) {
				settings.say("Warming up: %s ...", task.getKey());
				load(callers, task.getValue(), 0.5, settings.quick() ? 3 : 8, 0);
			}
			for (double load : loads) {
				compare(settings, callers, tasks, load, report);
			}
		}
		finally {
			callers.shutdownNow();
			for (int i = running.size() - 1; i >= 0; i--) {
				running.get(i).close();
			}
		}
	}

	private static void compare(Settings settings, ExecutorService callers, Map<String, Task> tasks, double load,
			Report report) throws InterruptedException {
		settings.say("Load %.2f ...", load);
		double seconds = settings.quick() ? 4 : Math.max(8, MIN_CALLS / (load * CAPACITY_PER_SECOND));
		Map<String, Outcome> outcomes = new LinkedHashMap<>();
		for (Map.Entry<String, Task> task : tasks.entrySet()) {
			if (task.getKey().equals(NEAR_ONLY) && load >= 1) {
				continue;
			}
			Outcome outcome = load(callers, task.getValue(), load, seconds, Math.round(load * 100));
			outcomes.put(task.getKey(), outcome);
			report.row("%.2f".formatted(load), task.getKey(), outcome.callsPerSecond(), outcome.nearShare(),
					outcome.p50Millis(), outcome.p99Millis());
			if (outcome.failures() > 0) {
				report.bar("load %.2f, %s: failed calls".formatted(load, task.getKey()), outcome.failures(), 0);
			}
		}
		Outcome choice = java.util.Objects.requireNonNull(outcomes.get(CHOICE));
		Outcome turns = java.util.Objects.requireNonNull(outcomes.get(TURNS));
		Outcome nearOnly = outcomes.get(NEAR_ONLY);
		if (nearOnly != null && nearOnly.p99Millis() <= turns.p99Millis()) {
			report.bar("load %.2f: 0.95 / near share, not saturated".formatted(load), MIN_SHARE / choice.nearShare(),
					1);
		}
		report.bar("load %.2f: p99, locality / in turn".formatted(load), choice.p99Millis() / turns.p99Millis(), 1);
	}

	private static Path directory(Path rendezvous, String name) throws IOException {
		Path directory = rendezvous.resolve(name);
		if (!Files.exists(directory)) {
			Files.createDirectory(directory, java.nio.file.attribute.PosixFilePermissions
				.asFileAttribute(java.nio.file.attribute.PosixFilePermissions.fromString("rwx------")));
		}
		return directory;
	}

	private static ConfigurableApplicationContext client(String instances, boolean locality, Path rendezvous) {
		SpringApplication application = new SpringApplication(Client.class);
		application.setDefaultProperties(Map.of("spring.main.web-application-type", "none", "spring.main.banner-mode",
				"off", "logging.level.root", "warn", "spring.jmx.enabled", "false", "vicinal.channels.task.instances",
				instances, "vicinal.channels.task.locality", String.valueOf(locality), "vicinal.rendezvous.directory",
				rendezvous.toString()));
		return application.run();
	}

	/**
	 * Result of a load.
	 *
	 * @param callsPerSecond calls answered
	 * @param nearShare the part of them that the near replica answered
	 * @param p50Millis median response time, from when the call was due
	 * @param p99Millis 99 % quantile of it
	 * @param failures calls that failed
	 */
	private record Outcome(double callsPerSecond, double nearShare, double p50Millis, double p99Millis, long failures) {
	}

	/**
	 * Calls at times that do not depend on the answers; the same ones for each choice.
	 */
	private static Outcome load(ExecutorService callers, Task task, double load, double seconds, long seed)
			throws InterruptedException {
		Random random = new Random(seed);
		AtomicHistogram responses = new AtomicHistogram(TimeUnit.MINUTES.toNanos(5), 3);
		AtomicLong near = new AtomicLong();
		AtomicLong failures = new AtomicLong();
		AtomicLong open = new AtomicLong();
		long start = System.nanoTime();
		double due = 0;
		while (true) {
			due += -Math.log(1 - random.nextDouble()) / (load * CAPACITY_PER_SECOND) * 1e9;
			if (due >= seconds * 1e9) {
				break;
			}
			long at = start + (long) due;
			int micros = SHORTEST_MICROS + random.nextInt(LONGEST_MICROS - SHORTEST_MICROS);
			for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			open.incrementAndGet();
			callers.execute(() -> {
				try {
					near.addAndGet(task.run(micros).by().equals("near") ? 1 : 0);
					responses.recordValue(Math.max(0, System.nanoTime() - at));
				}
				catch (RuntimeException ex) {
					failures.incrementAndGet();
				}
				finally {
					open.decrementAndGet();
				}
			});
		}
		long deadline = System.nanoTime() + PATIENCE_NANOS;
		while (open.get() > 0 && System.nanoTime() - deadline < 0) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
		long answered = responses.getTotalCount();
		return new Outcome(answered / seconds, (double) near.get() / answered, responses.getValueAtPercentile(50) / 1e6,
				responses.getValueAtPercentile(99) / 1e6, failures.get() + open.get());
	}

	/** A common application whose HTTP client does not wait for a connection. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "task", types = Task.class)
	static class Client {

		@Bean
		ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> connections() {
			return (builder) -> builder.withConnectionManagerCustomizer(
					(connections) -> connections.setMaxConnTotal(MAX_CONNECTIONS).setMaxConnPerRoute(MAX_CONNECTIONS));
		}

	}

}
