package io.github.vicinal.benchmarks.storm;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport;
import org.HdrHistogram.Histogram;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.service.registry.ImportHttpServices;

/** A rolling restart of all instances of a service under load, typed and by HTTP. */
public final class StormMeasurement implements Measurement {

	/** Shared memory needs a tmpfs. */
	private static final Path RENDEZVOUS = Path.of("/dev/shm");

	private static final int CALLERS = 200;

	private static final int JVMS = 4;

	private static final int MAX_CONNECTIONS = 400;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

	@Override
	public String name() {
		return "restart-storm";
	}

	@Override
	public String description() {
		return "40 instances restarted one after the other under 200 callers, typed calls against HTTP";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int perJvm = settings.quick() ? 2 : 10;
		Report report = new Report("paths", "calls", "errors", "errors per million", "executed twice", "wrong", "lost",
				"p50 ms", "p99 ms", "max ms");
		Map<String, Result> results = new HashMap<>();
		for (String paths : List.of("http", "typed")) {
			Path rendezvous = Files.createTempDirectory(RENDEZVOUS, "vicinal-storm",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
			try {
				Result result = storm(settings, paths, perJvm, rendezvous);
				results.put(paths, result);
				report.row(paths, result.calls(), result.errors(), result.errorsPerMillion(), result.twice(),
						result.wrong(), result.lost(), result.times().getValueAtPercentile(50) / 1e6,
						result.times().getValueAtPercentile(99) / 1e6, result.times().getMaxValue() / 1e6);
				result.kinds().forEach((kind, count) -> report.figure(paths + ", " + kind, count));
			}
			finally {
				FileSystemUtils.deleteRecursively(rendezvous);
			}
		}
		Result http = java.util.Objects.requireNonNull(results.get("http"));
		Result typed = java.util.Objects.requireNonNull(results.get("typed"));
		report.bar("typed: receipts issued twice", typed.twice(), 0);
		report.bar("typed: wrong answers", typed.wrong(), 0);
		report.bar("typed: receipts that nobody issued", typed.lost(), 0);
		report.bar("typed: kinds of errors that HTTP does not have",
				typed.kinds().keySet().stream().filter((kind) -> !http.kinds().containsKey(kind)).count(), 0);
		report.bar("errors per million calls, typed - http", typed.errorsPerMillion() - http.errorsPerMillion(), 0);
		return report;
	}

	/**
	 * Result of a storm.
	 *
	 * @param calls calls made
	 * @param kinds calls that failed, by kind
	 * @param twice receipts that were issued more than once
	 * @param wrong answers to something else
	 * @param lost receipts that a caller got and no server issued
	 * @param times response times from the steady state on, in nanoseconds
	 */
	private record Result(long calls, Map<String, Long> kinds, long twice, long wrong, long lost, Histogram times) {

		long errors() {
			return this.kinds.values().stream().mapToLong(Long::longValue).sum();
		}

		double errorsPerMillion() {
			return errors() * 1e6 / this.calls;
		}

	}

	private static Result storm(Settings settings, String paths, int perJvm, Path rendezvous) throws Exception {
		List<StormServers> servers = new ArrayList<>();
		ConfigurableApplicationContext client = null;
		try {
			settings.say("%s: starting %d instances in %d JVMs ...", paths, JVMS * perJvm, JVMS);
			for (int i = 0; i < JVMS; i++) {
				servers.add(StormServers.start(perJvm, rendezvous));
			}
			List<String> urls = servers.stream()
				.flatMap((jvm) -> jvm.ports().stream())
				.map((port) -> "http://localhost:" + port)
				.toList();
			client = client(urls, paths, rendezvous);
			Storm storm = Storm.start(client.getBean(Receipts.class), CALLERS, PAUSE_NANOS);
			try (storm) {
				awaitPaths(client, paths, urls.size());
				int windows = storm.awaitSteadyState(settings.quick() ? 1000 : 2000);
				if (windows < 0) {
					settings.say("%s: no steady state; response times are those of a warm-up", paths);
				}
				else {
					settings.say("%s: steady after %d windows", paths, windows);
				}
				for (int i = 0; i < JVMS * perJvm; i++) {
					servers.get(i % JVMS).restart(i / JVMS);
					settings.say("%s: %d of %d restarted, %d calls, %d failed ...", paths, i + 1, JVMS * perJvm,
							storm.calls(), storm.errors().values().stream().mapToLong(Long::longValue).sum());
				}
			}
			return result(storm, servers, rendezvous);
		}
		finally {
			if (client != null) {
				client.close();
			}
			servers.forEach(StormServers::close);
		}
	}

	private static Result result(Storm storm, List<StormServers> servers, Path directory) throws IOException {
		Map<Long, Integer> executed = new HashMap<>();
		for (StormServers jvm : servers) {
			Path file = directory.resolve("issued");
			jvm.write(file);
			try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
				for (long left = Files.size(file) / Long.BYTES; left > 0; left--) {
					executed.merge(in.readLong(), 1, Integer::sum);
				}
			}
		}
		long twice = executed.values().stream().filter((times) -> times > 1).count();
		long lost = storm.issued().stream().filter((number) -> !executed.containsKey(number)).count();
		return new Result(storm.calls(), storm.errors(), twice, storm.wrong(), lost, storm.times());
	}

	private static void awaitPaths(ConfigurableApplicationContext client, String paths, int instances)
			throws InterruptedException {
		long begin = System.nanoTime();
		long typed = 0;
		ChannelReport report = null;
		while (System.nanoTime() - begin < PATIENCE_NANOS) {
			report = client.getBean(ChannelsEndpoint.class).channel("receipts");
			typed = (report != null) ? report.peers().stream().filter((peer) -> !peer.path().equals("http")).count()
					: 0;
			if (paths.equals("http") || typed == instances) {
				return;
			}
			Thread.sleep(100);
		}
		throw new IllegalStateException(
				"%d of %d instances are reached by typed paths: %s".formatted(typed, instances, report));
	}

	private static ConfigurableApplicationContext client(List<String> urls, String paths, Path rendezvous) {
		SpringApplication application = new SpringApplication(Client.class);
		Map<String, Object> properties = new HashMap<>(Map.of("spring.main.web-application-type", "none",
				"spring.main.banner-mode", "off", "logging.level.root", "error", "spring.jmx.enabled", "false",
				"management.endpoints.web.exposure.include", "vicinalchannels", "vicinal.channels.receipts.instances",
				String.join(",", urls), "vicinal.rendezvous.directory", rendezvous.toString(),
				"spring.http.serviceclient.receipts.base-url", urls.get(0)));
		properties.put("vicinal.channels.receipts.paths", paths.equals("http") ? "http" : "shm,uds");
		application.setDefaultProperties(properties);
		return application.run();
	}

	/** A client whose HTTP requests do not wait for a connection. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "receipts", types = Receipts.class)
	static class Client {

		@Bean
		ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> connections() {
			return (builder) -> builder.withConnectionManagerCustomizer(
					(connections) -> connections.setMaxConnTotal(MAX_CONNECTIONS).setMaxConnPerRoute(MAX_CONNECTIONS));
		}

	}

}
