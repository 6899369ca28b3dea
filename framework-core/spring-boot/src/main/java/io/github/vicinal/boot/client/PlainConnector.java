package io.github.vicinal.boot.client;

import org.springframework.http.client.reactive.ClientHttpConnector;

/**
 * Makes the requests of reactive clients that belong to no channel. Loaded only where
 * Reactor is. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PlainConnector {

	/**
	 * Wraps a connector.
	 * @param library what is known of the connector
	 * @return what makes the requests: the connector itself, or one in front of it
	 */
	ClientHttpConnector of(Library library);

	/**
	 * A connector and its known properties.
	 *
	 * @param delegate the connector of the HTTP library
	 * @param additions changes that the library makes to requests
	 */
	record Library(ClientHttpConnector delegate, LibraryAdditions additions) {
	}

}
