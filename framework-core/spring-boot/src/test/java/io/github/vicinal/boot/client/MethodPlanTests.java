package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.UriBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;

class MethodPlanTests {

	private static final URI NODE = URI.create("http://node:8080/status");

	private static MethodPlan plan(Class<?> type, String name) {
		Contract contract = ExchangeContractReader.contract(type);
		ContractMethod method = contract.methods()
			.stream()
			.filter((each) -> each.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new MethodPlan(type, method, UnaryOperator.identity());
	}

	private static boolean goesElsewhere(String method, @Nullable Object... arguments) {
		return plan(Nodes.class, method).goesElsewhere(arguments);
	}

	@Test
	void aCallThatNamesAHostDoesNotGoToTheServiceOfTheClient() {
		assertThat(goesElsewhere("uri", NODE)).isTrue();
		assertThat(goesElsewhere("uri", URI.create("/status"))).as("of the base URL").isFalse();
		assertThat(goesElsewhere("uri", (Object) null)).isFalse();
		assertThat(goesElsewhere("optional", Optional.of(NODE))).isTrue();
		assertThat(goesElsewhere("optional", Optional.empty())).isFalse();
		assertThat(goesElsewhere("builder", 1, new DefaultUriBuilderFactory("http://node:8080"))).isTrue();
		assertThat(goesElsewhere("builder", 1, null)).isFalse();
		assertThat(goesElsewhere("parameter", NODE)).as("a value as any other").isFalse();
		assertThat(goesElsewhere("path")).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "GET, http://node/api/items/7/parts, true", "GET, http://node/items//parts, true",
			"GET, http://node/items/a%2Fb/parts, true", "GET, http://node/items/a%0Ab/parts?all=true, true",
			"POST, http://node/items/7/parts, false", "GET, http://node/token, false", "GET, http://node, false",
			"GET, http://node/items/7, false", "GET, http://node/items/7/parts/3, false" })
	void aRequestIsKnownByItsMethodAndPath(String method, URI uri, boolean matches) {
		assertThat(plan(Nodes.class, "parts").matches(method, uri, new Object[] { "7" })).isEqualTo(matches);
	}

	@Test
	void soDoesAMethodWhoseAnnotationNamesOne() {
		MethodPlan own = plan(Nodes.class, "own");
		assertThat(own.goesElsewhere(new Object[] { 1 })).isTrue();
		assertThat(own.onlyHttpBecause(new Object[] { 1 })).contains("URL");
		assertThat(plan(OfOneHost.class, "path").goesElsewhere(new Object[0])).as("all methods go there").isFalse();
	}

	interface Nodes {

		@GetExchange("/uri")
		String uri(@Nullable URI node);

		@GetExchange("/optional")
		String optional(Optional<URI> node);

		@GetExchange("/builder")
		String builder(@RequestParam int number, @Nullable UriBuilderFactory factory);

		@GetExchange("/parameter")
		String parameter(@RequestParam URI callback);

		@GetExchange("/items/{id}/parts?all=true")
		String parts(@PathVariable String id);

		@GetExchange("/path")
		String path();

		@GetExchange("http://{host}/status")
		String own(@RequestParam int number);

	}

	@HttpExchange("http://node:8080/all")
	interface OfOneHost {

		@GetExchange("/path")
		String path();

	}

}
