package io.github.vicinal.boot.exchange;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.ExecutorService;

import io.github.vicinal.boot.autoconfigure.PathIds;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.client.ConnectorThreads;
import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.client.PlainRequests;
import io.github.vicinal.boot.client.RouteRules;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.cloud.client.loadbalancer.LoadBalancerRequestTransformer;
import org.springframework.cloud.client.loadbalancer.reactive.LoadBalancerClientRequestTransformer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.client.RestClient;

/**
 * Auto-configuration of HTTP exchanges of clients: requests that belong to no channel.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass({ RestClient.class, ClientHttpRequestFactoryBuilder.class })
@ConditionalOnBean(Codecs.class)
@ConditionalOnBooleanProperty(name = "vicinal.http-exchanges.enabled", matchIfMissing = true)
@Import({ HttpExchangesAutoConfiguration.Meters.class, HttpExchangesAutoConfiguration.LoadBalancing.class,
		HttpExchangesAutoConfiguration.Reactive.class, HttpExchangesAutoConfiguration.ReactiveLoadBalancing.class })
public final class HttpExchangesAutoConfiguration {

	/** The name of the channel of exchanges in reports and meters. */
	private static final String EXCHANGES = "http-exchanges";

	/** The channel is made with the first request to a server that may be asked. */
	@Bean
	@ConditionalOnMissingBean
	Exchanges vicinalExchanges(VicinalProperties properties, ObjectProvider<PathProvider> providers,
			Environment environment) {
		VicinalProperties.HttpExchanges configured = properties.httpExchanges();
		ExecutorService connector = ConnectorThreads.create();
		Exchanges exchanges = new Exchanges(configured.peers(), new OwnPort(environment), () -> {
			List<PathProvider> all = providers.orderedStream().toList();
			ChannelSettings settings = new ChannelSettings(EXCHANGES, paths(configured, all), null,
					properties.reconnectDelay(), false, properties.confirmInterval());
			return new ExchangeClient(
					new Channel(settings, HttpExchanges.contract(), all, connector, Clock.systemUTC()));
		}, connector, RouteRules.from(properties));
		ServiceAddresses.ofGroups(environment, exchanges);
		return exchanges;
	}

	private static List<PathKind> paths(VicinalProperties.HttpExchanges configured, List<PathProvider> providers) {
		List<PathKind> provided = providers.stream().map(PathProvider::kind).sorted().toList();
		return configured.paths().isEmpty() ? provided
				: PathIds.kinds(configured.paths(), provided, "vicinal.http-exchanges.paths");
	}

	@Bean
	@ConditionalOnMissingBean
	PlainRequests vicinalPlainRequests(Exchanges exchanges) {
		return new ExchangeRequests(exchanges);
	}

	/** A name that is wrong fails the start, not the first request. */
	@Bean
	SmartInitializingSingleton vicinalExchangesCheck(VicinalProperties properties,
			ObjectProvider<PathProvider> providers) {
		return () -> {
			AskedPeers.verify(properties.httpExchanges().peers());
			if (!properties.httpExchanges().paths().isEmpty()) {
				paths(properties.httpExchanges(), providers.orderedStream().toList());
			}
		};
	}

	/** Beans for applications with meters. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
	static class Meters {

		@Bean
		@ConditionalOnMissingBean
		ExchangeMetrics vicinalExchangeMetrics(Exchanges exchanges) {
			return new ExchangeMetrics(exchanges.counts());
		}

	}

	/**
	 * Beans for applications that may have Spring Cloud's load balancer, whose
	 * auto-configuration comes later.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.cloud.client.loadbalancer.LoadBalancerRequestTransformer")
	static class LoadBalancing {

		@Bean
		LoadBalancerRequestTransformer vicinalServiceAddresses(ObjectProvider<Exchanges> exchanges) {
			return new ServiceAddresses.OfRequests(exchanges);
		}

	}

	/** Beans for applications with {@code WebClient}. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(
			name = { "org.springframework.web.reactive.function.client.WebClient", "reactor.core.publisher.Mono" })
	static class Reactive {

		@Bean
		@ConditionalOnMissingBean
		PlainConnector vicinalPlainConnector(Exchanges exchanges) {
			return new ExchangeConnectors(exchanges);
		}

	}

	/**
	 * Beans for applications that may have {@code WebClient} and Spring Cloud's load
	 * balancer.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(
			name = { "org.springframework.cloud.client.loadbalancer.reactive.LoadBalancerClientRequestTransformer",
					"org.springframework.web.reactive.function.client.WebClient", "reactor.core.publisher.Mono" })
	static class ReactiveLoadBalancing {

		@Bean
		LoadBalancerClientRequestTransformer vicinalReactiveServiceAddresses(ObjectProvider<Exchanges> exchanges) {
			return new ServiceAddresses.OfReactiveRequests(exchanges);
		}

	}

}
