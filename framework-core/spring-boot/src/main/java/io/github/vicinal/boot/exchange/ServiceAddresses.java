package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.LoadBalancerRequestTransformer;
import org.springframework.cloud.client.loadbalancer.reactive.LoadBalancerClientRequestTransformer;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpRequest;
import org.springframework.web.reactive.function.client.ClientRequest;

/**
 * Passes to exchanges the addresses of the application's own services: the instances that
 * its load balancer chooses, and the base URLs of its groups of HTTP interfaces. Changes
 * no request.
 */
final class ServiceAddresses {

	private static final String GROUPS = "spring.http.serviceclient";

	private static final int HTTP_PORT = 80;

	private ServiceAddresses() {
	}

	/** Notes the addresses of groups. */
	static void ofGroups(Environment environment, Exchanges exchanges) {
		Binder.get(environment)
			.bind(GROUPS, Bindable.mapOf(String.class, Group.class))
			.orElse(Map.of())
			.values()
			.forEach((group) -> ofGroup(group.baseUrl(), exchanges));
	}

	private static void ofGroup(@Nullable String baseUrl, Exchanges exchanges) {
		try {
			URI uri = URI.create((baseUrl != null) ? baseUrl : "");
			if (uri.getHost() != null) {
				exchanges.service(uri.getHost(), port(uri.getPort()));
			}
		}
		catch (IllegalArgumentException ex) {
			// The client of the group says what is wrong with it.
		}
	}

	private static int port(int port) {
		return (port > 0) ? port : HTTP_PORT;
	}

	private static void note(ObjectProvider<Exchanges> exchanges, @Nullable ServiceInstance instance) {
		Exchanges known = exchanges.getIfAvailable();
		if (known != null && instance != null && instance.getHost() != null && !instance.isSecure()) {
			known.service(instance.getHost(), port(instance.getPort()), metadata(instance));
		}
	}

	/** Implementations of registries may have none. */
	static Map<String, String> metadata(ServiceInstance instance) {
		Map<String, String> metadata = instance.getMetadata();
		return (metadata != null) ? metadata : Map.of();
	}

	/**
	 * Properties of a group.
	 *
	 * @param baseUrl the base URL, or {@code null}
	 */
	record Group(@Nullable String baseUrl) {
	}

	/** Sees requests of {@code RestClient} and {@code RestTemplate}. */
	static final class OfRequests implements LoadBalancerRequestTransformer {

		private final ObjectProvider<Exchanges> exchanges;

		OfRequests(ObjectProvider<Exchanges> exchanges) {
			this.exchanges = exchanges;
		}

		@Override
		public HttpRequest transformRequest(HttpRequest request, @Nullable ServiceInstance instance) {
			note(this.exchanges, instance);
			return request;
		}

	}

	/** Sees requests of {@code WebClient}. */
	static final class OfReactiveRequests implements LoadBalancerClientRequestTransformer {

		private final ObjectProvider<Exchanges> exchanges;

		OfReactiveRequests(ObjectProvider<Exchanges> exchanges) {
			this.exchanges = exchanges;
		}

		@Override
		public ClientRequest transformRequest(ClientRequest request, @Nullable ServiceInstance instance) {
			note(this.exchanges, instance);
			return request;
		}

	}

}
