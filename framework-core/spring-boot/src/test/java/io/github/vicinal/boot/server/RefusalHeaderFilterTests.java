package io.github.vicinal.boot.server;

import io.github.vicinal.requestserver.Rejection;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/** Refusals of other servers that a reactive application passes on. */
class RefusalHeaderFilterTests {

	private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ReactiveServerAutoConfiguration.class));

	@Test
	void aRefusalThatAHandlerMetIsNotItsOwn() {
		this.application.run((context) -> {
			MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/orders"));
			context.getBean(RefusalHeaderFilter.class).filter(exchange, (downstream) -> {
				downstream.getResponse().setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
				downstream.getResponse().getHeaders().set("Retry-After", "1");
				downstream.getResponse().getHeaders().set(Rejection.HEADER.toLowerCase(), "queue-full");
				return downstream.getResponse().setComplete();
			}).block();
			assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
			assertThat(exchange.getResponse().getHeaders().headerNames()).containsExactly("Retry-After");
		});
	}

	@Test
	void nothingIsRemovedWhereVicinalIsOff() {
		for (String property : new String[] { "vicinal.enabled=false", "vicinal.server.enabled=false" }) {
			this.application.withPropertyValues(property)
				.run((context) -> assertThat(context).doesNotHaveBean(RefusalHeaderFilter.class));
		}
	}

}
