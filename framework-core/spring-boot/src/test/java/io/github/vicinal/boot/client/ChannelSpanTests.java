package io.github.vicinal.boot.client;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.observation.DefaultChannelObservationConvention;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.junit.jupiter.api.Test;

import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;

import static org.assertj.core.api.Assertions.assertThat;

/** The spans of a typed call, as a tracer records them. */
class ChannelSpanTests {

	interface Shop {

		@GetExchange("/shop/{id}")
		String name(@PathVariable String id, @RequestParam int page);

	}

	@Test
	void theSpanOfTheChannelIsAChildOfTheClientsAndTheUrlIsWhole() {
		SimpleTracer tracer = new SimpleTracer();
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
		ClientObservation observation = new ClientObservation(registry, new DefaultClientRequestObservationConvention(),
				new DefaultChannelObservationConvention(), () -> null);
		Contract contract = ExchangeContractReader.contract(Shop.class);
		MethodPlan plan = new MethodPlan(Shop.class, contract.methods().get(0), UnaryOperator.identity());
		UriTemplates uris = UriTemplates.learn(java.net.URI.create("http://shop:8080/shop/1?page=2"), plan.path(),
				null);

		SimpleSpan server = tracer.nextSpan().name("server").start();
		try (SimpleTracer.SpanInScope scope = (SimpleTracer.SpanInScope) tracer.withSpan(server)) {
			observation.start("shop", UdsPathProvider.KIND, plan, uris, new Object[] { "a b", 2 }, null)
				.answered(200, Map.of(), null);
		}
		server.end();

		List<SimpleSpan> spans = tracer.getSpans().stream().toList();
		SimpleSpan client = find(spans, "http get");
		SimpleSpan channel = find(spans, "channel shop");
		assertThat(client.context().parentId()).isEqualTo(server.context().spanId());
		assertThat(channel.context().parentId()).isEqualTo(client.context().spanId());
		assertThat(client.getTags()).containsEntry("http.url", "http://shop:8080/shop/a%20b?page=2");
		assertThat(tracer.currentSpan()).isNull();
	}

	private static SimpleSpan find(List<SimpleSpan> spans, String name) {
		return spans.stream()
			.filter((span) -> String.valueOf(span.getName()).startsWith(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError(
					name + " is not among " + Arrays.toString(spans.stream().map(SimpleSpan::getName).toArray())));
	}

}
