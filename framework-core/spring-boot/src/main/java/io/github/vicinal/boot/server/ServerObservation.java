package io.github.vicinal.boot.server;

import java.util.function.Supplier;

import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;

import org.springframework.http.server.observation.ServerHttpObservationDocumentation;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.http.server.observation.ServerRequestObservationConvention;

import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.boot.observation.LazyScope;
import io.github.vicinal.boot.observation.LazyShortcut;
import io.github.vicinal.boot.observation.MeterShortcut;

/** Observes typed calls as {@code http.server.requests}. Thread-safe. */
public final class ServerObservation {

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

	/** What is remembered of the observations of one handler. Thread-safe. */
	static final class Memory {

		private volatile @Nullable CallSeries<ServerRequestObservationContext> series;

		/** Whether the handler has looked at the observation of a call. */
		private volatile boolean looksAtObservation;

	}

	<T> T observe(FrameRequest request, FrameResponse response, HandlerTarget target, Supplier<T> handler) {
		if (this.registry.isNoop()) {
			return handler.get();
		}
		MeterShortcut meters = this.shortcut.get();
		if (meters != null && !target.observed().looksAtObservation) {
			return record(meters, request, response, target, handler);
		}
		Observation observation = start(request, response, target);
		try (Observation.Scope scope = observation.openScope()) {
			return handler.get();
		}
		finally {
			stop(observation, request);
		}
	}

	private Observation start(FrameRequest request, FrameResponse response, HandlerTarget target) {
		return ServerHttpObservationDocumentation.HTTP_SERVLET_SERVER_REQUESTS
			.observation(null, this.convention, () -> context(request, response, target), this.registry)
			.start();
	}

	private static void stop(Observation observation, FrameRequest request) {
		Throwable unhandled = unhandled(request);
		if (unhandled != null) {
			observation.error(unhandled);
		}
		observation.stop();
	}

	/** Records the meters that the observation would have recorded. */
	private <T> T record(MeterShortcut meters, FrameRequest request, FrameResponse response, HandlerTarget target,
			Supplier<T> handler) {
		CallSeries<ServerRequestObservationContext> series = target.observed().series;
		if (series == null) {
			series = meters.series(this.convention, context(request, response, target));
			target.observed().series = series;
		}
		LongTaskTimer.Sample active = series.start(() -> context(request, response, target));
		long start = meters.now();
		LazyScope scope = new LazyScope(this.registry, () -> {
			target.observed().looksAtObservation = true;
			return start(request, response, target);
		});
		scope.makeCurrent();
		try {
			return handler.get();
		}
		finally {
			scope.close();
			Observation observation = scope.observation();
			Throwable unhandled = unhandled(request);
			if (observation != null) {
				CallSeries.stop(active);
				stop(observation, request);
			}
			else if (unhandled != null) {
				ServerRequestObservationContext context = context(request, response, target);
				context.setError(unhandled);
				series.recordFailure(active, meters.now() - start, context);
			}
			else {
				series.record(active, meters.now() - start, response.getStatus(),
						() -> context(request, response, target));
			}
		}
	}

	private static ServerRequestObservationContext context(FrameRequest request, FrameResponse response,
			HandlerTarget target) {
		ServerRequestObservationContext context = new ServerRequestObservationContext(request, response);
		context.setPathPattern(target.pattern());
		return context;
	}

	private static @Nullable Throwable unhandled(FrameRequest request) {
		return (Throwable) request.getAttribute(jakarta.servlet.RequestDispatcher.ERROR_EXCEPTION);
	}

}
