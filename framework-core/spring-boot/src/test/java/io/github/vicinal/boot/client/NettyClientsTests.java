package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.junit.jupiter.api.Test;
import reactor.netty.http.client.HttpClient;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;

import static org.assertj.core.api.Assertions.assertThat;

class NettyClientsTests {

	private static final Duration LIMIT = Duration.ofSeconds(3);

	private static ClientHttpConnector connector(UnaryOperator<HttpClient> customizer) {
		return ClientHttpConnectorBuilder.reactor()
			.withHttpClientCustomizer(customizer)
			.build(HttpClientSettings.defaults());
	}

	private static ReactorClientHttpRequestFactory factory(UnaryOperator<HttpClient> customizer) {
		return ClientHttpRequestFactoryBuilder.reactor()
			.withHttpClientCustomizer(customizer)
			.build(HttpClientSettings.defaults());
	}

	private static ClientAdditions additions(ClientHttpRequestFactory factory) {
		return ClientAdditions.of(factory, new ClientAdditions.Found(null));
	}

	private static ClientAdditions additions(ClientHttpConnector connector) {
		return ClientAdditions.ofConnector(connector, new ClientAdditions.Found(null));
	}

	@Test
	void connectorOfSpringBootAddsNothing() {
		assertThat(additions(connector((client) -> client)).unsupported()).isEmpty();
		assertThat(additions(connector((client) -> client.compress(true).responseTimeout(LIMIT))).unsupported())
			.isEmpty();
	}

	@Test
	void whatAnApplicationAddsIsNamed() {
		assertThat(additions(
				connector((client) -> client.doOnRequest((request, connection) -> request.header("X-Tenant", "a"))))
			.unsupported()).containsExactly("Reactor Netty's doOnRequest");
		assertThat(additions(connector((client) -> client.headers((headers) -> headers.add("X-Tenant", "a"))))
			.unsupported()).containsExactly("Reactor Netty's default header x-tenant");
		assertThat(additions(connector((client) -> client
			.proxy((proxy) -> proxy.type(reactor.netty.transport.ProxyProvider.Proxy.HTTP).host("localhost"))))
			.unsupported()).containsExactly("Reactor Netty's proxy");
	}

	@Test
	void blockingClientsAreInspectedAsReactiveOnes() throws UnknownLayoutException {
		assertThat(additions(factory((client) -> client.compress(true).responseTimeout(LIMIT))).unsupported())
			.isEmpty();
		assertThat(additions(
				factory((client) -> client.doOnRequest((request, connection) -> request.header("X-Tenant", "a"))))
			.unsupported()).containsExactly("Reactor Netty's doOnRequest");
		assertThat(additions(new ReactorClientHttpRequestFactory(new ReactorResourceFactory(), (client) -> client))
			.unsupported()).containsExactly("Reactor Netty's resources, which are started later");
	}

	@Test
	void blockingCallsHaveATimeoutAndKeepThatOfTheClient() throws UnknownLayoutException {
		ReactorClientHttpRequestFactory unlimited = factory((client) -> client);
		Executor executor = Runnable::run;
		unlimited.setExecutor(executor);
		ClientHttpRequestFactory limited = DefaultTimeouts.of(unlimited, null, LIMIT);
		assertThat(NettyClients.timeout(limited)).isEqualTo(LIMIT);
		assertThat(Fields.get(limited, "executor")).isSameAs(executor);
		assertThat(DefaultTimeouts.known(unlimited)).isNull();
		assertThat(DefaultTimeouts.of(unlimited, null, Duration.ZERO)).isSameAs(unlimited);
		assertThat(DefaultTimeouts.of(limited, null, Duration.ofMinutes(1))).isSameAs(limited);
		assertThat(DefaultTimeouts.known(factory((client) -> client.responseTimeout(LIMIT)))).isEqualTo(LIMIT);
		ReactorClientHttpRequestFactory later = new ReactorClientHttpRequestFactory(new ReactorResourceFactory(),
				(client) -> client);
		assertThat(DefaultTimeouts.of(later, null, LIMIT)).isSameAs(later);
	}

	@Test
	void clientThatIsMadeLaterCannotBeInspected() {
		ReactorResourceFactory notStarted = new ReactorResourceFactory();
		assertThat(additions(new ReactorClientHttpConnector(notStarted, (client) -> client)).unsupported())
			.containsExactly("Reactor Netty's resources, which are started later");
	}

	@Test
	void callsHaveATimeoutAndKeepThatOfTheClient() throws UnknownLayoutException {
		ClientHttpConnector unlimited = connector((client) -> client);
		ClientHttpConnector limited = DefaultTimeouts.of(unlimited, LIMIT);
		assertThat(NettyClients.timeout(limited)).isEqualTo(LIMIT);
		assertThat(DefaultTimeouts.known(unlimited)).isNull();
		assertThat(DefaultTimeouts.of(unlimited, Duration.ZERO)).isSameAs(unlimited);
		assertThat(DefaultTimeouts.of(limited, Duration.ofMinutes(1))).isSameAs(limited);
		assertThat(DefaultTimeouts.known(connector((client) -> client.responseTimeout(LIMIT)))).isEqualTo(LIMIT);
	}

}
