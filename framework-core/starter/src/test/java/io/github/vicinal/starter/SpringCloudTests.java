package io.github.vicinal.starter;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.ReplicaReport;
import io.github.vicinal.report.ChannelReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientBuilderConfigurer;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;
import org.springframework.cloud.client.loadbalancer.LoadBalanced;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Load balancer and circuit breaker keep working on typed paths. */
@Timeout(60)
class SpringCloudTests {

	private static final int CALLS = 200;

	@Test
	void withoutLocalityCallsStayBalancedOverTheInstancesOfAService() {
		try (ConfigurableApplicationContext first = service("first");
				ConfigurableApplicationContext second = service("second");
				ConfigurableApplicationContext client = Applications.start(Client.class,
						"spring.cloud.discovery.client.simple.instances.quotes[0].uri=" + Applications.url(first),
						"spring.cloud.discovery.client.simple.instances.quotes[1].uri=" + Applications.url(second),
						"vicinal.channels.quotes.locality=false")) {
			Applications.awaitPath(client, 2, "direct");
			Quotes quotes = client.getBean(Quotes.class);
			int byFirst = 0;
			for (int i = 0; i < CALLS; i++) {
				byFirst += quotes.quote("A").servedBy().equals("first") ? 1 : 0;
			}
			assertThat(byFirst).isBetween(CALLS / 3, CALLS * 2 / 3);
		}
	}

	@Test
	void theNearestInstanceOfAServiceIsPreferredOnTypedPathsAndOverHttp() {
		try (ConfigurableApplicationContext far = Applications.start(Service.class, "service.name=far",
				"vicinal.server.enabled=false");
				ConfigurableApplicationContext near = service("near");
				ConfigurableApplicationContext client = Applications.start(Client.class,
						"spring.cloud.discovery.client.simple.instances.quotes[0].uri=" + Applications.url(far),
						"spring.cloud.discovery.client.simple.instances.quotes[1].uri=" + Applications.url(near))) {
			Quotes quotes = client.getBean(Quotes.class);
			await().untilAsserted(() -> {
				quotes.quote("A");
				assertThat(Applications.channel(client).replicas()).extracting(ReplicaReport::locality)
					.containsExactly(Locality.JVM, Locality.HOST);
			});
			int byNear = 0;
			for (int i = 0; i < CALLS; i++) {
				byNear += quotes.quote("A").servedBy().equals("near") ? 1 : 0;
			}
			assertThat(byNear).isGreaterThan(CALLS * 8 / 10);
			long counted = Applications.channel(client).replicas().stream().mapToLong(ReplicaReport::calls).sum();
			long made = Applications.channel(client)
				.peers()
				.stream()
				.flatMap((peer) -> peer.paths().stream())
				.mapToLong(ChannelReport.PathReport::calls)
				.sum();
			assertThat(made).as("each call went where it was chosen to go").isEqualTo(counted);
			for (ReplicaReport replica : Applications.channel(client).replicas()) {
				long ofPeer = Applications.channel(client)
					.peers()
					.stream()
					.filter((peer) -> peer.address().equals(replica.address()))
					.flatMap((peer) -> peer.paths().stream())
					.mapToLong(ChannelReport.PathReport::calls)
					.sum();
				assertThat(ofPeer).as(replica.address()).isEqualTo(replica.calls());
			}
		}
	}

	@Test
	void callsStayWithinTheCircuitBreaker() {
		try (ConfigurableApplicationContext service = service("only");
				ConfigurableApplicationContext client = Applications.start(BreakerClient.class,
						"spring.http.serviceclient.quotes.base-url=" + Applications.url(service))) {
			Applications.awaitPath(client, 1, "direct");
			CountingBreakers breakers = client.getBean(CountingBreakers.class);
			int before = breakers.calls.get();
			assertThat(client.getBean(Quotes.class).quote("A").servedBy()).isEqualTo("only");
			assertThat(breakers.calls.get() - before).isEqualTo(1);
			ChannelReport.PathReport direct = Applications.channel(client).peers().get(0).paths().get(0);
			assertThat(direct.path()).isEqualTo("direct");
			assertThat(direct.calls()).isPositive();
		}
	}

	@Test
	void withinTheCircuitBreakerAMethodThatContractsInheritGoesToTheOneThatIsCalled() {
		try (ConfigurableApplicationContext service = Applications.start(NameService.class);
				ConfigurableApplicationContext client = Applications.start(NameClient.class,
						"spring.http.serviceclient.names.base-url=" + Applications.url(service))) {
			Named first = client.getBean(First.class);
			Named second = client.getBean(Second.class);
			Named third = client.getBean(Third.class);
			await().untilAsserted(() -> {
				assertThat(first.name() + " " + second.name() + " " + third.name()).isEqualTo("first second third");
				// The third contract has no channel: its requests are exchanges.
				assertThat(client.getBean(ChannelsEndpoint.class).channels().channels()).hasSize(3)
					.allSatisfy((channel) -> assertThat(channel.peers().get(0).path()).isEqualTo("direct"));
			});
			assertThat(first.name() + " " + second.name() + " " + third.name()).isEqualTo("first second third");
		}
	}

