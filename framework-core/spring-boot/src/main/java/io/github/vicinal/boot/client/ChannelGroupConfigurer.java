package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import org.jspecify.annotations.Nullable;

import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.HttpServiceGroup;

/**
 * Gives channels to the clients of HTTP service groups: outside of the load balancer
 * (order 10), inside of the circuit breaker (order 15).
 */
final class ChannelGroupConfigurer implements RestClientHttpServiceGroupConfigurer {

	/** Between the load balancer's configurer and the circuit breaker's. */
	public static final int ORDER = 12;

	private final Supplier<ClientChannels> channels;

	private final GroupSettings settings;

	private final Supplier<Boolean> circuitBreaker;

	/**
	 * Creates the configurer.
	 * @param channels the channels
	 * @param settings what is configured of groups
	 * @param circuitBreaker whether a circuit breaker decorates the clients
	 */
	public ChannelGroupConfigurer(Supplier<ClientChannels> channels, GroupSettings settings,
			Supplier<Boolean> circuitBreaker) {
		this.channels = channels;
		this.settings = settings;
		this.circuitBreaker = circuitBreaker;
	}

	/** Configuration of groups of HTTP service clients. */
	public interface GroupSettings {

		/**
		 * Returns the base URL.
		 * @param group the group
		 * @return the base URL, or {@code null}
		 */
		@Nullable String baseUrl(String group);

		/**
		 * Returns how long clients wait for an answer.
		 * @param group the group
		 * @return the time-out, or {@code null}
		 */
		@Nullable Duration timeout(String group);

		/**
		 * Returns the chooser among the instances of a service.
		 * @return the chooser, or {@code null} if there is no load balancer
		 */
		@Nullable InstanceChooser chooser();

	}

	/** Chooses among the instances of a service. */
	public interface InstanceChooser {

		/**
		 * Returns whether there is a load balancer.
		 * @return {@code false} if nobody can choose
		 */
		boolean available();

		/**
		 * Chooses an instance.
		 * @param serviceId the service
		 * @return {@code host:port}, or {@code null} if there is none
		 */
		@Nullable String choose(String serviceId);

	}

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void configureGroups(Groups<RestClient.Builder> groups) {
		groups.forEachGroup(this::configure);
	}

	private void configure(HttpServiceGroup group, RestClient.Builder client, HttpServiceProxyFactory.Builder factory) {
		if (this.settings.chooser() == null && this.settings.baseUrl(group.name()) == null) {
			String first = this.channels.get().firstInstance(group.name());
			if (first != null) {
				client.baseUrl(first);
			}
		}
		TreeSet<String> interceptors = new TreeSet<>();
		// Asks a clone: asking adds an empty list to a builder, which makes clients
		// buffer bodies.
		client.clone().requestInterceptors((list) -> list.forEach((interceptor) -> {
			if (!isSprings(interceptor)) {
				interceptors.add(interceptor.getClass().getName());
			}
		}));
		ClientFacts facts = facts(group, List.copyOf(interceptors));
		if (!this.circuitBreaker.get()) {
			factory.httpRequestValuesProcessor(ChannelMark.of(this.channels.get().legs()));
			factory.proxyFactoryCustomizer((proxyFactory, type) -> {
				ClientChannel channel = this.channels.get().channel(type, facts);
				if (channel != null) {
					channel.client(proxyFactory);
					proxyFactory.addAdvice(0, new ChannelAdvice(channel));
				}
			});
			return;
		}
		Map<Class<?>, ClientChannel> byType = new HashMap<>();
		for (Class<?> type : group.httpServiceTypes()) {
			ClientChannel channel = this.channels.get().channel(type, facts);
			if (channel != null) {
				byType.put(type, channel);
			}
		}
		if (byType.isEmpty()) {
			return;
		}
		ChannelExchangeAdapter.Capture capture = new ChannelExchangeAdapter.Capture();
		factory.proxyFactoryCustomizer((proxyFactory, type) -> {
			ClientChannel channel = byType.get(type);
			if (channel != null) {
				channel.client(proxyFactory);
			}
			proxyFactory.addAdvice(0, capture.entry(channel));
		});
		factory.httpRequestValuesProcessor(capture);
		factory.exchangeAdapterDecorator(ChannelExchangeAdapter::new);
	}

	private static boolean isSprings(ClientHttpRequestInterceptor interceptor) {
		return interceptor.getClass().getName().startsWith("org.springframework.");
	}

	private ClientFacts facts(HttpServiceGroup group, List<String> interceptors) {
		InstanceChooser chooser = this.settings.chooser();
		String serviceId = (chooser != null) ? serviceId(group.name()) : null;
		CallTargets targets = (chooser != null && serviceId != null) ? () -> chooser.choose(serviceId)
				: CallTargets.FIXED;
		return new ClientFacts(group.name(), null, group.httpServiceTypes().size() == 1, targets, serviceId, false,
				this.settings.timeout(group.name()), interceptors);
	}

	/** The rule of Spring Cloud: no base URL, or one with the scheme {@code lb}. */
	private @Nullable String serviceId(String group) {
		String baseUrl = this.settings.baseUrl(group);
		if (baseUrl == null) {
			return group;
		}
		URI uri = URI.create(baseUrl);
		return "lb".equalsIgnoreCase(uri.getScheme()) ? uri.getHost() : null;
	}

}
