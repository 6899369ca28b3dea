package io.github.vicinal.boot;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The time of a call is counted once: each observation has each call once, and what
 * belongs to a call takes no longer than the call.
 */
@Timeout(120)
class ObservedOnceTests {

	/** Calls that are answered, and as many that fail. */
	private static final int CALLS = 5;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@InTurn(value = { "http, false", "http, true", "direct, true", "direct, false", "shm, false", "shm, true",
			"uds, true", "uds, false" }, rows = 4)
	void theTimeOfACallIsCountedOnce(String path, boolean traced) {
		ConfigurableApplicationContext service = this.applications.start(traced ? TracedService.class : Service.class,
				Map.of());
		Map<String, Object> properties = new HashMap<>();
		properties.put("vicinal.channels.tiers.paths", path);
		properties.put("spring.http.serviceclient.tiers.base-url",
				"http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port"));
		ConfigurableApplicationContext client = this.applications.start(traced ? TracedClient.class : Client.class,
				properties);
		Tiers tiers = client.getBean(Tiers.class);
		await().untilAsserted(() -> {
			assertThat(tiers.named("warm").getBody()).isEqualTo("warm");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("tiers").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		// The server observes the end of an HTTP request after its client has the
		// response.
		await().untilAsserted(() -> assertThat(recorded(service, "http.server.requests").calls())
			.isEqualTo(recorded(client, "http.client.requests").calls()));
		boolean typed = !path.equals("http");
		Recorded requests = recorded(client, "http.client.requests");
		Recorded channel = recorded(client, "vicinal.channel.calls");
		Recorded handled = recorded(service, "http.server.requests");
		SimpleTracer tracer = traced ? client.getBean(SimpleTracer.class) : new SimpleTracer();
		tracer.getSpans().clear();

		long start = System.nanoTime();
		for (int i = 0; i < CALLS; i++) {
			tiers.named("gold");
			assertThatExceptionOfType(HttpClientErrorException.NotFound.class).isThrownBy(() -> tiers.named("none"));
		}
		long elapsed = System.nanoTime() - start;

		Recorded ofRequests = recorded(client, "http.client.requests").since(requests);
		Recorded ofChannel = recorded(client, "vicinal.channel.calls").since(channel);
		assertThat(ofRequests.calls()).isEqualTo(2 * CALLS);
		assertThat(ofRequests.nanos()).isBetween(1L, elapsed);
		assertThat(ofChannel.calls()).isEqualTo(typed ? 2 * CALLS : 0);
		assertThat(ofChannel.nanos()).as("within http.client.requests").isLessThanOrEqualTo(ofRequests.nanos());
		await().untilAsserted(() -> assertThat(recorded(service, "http.server.requests").since(handled).calls())
			.isEqualTo(2 * CALLS));
		if (traced) {
			assertSpansAreNested(List.copyOf(tracer.getSpans()), typed);
		}
	}

	/** The span of the client has that of the channel within it, and both are once. */
	private static void assertSpansAreNested(List<SimpleSpan> spans, boolean typed) {
		List<SimpleSpan> roots = spans.stream().filter((span) -> span.context().parentId().isEmpty()).toList();
		assertThat(roots).hasSize(2 * CALLS)
			.allSatisfy((root) -> assertThat(String.valueOf(root.getName())).startsWith("http get"));
		for (SimpleSpan root : roots) {
			List<SimpleSpan> within = spans.stream()
				.filter((span) -> span.context().parentId().equals(root.context().spanId()))
				.toList();
			assertThat(within).hasSize(typed ? 1 : 0);
			Duration time = within.stream().map(ObservedOnceTests::time).reduce(Duration.ZERO, Duration::plus);
			assertThat(time).isLessThanOrEqualTo(time(root));
		}
		assertThat(spans).hasSize((typed ? 2 : 1) * roots.size());
	}

	private static Duration time(SimpleSpan span) {
		return Duration.between(span.getStartTimestamp(), span.getEndTimestamp());
	}

	private static Recorded recorded(ConfigurableApplicationContext context, String name) {
		long calls = 0;
		double nanos = 0;
		for (Timer timer : context.getBean(MeterRegistry.class).find(name).timers()) {
			calls += timer.count();
			nanos += timer.totalTime(TimeUnit.NANOSECONDS);
		}
		return new Recorded(calls, (long) nanos);
	}

	/** Number of calls that the timers of one name have recorded. */
	private record Recorded(long calls, long nanos) {

		Recorded since(Recorded before) {
			return new Recorded(this.calls - before.calls, this.nanos - before.nanos);
		}

	}

	@AffinityChannel
	@HttpExchange("/tiers")
	interface Tiers {

		@GetExchange("/{name}")
		ResponseEntity<String> named(@PathVariable String name);

	}

	@RestController
	static class TierController implements Tiers {

		@Override
		public ResponseEntity<String> named(String name) {
			return name.equals("none") ? ResponseEntity.notFound().build() : ResponseEntity.ok(name);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Tracing {

		@Bean
		SimpleTracer tracer() {
			return new SimpleTracer();
		}

		@Bean
		DefaultTracingObservationHandler spans(SimpleTracer tracer) {
			return new DefaultTracingObservationHandler(tracer);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TierController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ TierController.class, Tracing.class })
	static class TracedService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "tiers", types = Tiers.class)
	static class Client {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Tracing.class)
	@ImportHttpServices(group = "tiers", types = Tiers.class)
	static class TracedClient {

	}

}
