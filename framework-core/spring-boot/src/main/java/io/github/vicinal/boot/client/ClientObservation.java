package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.observation.ClientHttpObservationDocumentation;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.http.client.observation.ClientRequestObservationConvention;

import io.github.vicinal.channel.PathException;
import io.github.vicinal.peer.PathKind;
import io.github.vicinal.observation.ChannelObservationContext;
import io.github.vicinal.observation.ChannelObservationConvention;
import io.github.vicinal.observation.ChannelObservationDocumentation;

/**
 * Observes calls over typed paths as the HTTP client would have observed them, and under
 * the project's own name. Thread-safe.
 */
public final class ClientObservation {

	private final ObservationRegistry registry;

	private final ClientRequestObservationConvention httpConvention;

	private final ChannelObservationConvention channelConvention;

	/**
	 * Creates the observation of an application's calls.
	 * @param registry the registry
	 * @param httpConvention the convention of the application's HTTP clients
	 * @param channelConvention the convention of the project's own observation
	 */
	public ClientObservation(ObservationRegistry registry, ClientRequestObservationConvention httpConvention,
			ChannelObservationConvention channelConvention) {
		this.registry = registry;
		this.httpConvention = httpConvention;
		this.channelConvention = channelConvention;
	}

	Call start(String channel, PathKind path, String httpMethod, Supplier<String> uriTemplate, URI uri) {
		if (this.registry.isNoop()) {
			return Call.NOOP;
		}
		ObservedRequest request = new ObservedRequest(HttpMethod.valueOf(httpMethod), uri);
		ClientRequestObservationContext httpContext = new ClientRequestObservationContext(request);
		httpContext.setUriTemplate(uriTemplate.get());
		Observation http = ClientHttpObservationDocumentation.HTTP_CLIENT_EXCHANGES
			.observation(null, this.httpConvention, () -> httpContext, this.registry)
			.start();
		ChannelObservationContext ownContext = new ChannelObservationContext(channel, path);
		Observation own = ChannelObservationDocumentation.CALL
			.observation(null, this.channelConvention, () -> ownContext, this.registry)
			.parentObservation(http)
			.start();
		return new Call(http, httpContext, own, headers(request));
	}

	private static Map<String, String> headers(ObservedRequest request) {
		if (request.getHeaders().isEmpty()) {
			return Map.of();
		}
		Map<String, String> headers = new LinkedHashMap<>();
		request.getHeaders()
			.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
		return headers;
	}

	/** One call that is observed. */
	static final class Call {

		static final Call NOOP = new Call(Observation.NOOP, null, Observation.NOOP, Map.of());

		private final Observation http;

		private final @Nullable ClientRequestObservationContext httpContext;

		private final Observation own;

		private final Map<String, String> headers;

		private Call(Observation http, @Nullable ClientRequestObservationContext httpContext, Observation own,
				Map<String, String> headers) {
			this.http = http;
			this.httpContext = httpContext;
			this.own = own;
			this.headers = headers;
		}

		/** Returns what is to travel with the call, such as {@code traceparent}. */
		Map<String, String> headers() {
			return this.headers;
		}

		void answered(int status, @Nullable Throwable raised) {
			if (this.httpContext == null) {
				return;
			}
			this.httpContext.setResponse(new ObservedRequest.Response(status));
			this.own.stop();
			if (raised != null) {
				this.http.error(raised);
			}
			this.http.stop();
		}

		void failed(PathException failure, Throwable raised) {
			if (this.httpContext == null) {
				return;
			}
			this.own.error(failure);
			this.own.stop();
			this.http.error(raised);
			this.http.stop();
		}

	}

}
