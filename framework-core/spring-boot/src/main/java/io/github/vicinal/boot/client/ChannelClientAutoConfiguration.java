package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.vicinal.boot.autoconfigure.CurrentIdentity;
import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.client.ChannelGroupConfigurer.GroupSettings;
import io.github.vicinal.boot.client.ChannelGroupConfigurer.InstanceChooser;
import io.github.vicinal.boot.observation.MeterShortcuts;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.observation.ChannelObservationConvention;
import io.github.vicinal.observation.DefaultChannelObservationConvention;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.HttpClientProperties;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientProperties;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.LoadBalancerClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.observation.ClientRequestObservationConvention;
import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClient;

/**
 * Auto-configuration of the client side: channels of HTTP interface clients.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class,
		beforeName = { "org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration",
				"org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration",
				"org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration" })
@ConditionalOnClass({ RestClient.class, ClientHttpRequestFactoryBuilder.class })
@ConditionalOnBean(Codecs.class)
@Import({ ChannelClientAutoConfiguration.LoadBalancing.class, ChannelClientAutoConfiguration.Locality.class,
		ChannelClientAutoConfiguration.Reactive.class, ChannelClientAutoConfiguration.Feign.class })
public final class ChannelClientAutoConfiguration {

	private static final String CIRCUIT_BREAKER_CONFIGURER = "org.springframework.cloud.client.circuitbreaker."
			+ "httpservice.CircuitBreakerRestClientHttpServiceGroupConfigurer";

	/** Missing in the Spring Framework of Spring Boot 4.0. */
	private static final String PROXY_FACTORY_CUSTOMIZER = "org.springframework.web.service.invoker."
			+ "HttpServiceProxyFactory$ProxyFactoryCustomizer";

	private static final String HTTP_OBSERVATION = "http.client.requests";

	private static final String HTTP_OBSERVATION_NAME = "management.observations.http.client.requests.name";

	@Bean
	HttpLegs vicinalHttpLegs(VicinalProperties properties) {
		return new HttpLegs(RouteRules.from(properties));
	}

	/** The last one: the others customize a builder of the type that they expect. */
	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	ClientHttpRequestFactoryBuilderCustomizer<ClientHttpRequestFactoryBuilder<ClientHttpRequestFactory>> vicinalRequestFactoryCustomizer(
			HttpLegs legs, VicinalProperties properties, ObjectProvider<PlainRequests> requests) {
		PlainRequests plain = requests.getIfAvailable(() -> PlainRequests.OF_CLIENT);
		return (builder) -> ChannelRequestFactories.asking(builder, legs, properties.defaultTimeout(), plain);
	}

	/** An error that is replayed through the HTTP client has been observed already. */
	@Bean
	ObservationPredicate vicinalReplayObservationPredicate(HttpLegs legs, Environment environment) {
		String name = environment.getProperty(HTTP_OBSERVATION_NAME, HTTP_OBSERVATION);
		return (observed, context) -> !name.equals(observed) || !legs.replaying(context);
	}

	@Bean
	@ConditionalOnMissingBean
	ClientObservation vicinalClientObservation(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<ClientRequestObservationConvention> httpConvention,
			ObjectProvider<ChannelObservationConvention> channelConvention, ObjectProvider<MeterShortcuts> shortcuts,
			Environment environment) {
		String name = environment.getProperty(HTTP_OBSERVATION_NAME, HTTP_OBSERVATION);
		return new ClientObservation(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				httpConvention.getIfAvailable(() -> new DefaultClientRequestObservationConvention(name)),
				channelConvention.getIfAvailable(DefaultChannelObservationConvention::new),
				() -> MeterShortcuts.find(shortcuts));
	}

	@Bean
	ClientChannels vicinalClientChannels(VicinalProperties properties, ListableBeanFactory beanFactory, HttpLegs legs,
			ClientObservation observation, ObjectProvider<PathProvider> providers,
			ObjectProvider<ChannelInterceptor> interceptors, ObjectProvider<ChannelListener> listeners,
			ObjectProvider<CallCaches> callCaches, ObjectProvider<CurrentIdentity> self, ObjectProvider<Codecs> codecs,
			Environment environment) {
		ChannelPropertyNames.verify(environment);
		Map<String, ChannelDefinition> definitions = new LinkedHashMap<>();
		properties.channels()
			.forEach((name, channel) -> definitions.put(name, new ChannelDefinition(channel.enabled(), channel.paths(),
					channel.timeout(), channel.ignoreClientInterceptors(), channel.instances(), channel.locality())));
		return new ClientChannels(definitions, properties.reconnectDelay(), properties.comparePaths(),
				properties.confirmInterval(), configuredChannels(beanFactory),
				new ClientChannels.Toolbox(() -> providers.orderedStream().toList(), legs, observation,
						() -> interceptors.orderedStream().toList(), () -> listeners.orderedStream().toList(),
						callCaches::getIfAvailable, () -> self.getObject().current(),
						environment.getProperty("spring.cloud.loadbalancer.zone"),
						() -> BalancerAdditions.find(beanFactory, environment), () -> codecs.getObject().mapper(),
						environment::resolvePlaceholders, ConnectorThreads.create(), Clock.systemUTC()));
	}

	/** Annotations on classes, which name contracts or groups. */
	private static List<AffinityChannel> configuredChannels(ListableBeanFactory beanFactory) {
		List<AffinityChannel> configured = new ArrayList<>();
		for (String name : beanFactory.getBeanNamesForAnnotation(AffinityChannel.class)) {
			Class<?> type = beanFactory.getType(name, false);
			Class<?> annotated = (type != null) ? ClassUtils.getUserClass(type) : Object.class;
			// Implementations and proxies of an annotated contract are left out.
			AffinityChannel annotation = AnnotatedElementUtils.getMergedAnnotation(annotated, AffinityChannel.class);
			if (annotation == null || annotated.isInterface()) {
				continue;
			}
			if (annotation.types().length == 0 && annotation.groups().length == 0) {
				throw new InvalidChannelException(
						"@AffinityChannel on %s has no effect: it is not a contract interface, "
							.formatted(annotated.getName()) + "and names neither types nor groups",
						"Annotate the @HttpExchange interface, or name it: @AffinityChannel(types = ...)");
			}
			configured.add(annotation);
		}
		return configured;
	}

	@Bean
	SmartInitializingSingleton vicinalChannelNamesVerifier(ObjectProvider<ClientChannels> channels,
			ObjectProvider<LaterClients> later, ListableBeanFactory beanFactory, Environment environment,
			ResourceLoader resources) {
		boolean lazy = environment.getProperty("spring.main.lazy-initialization", Boolean.class, false);
		return () -> {
			if (!lazy) {
				ClientChannels known = channels.getObject();
				Set<Class<?>> served = known.contracts();
				later.forEach((clients) -> clients.groups().forEach((type, group) -> {
					known.expect(type, group);
					served.add(type);
				}));
				known.verifyNames();
				new UnservedChannels(beanFactory, environment, resources).warn(served);
			}
		};
	}

	@Bean
	ChannelGroupConfigurer vicinalChannelGroupConfigurer(ObjectProvider<ClientChannels> channels,
			ObjectProvider<HttpServiceClientProperties> properties, ObjectProvider<HttpClientSettings> settings,
			ObjectProvider<InstanceChooser> chooser, ListableBeanFactory beanFactory, ResourceLoader resources) {
		if (!ClassUtils.isPresent(PROXY_FACTORY_CUSTOMIZER, resources.getClassLoader())) {
			throw new InvalidChannelException(
					"Channels need Spring Boot 4.1, but this application has Spring Boot "
							+ SpringBootVersion.getVersion(),
					"Use Spring Boot 4.1 or newer, or switch Vicinal off: vicinal.enabled=false");
		}
		return new ChannelGroupConfigurer(channels::getObject, new BootGroupSettings(properties, settings, chooser),
				() -> hasCircuitBreaker(beanFactory));
	}

	private static boolean hasCircuitBreaker(ListableBeanFactory beanFactory) {
		ClassLoader classLoader = ChannelClientAutoConfiguration.class.getClassLoader();
		return ClassUtils.isPresent(CIRCUIT_BREAKER_CONFIGURER, classLoader)
				&& beanFactory.getBeanNamesForType(ClassUtils.resolveClassName(CIRCUIT_BREAKER_CONFIGURER, classLoader),
						true, false).length > 0;
	}

	@Bean
	static ChannelProxyPostProcessor vicinalChannelProxyPostProcessor(ObjectProvider<ClientChannels> channels,
			ObjectProvider<HttpClientSettings> settings, ObjectProvider<InstanceChooser> chooser) {
		return new ChannelProxyPostProcessor(channels::getObject, () -> {
			HttpClientSettings known = settings.getIfAvailable();
			return (known != null) ? known.readTimeout() : null;
		}, () -> {
			InstanceChooser known = chooser.getIfAvailable();
			return known != null && known.available();
		});
	}

	/** Properties of groups from Spring Boot and Spring Cloud. */
	private record BootGroupSettings(ObjectProvider<HttpServiceClientProperties> properties,
			ObjectProvider<HttpClientSettings> settings,
			ObjectProvider<InstanceChooser> choosers) implements GroupSettings {

		private @Nullable HttpClientProperties of(String group) {
			HttpServiceClientProperties known = this.properties.getIfAvailable();
			return (known != null) ? known.get(group) : null;
		}

		@Override
		public @Nullable String baseUrl(String group) {
			HttpClientProperties known = of(group);
			return (known != null) ? known.getBaseUrl() : null;
		}

		@Override
		public @Nullable Duration timeout(String group) {
			HttpClientProperties known = of(group);
			if (known != null && known.getReadTimeout() != null) {
				return known.getReadTimeout();
			}
			HttpClientSettings common = this.settings.getIfAvailable();
			return (common != null) ? common.readTimeout() : null;
		}

		@Override
		public @Nullable InstanceChooser chooser() {
			InstanceChooser known = this.choosers.getIfAvailable();
			return (known != null && known.available()) ? known : null;
		}

	}

	/**
	 * Beans for applications that may have Spring Cloud's load balancer, whose
	 * auto-configuration comes later.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.cloud.client.loadbalancer.LoadBalancerClient")
	static class LoadBalancing {

		@Bean
		InstanceChooser vicinalInstanceChooser(ObjectProvider<LoadBalancerClient> client) {
			return new SpringCloudChooser(client);
		}

	}

	/** Beans for applications with Spring Cloud's load balancer. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.cloud.loadbalancer.core.ServiceInstanceListSupplier")
	static class Locality {

		/** For the contexts of all services; what does not belong to a channel passes. */
		@Bean
		org.springframework.cloud.loadbalancer.annotation.LoadBalancerClientSpecification vicinalLoadBalancerSpecification() {
			return new org.springframework.cloud.loadbalancer.annotation.LoadBalancerClientSpecification(
					"default.vicinal", new Class<?>[] { ServiceLocalityConfiguration.class });
		}

	}

	private record SpringCloudChooser(ObjectProvider<LoadBalancerClient> client) implements InstanceChooser {

		@Override
		public boolean available() {
			return this.client.getIfAvailable() != null;
		}

		@Override
		public @Nullable String choose(String serviceId) {
			ServiceInstance instance = this.client.getObject().choose(serviceId);
			return (instance != null) ? instance.getHost() + ":" + instance.getPort() : null;
		}

	}

	/** Beans for applications with Spring Cloud OpenFeign. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = { "feign.Capability", "org.springframework.cloud.openfeign.FeignBuilderCustomizer" })
	static class Feign {

		@Bean
		org.springframework.cloud.openfeign.FeignBuilderCustomizer vicinalFeignBuilderCustomizer(
				ObjectProvider<ClientChannels> channels, HttpLegs legs, ObjectProvider<PlainRequests> requests,
				ObjectProvider<InstanceChooser> chooser, Environment environment) {
			FeignChannels capability = new FeignChannels(channels::getObject, legs,
					() -> requests.getIfAvailable(() -> PlainRequests.OF_CLIENT), chooser::getIfAvailable,
					environment::resolvePlaceholders);
			return (builder) -> builder.addCapability(capability);
		}

		/** Beans for Feign clients on Apache HttpClient 5. */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(name = { "feign.hc5.ApacheHttp5Client",
				"org.springframework.cloud.openfeign.clientconfig.HttpClient5FeignConfiguration" })
		static class Apache {

			@Bean
			@Order(Ordered.HIGHEST_PRECEDENCE)
			FeignApacheChannels vicinalFeignApacheChannels(HttpLegs legs, ObjectProvider<PlainRequests> requests) {
				return new FeignApacheChannels(legs, () -> requests.getIfAvailable(() -> PlainRequests.OF_CLIENT));
			}

		}

		@Bean
		LaterClients vicinalFeignClients(ListableBeanFactory beanFactory, Environment environment) {
			return () -> FeignChannels.declared(beanFactory, environment::resolvePlaceholders);
		}

	}

	/** Beans for applications with {@code WebClient}. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(
			name = { "org.springframework.web.reactive.function.client.WebClient", "reactor.core.publisher.Mono" })
	static class Reactive {

		@Bean
		org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer<org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder<org.springframework.http.client.reactive.ClientHttpConnector>> vicinalConnectorCustomizer(
				VicinalProperties properties, ObjectProvider<PlainConnector> connectors) {
			PlainConnector plain = connectors.getIfAvailable();
			return (builder) -> ChannelRequestFactories.reporting(builder, properties.defaultTimeout(), plain);
		}

		@Bean
		static org.springframework.beans.factory.config.BeanPostProcessor vicinalWebClientPostProcessor(
				ObjectProvider<HttpLegs> legs, ObjectProvider<PlainConnector> connectors) {
			return new WebClientPostProcessor(legs::getObject, exchanges(connectors));
		}

		@Bean
		org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer vicinalWebClientGroups(
				ObjectProvider<ClientChannels> channels, ObjectProvider<HttpServiceClientProperties> properties,
				ObjectProvider<HttpClientSettings> settings, ObjectProvider<InstanceChooser> chooser,
				ObjectProvider<PlainConnector> connectors) {
			return new ChannelWebClientGroups(channels::getObject, new BootGroupSettings(properties, settings, chooser),
					exchanges(connectors));
		}

		private static Function<URI, Collection<PathKind>> exchanges(ObjectProvider<PlainConnector> connectors) {
			return (target) -> {
				PlainConnector plain = connectors.getIfAvailable();
				return (plain != null) ? plain.paths(target) : Set.of();
			};
		}

	}

}
