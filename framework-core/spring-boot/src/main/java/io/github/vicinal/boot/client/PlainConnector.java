package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Collection;
import java.util.Set;

import io.github.vicinal.path.PathKind;

import org.springframework.http.client.reactive.ClientHttpConnector;

/**
 * Makes the requests of reactive clients that belong to no channel, and those of channels
 * that have nothing to ask. Loaded only where Reactor is. Thread-safe.
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
	 * Returns the paths that requests of a channel may take instead of HTTP.
	 * @param target where a request goes, which is a service of the application's own
	 * @return empty if they all go over HTTP
	 */
	default Collection<PathKind> paths(URI target) {
		return Set.of();
	}

	/**
	 * A connector and its known properties.
	 *
	 * @param delegate the connector of the HTTP library
	 * @param additions changes that the library makes to requests
	 */
	record Library(ClientHttpConnector delegate, LibraryAdditions additions) {
	}

}
