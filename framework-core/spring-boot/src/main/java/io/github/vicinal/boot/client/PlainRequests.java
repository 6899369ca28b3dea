package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * Makes the requests of HTTP clients that belong to no channel, and those of channels
 * that have nothing to ask. Thread-safe.
 */
public interface PlainRequests {

	/** Leaves requests to the client. */
	PlainRequests OF_CLIENT = new PlainRequests() {
	};

	/**
	 * Builds what makes the requests.
	 * @param builder the builder
	 * @param settings what is built
	 * @return a factory of the kind that the builder builds
	 */
	default ClientHttpRequestFactory build(ClientHttpRequestFactoryBuilder<? extends ClientHttpRequestFactory> builder,
			@Nullable HttpClientSettings settings) {
		return builder.build(settings);
	}

	/**
	 * Returns the paths that requests of a channel may take instead of HTTP.
	 * @param target where a request goes, which is a service of the application's own
	 * @return empty if they all go over HTTP
	 */
	default Collection<PathKind> paths(URI target) {
		return Set.of();
	}

	/**
	 * Creates a request.
	 * @param factory creates it otherwise
	 * @param uri where it goes
	 * @param method its method
	 * @return the request
	 * @throws IOException if it cannot be created
	 */
	default ClientHttpRequest create(Factory factory, URI uri, HttpMethod method) throws IOException {
		return factory.delegate().createRequest(uri, method);
	}

	/**
	 * A request factory and its known properties.
	 *
	 * @param delegate the factory of the HTTP library
	 * @param readTimeout how long the client waits, {@code null} if unknown
	 * @param redirects how the client follows redirects, {@code null} if it does not, or
	 * its rules are not known
	 * @param redirectsSilently whether the library follows redirects without reporting it
	 * @param additions changes that the library makes to requests
	 */
	record Factory(ClientHttpRequestFactory delegate, @Nullable Duration readTimeout, @Nullable RedirectRules redirects,
			boolean redirectsSilently, LibraryAdditions additions) {

		/**
		 * Returns the same client with a time-out.
		 * @param limited its factory
		 * @param timeout the time-out
		 */
		Factory limited(ClientHttpRequestFactory limited, Duration timeout) {
			LibraryAdditions withTimeout = this.additions.isNetty() ? new LibraryAdditions(limited) : this.additions;
			return new Factory(limited, timeout, this.redirects, this.redirectsSilently, withTimeout);
		}

		/**
		 * Returns the name of the HTTP library.
		 * @return the class of its factory
		 */
		public String library() {
			return this.delegate.getClass().getName();
		}

	}

}
