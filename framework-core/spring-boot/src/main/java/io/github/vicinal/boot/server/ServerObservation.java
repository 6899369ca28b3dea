package io.github.vicinal.boot.server;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.observation.ServerHttpObservationDocumentation;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.http.server.observation.ServerRequestObservationConvention;

/** Observes typed calls as {@code http.server.requests}. Thread-safe. */
public final class ServerObservation {

	private final ObservationRegistry registry;

	private final ServerRequestObservationConvention convention;

	/**
	 * Creates the observation of an application's handlers.
	 * @param registry the registry
	 * @param convention the convention of the application's HTTP server
	 */
	public ServerObservation(ObservationRegistry registry, ServerRequestObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	<T> T observe(FrameRequest request, FrameResponse response, String pattern, Supplier<T> handler) {
		if (this.registry.isNoop()) {
			return handler.get();
		}
		ServerRequestObservationContext context = new ServerRequestObservationContext(request, response);
		context.setPathPattern(pattern);
		Observation observation = ServerHttpObservationDocumentation.HTTP_SERVLET_SERVER_REQUESTS
			.observation(null, this.convention, () -> context, this.registry)
			.start();
		try (Observation.Scope scope = observation.openScope()) {
			return handler.get();
		}
		finally {
			Throwable unhandled = unhandled(request);
			if (unhandled != null) {
				observation.error(unhandled);
			}
			observation.stop();
		}
	}

	private static @Nullable Throwable unhandled(FrameRequest request) {
		return (Throwable) request.getAttribute(jakarta.servlet.RequestDispatcher.ERROR_EXCEPTION);
	}

}
