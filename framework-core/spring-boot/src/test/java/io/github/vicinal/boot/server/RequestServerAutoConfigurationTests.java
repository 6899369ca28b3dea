package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.VicinalMetricsAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.transport.LocalTransportAutoConfiguration;
import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** The request server under which conditions, and what impossible settings say. */
class RequestServerAutoConfigurationTests {

	private static final String FILTER = "vicinalRequestPermitFilter";

	private final WebApplicationContextRunner web = new WebApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class)
		.withPropertyValues("management.endpoints.web.exposure.include=*");

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class);

	private static RequestServerSettings settings(ApplicationContext context) {
		return context.getBean(RequestServer.class).settings();
	}

	private static RequestServerSettings settings(ApplicationContext context, long heap) {
		return RequestServerAutoConfiguration.settings(context.getBean(VicinalProperties.class).server().requests(),
				context.getEnvironment(), heap);
	}

	@Test
	void theLoadDecidesUpToWhatTheWebServerHas() {
		this.web.run((context) -> {
			assertThat(settings(context)).isEqualTo(RequestServerSettings.of("requests", new Threads.Auto(1, 200))
				.withQueueCapacity(200)
				.withBurst(800));
			assertThat(context).hasBean(FILTER).hasBean("requestServerEndpoint").hasSingleBean(ServerLifecycle.class);
		});
		this.web.withPropertyValues("server.tomcat.threads.max=17").run((context) -> {
			assertThat(settings(context).threads()).isEqualTo(new Threads.Auto(1, 17));
			assertThat(settings(context).queueCapacity()).isEqualTo(17);
			assertThat(settings(context).burst()).isEqualTo(68);
		});
		this.web.withPropertyValues("vicinal.server.requests.threads=3").run((context) -> {
			assertThat(settings(context).threads()).isEqualTo(new Threads.Fixed(3));
			assertThat(settings(context).queueCapacity()).isEqualTo(200);
			assertThat(settings(context).burst()).as("no more than threads are made for").isEqualTo(200);
		});
		this.web
			.withPropertyValues("vicinal.server.requests.kind=virtual", "vicinal.server.requests.threads=200",
					"vicinal.server.requests.patience=3", "vicinal.server.requests.max-per-channel=5",
					"vicinal.server.requests.interval=1s", "vicinal.server.requests.queue-capacity=7",
					"vicinal.server.requests.priorities.Baskets=critical")
			.run((context) -> {
				RequestServerSettings settings = settings(context);
				assertThat(settings.threads()).isEqualTo(new Threads.Virtual(200));
				assertThat(settings.patience()).isEqualTo(3);
				assertThat(settings.maxPerChannel()).isEqualTo(5);
				assertThat(settings.queueCapacity()).isEqualTo(7);
				assertThat(settings.burst()).isZero();
				assertThat(settings.interval()).hasSeconds(1);
				assertThat(context.getBean(VicinalProperties.class).server().requests().priorities())
					.containsEntry("Baskets", Priority.CRITICAL);
			});
	}

	/**
	 * The web server alone runs what {@code server.tomcat.threads.max} says. The heap has
	 * room for what keeps a further thread, and without a bulkhead, which costs a lock.
	 */
	@ParameterizedTest
	@CsvSource({ "16, 200, 16, 16, 248", "64, 200, 16, 16, 248", "128, 200, 45, 46, 307", "256, 200, 200, 255, 671",
			"455, 200, 200, 800, 1216", "495, 200, 200, 800, 1216", "512, 200, 200, 800, 1216",
			"100000, 200, 200, 800, 1216", "128, 20, 20, 71, 127", "512, 1000, 591, 592, 2199",
			"8192, 1000, 1000, 4000, 6016", "100000, 10000, 1000, 40000, 51016" })
	void whatWaitsFollowsTheHeap(int heapMebibytes, int configured, int queue, int paused, int threads) {
		long heap = (long) heapMebibytes << 20;
		this.web.withPropertyValues("server.tomcat.threads.max=" + configured).run((context) -> {
			RequestServerSettings settings = settings(context, heap);
			assertThat(settings.threads()).isEqualTo(new Threads.Auto(1, configured));
			assertThat(settings.queueCapacity()).isEqualTo(queue);
			assertThat(settings.maxPaused()).isEqualTo(paused);
			assertThat(settings.burst()).isEqualTo(Math.min(paused, Math.min(4 * queue, 1000 - queue)));
			WebServerThreads webServer = new WebServerThreads(HeapRoom.onTomcat(context.getEnvironment(), heap));
			assertThat(webServer.forAll(settings, configured)).isEqualTo(threads);
			assertThat(webServer.bulkheads(settings)).isEmpty();
		});
	}

	/** Tomcat has two buffers of these sizes with each request that it processes. */
	@ParameterizedTest
	@CsvSource({ "8KB, 8KB, 45, 46", "64KB, 8KB, 31, 31", "8KB, 64KB, 31, 31", "64KB, 64KB, 23, 24", "1KB, 1KB, 45, 46",
			"1MB, 1MB, 16, 16" })
	void largerHeadersLeaveRoomForFewer(String request, String response, int queue, int paused) {
		this.web
			.withPropertyValues("server.max-http-request-header-size=" + request,
					"server.tomcat.max-http-response-header-size=" + response)
			.run((context) -> {
				RequestServerSettings settings = settings(context, 128L << 20);
				assertThat(settings.queueCapacity()).isEqualTo(queue);
				assertThat(settings.maxPaused()).isEqualTo(paused);
			});
	}

	/** Each connection has a virtual thread anyway, from Java 21 on. */
	@Test
	@Tag("every-jdk")
	void onVirtualThreadsTomcatHasRoomForWhatWaits() {
		boolean virtual = Runtime.version().feature() >= 21;
		this.web.withPropertyValues("spring.threads.virtual.enabled=true").run((context) -> {
			RequestServerSettings settings = settings(context, 128L << 20);
			assertThat(settings.threads()).isEqualTo(new Threads.Auto(1, virtual ? 8192 : 200, virtual));
			assertThat(settings.queueCapacity()).isEqualTo(virtual ? 1000 : 45);
			assertThat(settings.maxPaused()).isEqualTo(virtual ? 4 * 8192 : 46);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whatIsConfiguredBeyondTheHeapIsNamedAndRejected(CapturedOutput output) {
		this.web.withPropertyValues("vicinal.server.requests.queue-capacity=150").run((context) -> {
			RequestServerSettings settings = settings(context, 512L << 20);
			new WebServerThreads(HeapRoom.onTomcat(context.getEnvironment(), 512L << 20)).forAll(settings, 200);
			assertThat(output).doesNotContain("has room");
			RequestServerSettings tight = settings(context, 128L << 20);
			assertThat(tight.queueCapacity()).isEqualTo(150);
			WebServerThreads webServer = new WebServerThreads(HeapRoom.onTomcat(context.getEnvironment(), 128L << 20));
			assertThat(webServer.forAll(tight, 200)).isEqualTo(307);
			assertThat(webServer.bulkheads(tight)).extracting(Bulkhead::maxInFlight).containsExactly(291);
			assertThat(output)
				.contains("The heap of 128 MiB has room for 291 requests over HTTP at once, at 120 KiB for "
						+ "each beyond the 200 that the web server runs by itself, but 200 may run and 150 may wait.")
				.contains("Lower vicinal.server.requests.threads or queue-capacity, or enlarge the heap.");
		});
	}

	@Test
	void aWebServerThatHasMoreThanMayRunAtOnceIsNoFailure() {
		this.web.withPropertyValues("server.tomcat.threads.max=20000")
			.run((context) -> assertThat(settings(context).threads()).isEqualTo(new Threads.Auto(1, 10_000)));
		this.web
			.withPropertyValues("server.tomcat.max-connections=150000", "spring.threads.virtual.enabled=true",
					"vicinal.server.requests.kind=virtual")
			.run((context) -> assertThat(settings(context).threads()).isInstanceOfSatisfying(Threads.Auto.class,
					(threads) -> assertThat(threads.virtual()).isTrue()));
	}

	/** Applications with different web servers may share their configuration. */
	@Test
	void propertiesOfAnotherWebServerDoNotCount() {
		this.web.withPropertyValues("server.tomcat.threads.max=17", "server.jetty.threads.max=500")
			.run((context) -> assertThat(settings(context).threads()).isEqualTo(new Threads.Auto(1, 17)));
	}

	@Test
	void isThereWithoutAWebServer() {
		this.plain.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(RequestServer.class)
			.doesNotHaveBean(FILTER));
	}

	@Test
	void isOffByProperty() {
		this.web.withPropertyValues("vicinal.server.requests.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(RequestServer.class)
				.doesNotHaveBean(FILTER)
				.doesNotHaveBean("requestServerEndpoint")
				.hasSingleBean(ServerLifecycle.class));
		this.web.withPropertyValues("vicinal.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestServer.class));
		this.web.withPropertyValues("vicinal.server.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(FILTER));
	}

	@Test
	void anApplicationsOwnServerReplacesIt() {
		this.web.withUserConfiguration(OwnServer.class)
			.run((context) -> assertThat(settings(context).name()).isEqualTo("own"));
	}

	@Test
	void worksWithoutActuatorOrMetrics() {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
					LocalTransportAutoConfiguration.class, RequestServerAutoConfiguration.class,
					ServiceAutoConfiguration.class, ServerLifecycleAutoConfiguration.class,
					VicinalMetricsAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate", "io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(RequestServer.class)
				.hasBean(FILTER)
				.hasSingleBean(ServerLifecycle.class));
	}

	@Test
	@SuppressWarnings("try")
	void hasMeters() {
		this.web.run((context) -> {
			RequestServer server = context.getBean(RequestServer.class);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			String prefix = "vicinal.server.requests.";
			assertThat(server.submit("test", Priority.NORMAL, () -> 1).join()).isOne();
			try (Permit permit = server.enter("test", Priority.NORMAL)) {
				assertThat(meters.get(prefix + "running").gauge().value()).isPositive();
			}
			assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
			assertThat(catchThrowable(() -> server.enter("test", Priority.NORMAL)))
				.isInstanceOf(RejectedRequestException.class);
			await().untilAsserted(() -> {
				assertThat(meters.get(prefix + "response").functionTimer().count()).isEqualTo(2);
				assertThat(meters.get(prefix + "refused").tag("reason", "shutting-down").functionCounter().count())
					.isOne();
			});
			assertThat(meters.get(prefix + "response").functionTimer().totalTime(TimeUnit.NANOSECONDS)).isPositive();
			assertThat(meters.get(prefix + "post.delay").functionTimer().count()).isOne();
			assertThat(meters.get(prefix + "threads").gauge().value()).isEqualTo(200);
		});
	}

	/** As for any timer of Boot: properties decide whether there is a distribution. */
	@Test
	void publishesPercentilesWhereBootIsConfiguredTo() {
		this.web
			.withPropertyValues("management.metrics.distribution.percentiles.vicinal.server.requests.response=0.5,0.99")
			.run((context) -> {
				RequestServer server = context.getBean(RequestServer.class);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				String prefix = "vicinal.server.requests.";
				for (int i = 0; i < 5; i++) {
					assertThat(server.submit("test", Priority.NORMAL, () -> 1).join()).isOne();
				}
				assertThat(server.drain(Duration.ofSeconds(10))).isTrue();
				HistogramSnapshot response = meters.get(prefix + "response").timer().takeSnapshot();
				assertThat(response.count()).isEqualTo(5);
				assertThat(response.percentileValues()).extracting(ValueAtPercentile::percentile)
					.containsExactly(0.5, 0.99);
				assertThat(response.percentileValues()[1].value(TimeUnit.NANOSECONDS)).isPositive();
				await().untilAsserted(
						() -> assertThat(meters.get(prefix + "post.delay").functionTimer().count()).isEqualTo(5));
			});
	}

	@ParameterizedTest
	@CsvSource({ "queue-capacity, 0", "queue-capacity, -7", "queue-capacity, 2000000000", "threads, 0", "threads, -1",
			"threads, 100001", "patience, 0", "patience, -1", "patience, NaN", "patience, Infinity", "interval, 0s",
			"interval, 1us", "interval, -3s", "interval, 2h", "max-per-channel, -1" })
	void impossibleSettingsNameThePropertyAndTheRemedy(String property, String value) {
		this.web.withPropertyValues("vicinal.server.requests." + property + "=" + value).run((context) -> {
			FailureAnalysis analysis = new InvalidRequestServerFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(property).contains("must");
			assertThat(analysis.getAction()).startsWith("Property vicinal.server.requests." + property + ": ");
		});
	}

	@ParameterizedTest
	@CsvSource({ "path, orders, use '/orders'", "path, '/a/{b', use one such as", "methods, GETT, leave it out for all",
			"callers, 10.0.0.0/99, leave it out", "max-in-flight, 0, leave it out for no limit",
			"max-in-flight, -5, leave it out for no limit" })
	void impossibleRulesNameThePropertyAndTheRemedy(String property, String value, String remedy) {
		this.web
			.withPropertyValues("vicinal.server.requests.rules[0].priority=critical",
					"vicinal.server.requests.rules[1].priority=critical",
					"vicinal.server.requests.rules[1]." + property + "=" + value)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidRequestServerFailureAnalyzer()
					.analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("rules[1]." + property).contains("must").contains(value);
				assertThat(analysis.getAction())
					.startsWith("Property vicinal.server.requests.rules[1]." + property + ": " + remedy);
			});
	}

	@ParameterizedTest
	@CsvSource({ "path, /orders, rules[0]", "per, caller, rules[0]" })
	void contradictoryRulesAreNoRules(String property, String value, String named) {
		this.web.withPropertyValues("vicinal.server.requests.rules[0]." + property + "=" + value).run((context) -> {
			FailureAnalysis analysis = new InvalidRequestServerFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getAction()).startsWith("Property vicinal.server.requests." + named);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnServer {

		@Bean
		RequestServer ownServer() {
			return new RequestServer(RequestServerSettings.of("own", new Threads.Fixed(1)));
		}

	}

}
