package io.github.vicinal.boot.exchange;

import java.util.Map;

import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.Applications;
import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.ClientApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import org.springframework.cloud.client.loadbalancer.LoadBalancerInterceptor;
import org.springframework.cloud.client.loadbalancer.reactive.ReactorLoadBalancerExchangeFilterFunction;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Services of the application's own are asked on private networks without being named.
 */
@Timeout(120)
class ServiceAddressesTests {

	@RegisterExtension
	final Applications applications = new Applications();

	@Test
	void instancesOfTheLoadBalancerAreServices() {
		ConfigurableApplicationContext client = start(Map.of("spring.cloud.loadbalancer.enabled", "true",
				"spring.cloud.discovery.client.simple.instances.a[0].uri", "http://10.255.255.254:9999",
				"spring.cloud.discovery.client.simple.instances.b[0].uri", "http://10.255.255.253:9999"));
		Exchanges exchanges = client.getBean(Exchanges.class);
		assertThat(exchanges.mayAsk("http", "10.255.255.254", 9999)).isFalse();
		RestClient.builder()
			.requestInterceptor(client.getBean(LoadBalancerInterceptor.class))
			.requestInterceptor((request, body, next) -> new MockClientHttpResponse(new byte[0], HttpStatus.OK))
			.build()
			.get()
			.uri("http://a/text")
			.retrieve()
			.toBodilessEntity();
		assertThat(exchanges.mayAsk("http", "10.255.255.254", 9999)).isTrue();
		assertThat(exchanges.mayAsk("https", "10.255.255.254", 9999)).isFalse();
		assertThat(exchanges.mayAsk("http", "10.255.255.253", 9999)).isFalse();
		WebClient.builder()
			.filter(client.getBean(ReactorLoadBalancerExchangeFilterFunction.class))
			.filter((request, next) -> Mono.just(ClientResponse.create(HttpStatus.OK).build()))
			.build()
			.get()
			.uri("http://b/text")
			.retrieve()
			.toBodilessEntity()
			.block();
		assertThat(exchanges.mayAsk("http", "10.255.255.253", 9999)).isTrue();
	}

	@Test
	void baseUrlsOfGroupsAreServices() {
		Exchanges exchanges = start(Map.of("spring.http.serviceclient.shop.base-url", "http://10.255.255.254:8081/api",
				"spring.http.serviceclient.other.base-url", "http://8.8.8.8", "spring.http.serviceclient.odd.base-url",
				"http://{name}"))
			.getBean(Exchanges.class);
		assertThat(exchanges.mayAsk("http", "10.255.255.254", 8081)).isTrue();
		assertThat(exchanges.mayAsk("http", "10.255.255.254", 8082)).isFalse();
		assertThat(exchanges.mayAsk("http", "8.8.8.8", 80)).isFalse();
	}

	private ConfigurableApplicationContext start(Map<String, Object> properties) {
		Map<String, Object> all = new java.util.HashMap<>(properties);
		all.put("spring.main.web-application-type", "none");
		return this.applications.start(ClientApplication.class, all);
	}

}
