package io.github.vicinal.boot.client;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import feign.Client;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.client.loadbalancer.LoadBalancedRetryFactory;
import org.springframework.cloud.client.loadbalancer.LoadBalancerClient;
import org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory;
import org.springframework.cloud.openfeign.loadbalancer.FeignBlockingLoadBalancerClient;
import org.springframework.cloud.openfeign.loadbalancer.LoadBalancerFeignRequestTransformer;
import org.springframework.cloud.openfeign.loadbalancer.RetryableFeignBlockingLoadBalancerClient;
import org.springframework.util.ClassUtils;

/** Spring Cloud's load balancers of Feign clients. */
public final class FeignBalancers {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.cloud.openfeign.loadbalancer.FeignBlockingLoadBalancerClient",
			FeignBalancers.class.getClassLoader())
			&& ClassUtils.isPresent("org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory",
					FeignBalancers.class.getClassLoader());

	private static final String FORWARDED_TRANSFORMER = "org.springframework.cloud.openfeign.loadbalancer."
			+ "XForwardedHeadersTransformer";

	private FeignBalancers() {
	}

	/**
	 * Returns the same load balancer in front of another client.
	 * @param client a client
	 * @param inner returns what is to be in place of the client that the load balancer
	 * has
	 * @return the load balancer, {@code null} if the client is none
	 * @throws UnknownLayoutException if it cannot be looked into
	 */
	public static @Nullable Client within(Client client, UnaryOperator<Client> inner) throws UnknownLayoutException {
		return PRESENT ? Balancers.within(client, inner) : null;
	}

	/** Returns the client in a load balancer, {@code null} if a client is none. */
	static @Nullable Client inner(Client client) {
		return PRESENT ? Balancers.inner(client) : null;
	}

	/** Notes what a load balancer adds to requests, and how it chooses. */
	static void inspect(Client client, String serviceId, ClientAdditions.Found found) throws UnknownLayoutException {
		found.balanced();
		for (Object transformer : (List<?>) Fields.required(client, "transformers")) {
			if (!transformer.getClass().getName().equals(FORWARDED_TRANSFORMER)) {
				found.unsupported("request transformer " + transformer.getClass().getName());
			}
		}
		if (!Balancers.hints(client, serviceId).isEmpty()) {
			found.unsupported("hint of the load balancer");
		}
	}

	/** Loaded only where Spring Cloud's load balancer is. */
	private static final class Balancers {

		static @Nullable Client inner(Client client) {
			if (client.getClass() == FeignBlockingLoadBalancerClient.class) {
				return ((FeignBlockingLoadBalancerClient) client).getDelegate();
			}
			return (client.getClass() == RetryableFeignBlockingLoadBalancerClient.class)
					? ((RetryableFeignBlockingLoadBalancerClient) client).getDelegate() : null;
		}

		static @Nullable Client within(Client client, UnaryOperator<Client> inner) throws UnknownLayoutException {
			Client delegate = inner(client);
			if (delegate == null) {
				return null;
			}
			LoadBalancerClient balancer = (LoadBalancerClient) Fields.required(client, "loadBalancerClient");
			if (client.getClass() == FeignBlockingLoadBalancerClient.class) {
				return new FeignBlockingLoadBalancerClient(inner.apply(delegate), balancer, factory(client),
						transformers(client));
			}
			return new RetryableFeignBlockingLoadBalancerClient(inner.apply(delegate), balancer,
					(LoadBalancedRetryFactory) Fields.required(client, "loadBalancedRetryFactory"), factory(client),
					transformers(client));
		}

		static Map<String, String> hints(Client client, String serviceId) throws UnknownLayoutException {
			return factory(client).getProperties(serviceId).getHint();
		}

		private static LoadBalancerClientFactory factory(Client client) throws UnknownLayoutException {
			return (LoadBalancerClientFactory) Fields.required(client, "loadBalancerClientFactory");
		}

		@SuppressWarnings("unchecked")
		private static List<LoadBalancerFeignRequestTransformer> transformers(Client client)
				throws UnknownLayoutException {
			return (List<LoadBalancerFeignRequestTransformer>) Fields.required(client, "transformers");
		}

	}

}
