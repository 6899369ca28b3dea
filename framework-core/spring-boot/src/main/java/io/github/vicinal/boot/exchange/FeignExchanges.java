package io.github.vicinal.boot.exchange;

import feign.Capability;
import feign.Client;
import io.github.vicinal.boot.client.FeignBalancers;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns requests of Feign clients into exchanges: behind retries, interceptors,
 * observations and the load balancer, in front of Feign's own client. Changes that other
 * clients make to requests are not known, so their requests go over HTTP. Thread-safe.
 * Public because Feign calls it by reflection.
 *
 * @since 0.1.0
 */
public final class FeignExchanges implements Capability {

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
			Client balanced = FeignBalancers.within(client, this::enrich);
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

}