	@Test
	void aClientMadeByHandMeetsTheInstancesBehindTheLoadBalancer() {
		try (ConfigurableApplicationContext first = service("first");
				ConfigurableApplicationContext second = service("second");
				ConfigurableApplicationContext client = Applications.start(BalancedByHand.class,
						"spring.cloud.discovery.client.simple.instances.quotes[0].uri=" + Applications.url(first),
						"spring.cloud.discovery.client.simple.instances.quotes[1].uri=" + Applications.url(second))) {
			Quotes quotes = client.getBean(Quotes.class);
			await().untilAsserted(() -> {
				// One of 64 looks for others, so that of these some do.
				for (int i = 0; i < 500; i++) {
					quotes.quote("A");
				}
				assertThat(handMade(client).peers()).hasSize(2);
			});
		}
	}

	@Test
	void aClientMadeByHandWithAFixedUrlLooksForNoOthers() {
		try (ConfigurableApplicationContext service = service("only");
				ConfigurableApplicationContext client = Applications.start(FixedByHand.class,
						"quotes.url=" + Applications.url(service))) {
			Quotes quotes = client.getBean(Quotes.class);
			await().untilAsserted(() -> {
				quotes.quote("A");
				assertThat(handMade(client).peers().get(0).path()).isEqualTo("direct");
			});
			client.getBean(CallsByHttp.class).count.set(0);
			for (int i = 0; i < 10 * CALLS; i++) {
				quotes.quote("A");
			}
			assertThat(client.getBean(CallsByHttp.class).count).hasValue(0);
		}
	}

	private static ChannelReport handMade(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channels().channels().get(0);
	}

	private static ConfigurableApplicationContext service(String name) {
		return Applications.start(Service.class, "service.name=" + name);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	@ImportHttpServices(group = "quotes", types = Quotes.class)
	static class Client {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Client.class, CountingBreakers.class })
	static class BreakerClient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	@Import(Controller.class)
	static class Service {

	}

	@RestController
	static class Controller implements Quotes {

		private final String name;

		Controller(@Value("${service.name}") String name) {
			this.name = name;
		}

		@Override
		public Quote quote(String symbol) {
			return new Quote(symbol, 1, this.name);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	static class FixedByHand {

		@Bean
		Quotes quotes(RestClient.Builder builder, @Value("${quotes.url}") String url) {
			return proxy(builder.baseUrl(url).build());
		}

		@Bean
		CallsByHttp callsByHttp() {
			return new CallsByHttp();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	static class BalancedByHand {

		@Bean
		@LoadBalanced
		RestClient.Builder balanced(RestClientBuilderConfigurer configurer) {
			return configurer.configure(RestClient.builder());
		}

		@Bean
		Quotes quotes(RestClient.Builder builder) {
			return proxy(builder.baseUrl("http://quotes").build());
		}

	}

	private static Quotes proxy(RestClient client) {
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client)).build().createClient(Quotes.class);
	}

	/** Counts the calls that leave by HTTP. */
	static class CallsByHttp implements ChannelListener {

		final AtomicInteger count = new AtomicInteger();

		@Override
		public void calling(Channel channel, ContractMethod method, PathKind path, String reason) {
			if (path == PathKind.HTTP) {
				this.count.incrementAndGet();
			}
		}

	}

	interface Named {

		@PostExchange("/name")
		String name();

	}

	@AffinityChannel
	@HttpExchange("/first")
	interface First extends Named {

	}

	@AffinityChannel
	@HttpExchange("/second")
	interface Second extends Named {

	}

	/** Has no channel. */
	@HttpExchange("/third")
	interface Third extends Named {

	}

	@RestController
	static class FirstController implements First {

		@Override
		public String name() {
			return "first";
		}

	}

	@RestController
	static class SecondController implements Second {

		@Override
		public String name() {
			return "second";
		}

	}

	@RestController
	static class ThirdController implements Third {

		@Override
		public String name() {
			return "third";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	@Import({ FirstController.class, SecondController.class, ThirdController.class })
	static class NameService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = {
			"org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
			"org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration" })
	@ImportHttpServices(group = "names", types = { First.class, Second.class, Third.class })
	@Import(CountingBreakers.class)
	static class NameClient {

	}

	/** Breakers that never open, and count. */
	static class CountingBreakers extends CircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		final AtomicInteger calls = new AtomicInteger();

		@Override
		public CircuitBreaker create(String id) {
			return new CircuitBreaker() {
				@Override
				public <T> T run(Supplier<T> toRun, Function<Throwable, T> fallback) {
					CountingBreakers.this.calls.incrementAndGet();
					try {
						return toRun.get();
					}
					catch (Throwable ex) {
						return fallback.apply(ex);
					}
				}
			};
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			return Object::new;
		}

		@Override
		public void configureDefault(Function<String, Object> defaultConfiguration) {
		}

	}

}
