package io.github.vicinal.boot.exchange;

import java.util.List;

import feign.Capability;
import feign.Client;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.cloud.client.loadbalancer.LoadBalancedRetryFactory;
import org.springframework.cloud.client.loadbalancer.LoadBalancerClient;
import org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory;
import org.springframework.cloud.openfeign.loadbalancer.FeignBlockingLoadBalancerClient;
import org.springframework.cloud.openfeign.loadbalancer.LoadBalancerFeignRequestTransformer;
import org.springframework.cloud.openfeign.loadbalancer.RetryableFeignBlockingLoadBalancerClient;
import org.springframework.util.ClassUtils;

/**
 * Turns requests of Feign clients into exchanges: behind retries, interceptors,
 * observations and the load balancer, in front of Feign's own client. Changes that other
 * clients make to requests are not known, so their requests go over HTTP. Thread-safe.
 * Public because Feign calls it by reflection.
 *
 * @since 0.1.0
 */
public final class FeignExchanges implements Capability {

	private static final boolean LOAD_BALANCERS = ClassUtils.isPresent(
			"org.springframework.cloud.openfeign.loadbalancer.FeignBlockingLoadBalancerClient",
			FeignExchanges.class.getClassLoader())
			&& ClassUtils.isPresent("org.springframework.cloud.loadbalancer.support.LoadBalancerClientFactory",
					FeignExchanges.class.getClassLoader());

	private static final String APACHE = "feign.hc5.ApacheHttp5Client";

	private static final Logger logger = LoggerFactory.getLogger(FeignExchanges.class);

	private final Exchanges exchanges;

	/**
	 * Creates the exchanges of an application's Feign clients.
	 * @param exchanges makes exchanges
	 */
	public FeignExchanges(Exchanges exchanges) {
		this.exchanges = exchanges;
	}

	@Override
	public Client enrich(Client client) {
		if (client.getClass() == Client.Default.class) {
			return new FeignExchangeClient(this.exchanges, client);
		}
		try {
			Client balanced = LOAD_BALANCERS ? LoadBalancers.enrich(client, this) : null;
			if (balanced != null) {
				return balanced;
			}
			if (!(client instanceof FeignExchangeClient) && !isApache(client)) {
				logger.info("Requests of {} go over HTTP: Vicinal makes exchanges of feign.Client.Default, and of "
						+ "Apache HttpClient 5 as Spring Cloud builds it", client.getClass().getName());
			}
		}
		catch (UnknownLayoutException ex) {
			logger.warn("Requests of Feign clients go over HTTP: {} cannot be inspected ({})",
					client.getClass().getName(), ex.getMessage());
		}
		return client;
	}

	/** Returns whether a client makes exchanges within Apache HttpClient. */
	private static boolean isApache(Client client) throws UnknownLayoutException {
		return client.getClass().getName().equals(APACHE) && ApacheExchanges.areIn(Fields.required(client, "client"));
	}

	/** Loaded only where Spring Cloud's load balancer is. */
	private static final class LoadBalancers {

		/**
		 * Returns the same load balancer in front of an enriched client.
		 * @return the load balancer, or {@code null} if the client is none
		 */
		static @Nullable Client enrich(Client client, FeignExchanges capability) throws UnknownLayoutException {
			if (client.getClass() == FeignBlockingLoadBalancerClient.class) {
				return new FeignBlockingLoadBalancerClient(
						capability.enrich(((FeignBlockingLoadBalancerClient) client).getDelegate()),
						(LoadBalancerClient) Fields.required(client, "loadBalancerClient"),
						(LoadBalancerClientFactory) Fields.required(client, "loadBalancerClientFactory"),
						transformers(client));
			}
			if (client.getClass() == RetryableFeignBlockingLoadBalancerClient.class) {
				return new RetryableFeignBlockingLoadBalancerClient(
						capability.enrich(((RetryableFeignBlockingLoadBalancerClient) client).getDelegate()),
						(LoadBalancerClient) Fields.required(client, "loadBalancerClient"),
						(LoadBalancedRetryFactory) Fields.required(client, "loadBalancedRetryFactory"),
						(LoadBalancerClientFactory) Fields.required(client, "loadBalancerClientFactory"),
						transformers(client));
			}
			return null;
		}

		@SuppressWarnings("unchecked")
		private static List<LoadBalancerFeignRequestTransformer> transformers(Client client)
				throws UnknownLayoutException {
			return (List<LoadBalancerFeignRequestTransformer>) Fields.required(client, "transformers");
		}

	}

}
