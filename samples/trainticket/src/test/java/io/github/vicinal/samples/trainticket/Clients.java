package io.github.vicinal.samples.trainticket;

import java.net.URI;

import io.github.vicinal.samples.trainticket.gateway.GatewayApi;

import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Clients for tests.
 */
final class Clients {

	private Clients() {
	}

	static GatewayApi gateway(URI address) {
		RestClient client = RestClient.builder().baseUrl(address).build();
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
			.build()
			.createClient(GatewayApi.class);
	}

}
