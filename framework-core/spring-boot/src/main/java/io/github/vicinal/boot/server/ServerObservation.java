package io.github.vicinal.boot.server;

import java.util.function.Supplier;

import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.boot.observation.LazyShortcut;
import io.github.vicinal.boot.observation.MeterShortcut;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.ServletException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerHttpObservationDocumentation;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.http.server.observation.ServerRequestObservationConvention;

/** Observes typed calls as {@code http.server.requests}. Thread-safe. */
final class ServerObservation {

	private final ObservationRegistry registry;

	private final ServerRequestObservationConvention convention;

	private final LazyShortcut shortcut;

	/**
	 * Creates the observation of an application's handlers.
	 * @param registry the registry
	 * @param convention the convention of the application's HTTP server
	 * @param shortcut finds the shortcut to the registry's meters when the first call
	 * comes; {@code null} if there is none
	 */
	public ServerObservation(ObservationRegistry registry, ServerRequestObservationConvention convention,
			Supplier<@Nullable MeterShortcut> shortcut) {
		this.registry = registry;
		this.convention = convention;
		boolean standard = convention.getClass() == DefaultServerRequestObservationConvention.class;
		this.shortcut = standard ? new LazyShortcut(shortcut) : new LazyShortcut(() -> null);
	}

	<T> T observe(FrameRequest request, FrameResponse response, HandlerTarget target, Supplier<T> handler) {
		if (this.registry.isNoop()) {
			return handler.get();
		}
		MeterShortcut meters = this.shortcut.get();
		if (meters != null) {
			return record(meters, request, response, target, handler);
		}
		ServerRequestObservationContext context = context(request, response, target);
		request.observed(context);
		Observation observation = create(context).start();
		try (Observation.Scope scope = observation.openScope()) {
			return handler.get();
		}
		finally {
			stop(observation, request);
		}
	}

	private Observation create(ServerRequestObservationContext context) {
		return ServerHttpObservationDocumentation.HTTP_SERVLET_SERVER_REQUESTS.observation(null, this.convention,
				() -> context, this.registry);
	}

	private static void stop(Observation observation, FrameRequest request) {
		Throwable unhandled = unhandled(request);
		if (unhandled != null) {
			observation.error(unhandled);
		}
		observation.stop();
	}

	/**
	 * Records the meters that the observation would have recorded. The observation itself
	 * is current while the handler runs, but is neither started nor stopped.
	 */
	private <T> T record(MeterShortcut meters, FrameRequest request, FrameResponse response, HandlerTarget target,
			Supplier<T> handler) {
		ServerRequestObservationContext context = context(request, response, target);
		request.observed(context);
		CallSeries<ServerRequestObservationContext> series = target.series();
		if (series == null) {
			series = meters.series(this.convention, context);
			target.series(series);
		}
		Observation observation = create(context);
		LongTaskTimer.Sample active = series.start(() -> context(request, response, target));
		long start = meters.now();
		try (Observation.Scope scope = observation.openScope()) {
			return handler.get();
		}
		finally {
			long nanos = meters.now() - start;
			Throwable unhandled = unhandled(request);
			if (unhandled != null) {
				context.setError(unhandled);
			}
			if (context.getError() != null || context.getLowCardinalityKeyValues().iterator().hasNext()
					|| !target.request().pattern().equals(context.getPathPattern())) {
				// The handler changed something: this call has tags of its own.
				series.recordWith(active, nanos, context);
			}
			else {
				series.record(active, nanos, response.getStatus(), () -> context);
			}
		}
	}

	private static ServerRequestObservationContext context(FrameRequest request, FrameResponse response,
			HandlerTarget target) {
		ServerRequestObservationContext context = new ServerRequestObservationContext(request, response);
		context.setPathPattern(target.request().pattern());
		return context;
	}

	private static @Nullable Throwable unhandled(FrameRequest request) {
		Object thrown = request.getAttribute(jakarta.servlet.RequestDispatcher.ERROR_EXCEPTION);
		return (thrown instanceof ServletException wrapper && wrapper.getCause() != null) ? wrapper.getCause()
				: (Throwable) thrown;
	}

}
