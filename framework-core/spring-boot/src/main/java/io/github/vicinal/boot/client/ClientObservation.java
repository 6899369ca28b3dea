package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.boot.observation.LazyShortcut;
import io.github.vicinal.boot.observation.MeterShortcut;
import io.github.vicinal.observation.ChannelObservationContext;
import io.github.vicinal.observation.ChannelObservationConvention;
import io.github.vicinal.observation.ChannelObservationDocumentation;
import io.github.vicinal.observation.DefaultChannelObservationConvention;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.observation.ClientHttpObservationDocumentation;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.http.client.observation.ClientRequestObservationConvention;
import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;

/**
 * Observes calls over typed paths as the HTTP client would have observed them, and under
 * the project's own name. Thread-safe.
 */
final class ClientObservation {

	/** The observation of a WebClient has the same tags. */
	private static final Set<String> STANDARD_CONVENTIONS = Set.of(
			DefaultClientRequestObservationConvention.class.getName(),
			"org.springframework.web.reactive.function.client.DefaultClientRequestObservationConvention");

	private final ObservationRegistry registry;

	private final ClientRequestObservationConvention httpConvention;

	private final ChannelObservationConvention channelConvention;

	private final LazyShortcut shortcut;

	/**
	 * Creates the observation of an application's calls.
	 * @param registry the registry
	 * @param httpConvention the convention of the application's HTTP clients
	 * @param channelConvention the convention of the project's own observation
	 * @param shortcut finds the shortcut to the registry's meters when the first call is
	 * made; {@code null} if there is none
	 */
	public ClientObservation(ObservationRegistry registry, ClientRequestObservationConvention httpConvention,
			ChannelObservationConvention channelConvention, Supplier<@Nullable MeterShortcut> shortcut) {
		this.registry = registry;
		this.httpConvention = httpConvention;
		this.channelConvention = channelConvention;
		boolean standard = httpConvention.getClass() == DefaultClientRequestObservationConvention.class
				&& channelConvention.getClass() == DefaultChannelObservationConvention.class;
		this.shortcut = standard ? new LazyShortcut(shortcut) : new LazyShortcut(() -> null);
	}

	/**
	 * Finds an observation of HTTP requests that typed calls would not have. A client
	 * without a registry is observed on typed paths all the same.
	 * @param ofClient the registry of an HTTP client
	 * @param convention its convention, or {@code null}
	 * @return what is different, or {@code null}
	 */
	@Nullable String difference(@Nullable Object ofClient, @Nullable Object convention) {
		if (ofClient instanceof ObservationRegistry known && !known.isNoop() && known != this.registry) {
			return "an observation registry of its own";
		}
		if (convention == null || convention.equals(this.httpConvention)) {
			return null;
		}
		boolean standard = STANDARD_CONVENTIONS.contains(convention.getClass().getName())
				&& convention instanceof ObservationConvention<?> named
				&& Objects.equals(named.getName(), this.httpConvention.getName())
				&& this.httpConvention.getClass() == DefaultClientRequestObservationConvention.class;
		return standard ? null : "observation convention " + convention.getClass().getName();
	}

	/**
	 * Starts the observation of a call, on its caller's thread.
	 * @param parent what the call belongs to, or {@code null} if that is the thread's
	 * current observation
	 */
	Call start(String channel, PathKind path, MethodPlan plan, UriTemplates uris, @Nullable Object[] arguments,
			@Nullable Observation parent) {
		if (this.registry.isNoop()) {
			return Call.NOOP;
		}
		MeterShortcut meters = this.shortcut.get();
		if (meters != null) {
			CallSeriesPair series = series(meters, channel, path, plan, uris, arguments);
			if (series != null) {
				return new MeteredCall(meters, series);
			}
		}
		ClientRequestObservationContext httpContext = httpContext(plan, uris.template(plan, arguments),
				uris.expanded(plan, arguments));
		Observation http = ClientHttpObservationDocumentation.HTTP_CLIENT_EXCHANGES.observation(null,
				this.httpConvention, () -> httpContext, this.registry);
		if (parent != null) {
			http.parentObservation(parent);
		}
		http.start();
		ChannelObservationContext ownContext = new ChannelObservationContext(channel, path);
		Observation own = ChannelObservationDocumentation.CALL
			.observation(null, this.channelConvention, () -> ownContext, this.registry)
			.parentObservation(http);
		// Tracers prefer the span that is current on the thread to that of the parent.
		try (Observation.Scope scope = http.openScope()) {
			own.start();
		}
		return new ObservedCall(http, httpContext, own, ownContext, headers(httpContext));
	}

	/**
	 * Starts the observation of a call of a client whose requests are not observed.
	 * @param parent what the call belongs to, or {@code null} if that is the thread's
	 * current observation
	 */
	Call startOwn(String channel, PathKind path, MethodPlan plan, @Nullable Observation parent) {
		if (this.registry.isNoop()) {
			return Call.NOOP;
		}
		MeterShortcut meters = this.shortcut.get();
		if (meters != null) {
			return new OwnMeteredCall(meters, plan.ownSeries().get(path, () -> {
				Supplier<ChannelObservationContext> context = () -> new ChannelObservationContext(channel, path);
				return new OwnSeries(meters.series(this.channelConvention, context.get()), context);
			}));
		}
		ChannelObservationContext context = new ChannelObservationContext(channel, path);
		Observation own = ChannelObservationDocumentation.CALL.observation(null, this.channelConvention, () -> context,
				this.registry);
		if (parent != null) {
			own.parentObservation(parent);
		}
		own.start();
		return new OwnObservedCall(own, context);
	}

	private @Nullable CallSeriesPair series(MeterShortcut meters, String channel, PathKind path, MethodPlan plan,
			UriTemplates uris, @Nullable Object[] arguments) {
		if (plan.queryNames().length == 0) {
			return plan.series()
				.get(path, () -> series(meters, channel, path, plan, uris.template(plan, arguments), uris.base()));
		}
		String template = uris.template(plan, arguments);
		return plan.series().get(path, template, () -> series(meters, channel, path, plan, template, uris.base()));
	}

	private CallSeriesPair series(MeterShortcut meters, String channel, PathKind path, MethodPlan plan, String template,
			URI base) {
		Supplier<ClientRequestObservationContext> httpContext = () -> httpContext(plan, template, base);
		Supplier<ChannelObservationContext> ownContext = () -> new ChannelObservationContext(channel, path);
		Supplier<ChannelObservationContext> answered = () -> {
			ChannelObservationContext context = ownContext.get();
			context.setAnswered(true);
			return context;
		};
		return new CallSeriesPair(meters.series(this.httpConvention, httpContext.get()),
				meters.series(this.channelConvention, ownContext.get()), httpContext, ownContext, answered);
	}

	private static ClientRequestObservationContext httpContext(MethodPlan plan, String template, URI base) {
		ClientRequestObservationContext context = new ClientRequestObservationContext(
				new ObservedRequest(HttpMethod.valueOf(plan.httpMethod()), base));
		context.setUriTemplate(template);
		return context;
	}

	private static Map<String, String> headers(ClientRequestObservationContext context) {
		ClientHttpRequest request = context.getCarrier();
		if (request == null || request.getHeaders().isEmpty()) {
			return Map.of();
		}
		Map<String, String> headers = new LinkedHashMap<>();
		request.getHeaders()
			.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
		return headers;
	}

	/** One call that is observed. */
	abstract static sealed class Call {

		static final Call NOOP = new UnobservedCall();

		/** Returns what is to travel with the call, such as {@code traceparent}. */
		abstract Map<String, String> headers();

		/**
		 * Notes that the peer answered.
		 * @param status the answer's status
		 * @param fields the answer's headers, which Spring's own conventions do not read
		 * @param raised what the client raises because of it, or {@code null}
		 */
		abstract void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised);

		/**
		 * Notes that there is no answer.
		 * @param failure why
		 * @param raised what the client raises
		 */
		abstract void failed(PathException failure, Throwable raised);

	}

	private static final class UnobservedCall extends Call {

		@Override
		Map<String, String> headers() {
			return Map.of();
		}

		@Override
		void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised) {
		}

		@Override
		void failed(PathException failure, Throwable raised) {
		}

	}

	private static final class ObservedCall extends Call {

		private final Observation http;

		private final ClientRequestObservationContext httpContext;

		private final Observation own;

		private final ChannelObservationContext ownContext;

		private final Map<String, String> headers;

		private ObservedCall(Observation http, ClientRequestObservationContext httpContext, Observation own,
				ChannelObservationContext ownContext, Map<String, String> headers) {
			this.http = http;
			this.httpContext = httpContext;
			this.own = own;
			this.ownContext = ownContext;
			this.headers = headers;
		}

		@Override
		Map<String, String> headers() {
			return this.headers;
		}

		@Override
		void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised) {
			this.httpContext.setResponse(new ObservedRequest.Response(status, fields));
			this.ownContext.setAnswered(true);
			this.own.stop();
			if (raised != null) {
				this.http.error(raised);
			}
			this.http.stop();
		}

		@Override
		void failed(PathException failure, Throwable raised) {
			this.own.error(failure);
			this.own.stop();
			this.http.error(raised);
			this.http.stop();
		}

	}

	/** Records the meters that the two observations would have recorded. */
	private static final class MeteredCall extends Call {

		private final MeterShortcut meters;

		private final CallSeriesPair series;

		private final LongTaskTimer.@Nullable Sample http;

		private final LongTaskTimer.@Nullable Sample own;

		private final long start;

		private MeteredCall(MeterShortcut meters, CallSeriesPair series) {
			this.meters = meters;
			this.series = series;
			this.http = series.http().start(series.httpContext());
			this.own = series.own().start(series.ownContext());
			this.start = meters.now();
		}

		@Override
		Map<String, String> headers() {
			return Map.of();
		}

		@Override
		void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised) {
			long nanos = this.meters.now() - this.start;
			this.series.own().record(this.own, nanos, 0, this.series.ownAnswered());
			if (raised == null) {
				this.series.http().record(this.http, nanos, status, () -> httpContext(status, null));
			}
			else {
				this.series.http().recordWith(this.http, nanos, httpContext(status, raised));
			}
		}

		private ClientRequestObservationContext httpContext(int status, @Nullable Throwable raised) {
			ClientRequestObservationContext context = this.series.httpContext().get();
			context.setResponse(new ObservedRequest.Response(status, Map.of()));
			if (raised != null) {
				context.setError(raised);
			}
			return context;
		}

		@Override
		void failed(PathException failure, Throwable raised) {
			long nanos = this.meters.now() - this.start;
			ChannelObservationContext ownContext = this.series.ownContext().get();
			ownContext.setError(failure);
			this.series.own().recordWith(this.own, nanos, ownContext);
			ClientRequestObservationContext httpContext = this.series.httpContext().get();
			httpContext.setError(raised);
			this.series.http().recordWith(this.http, nanos, httpContext);
		}

	}

	/** A call whose HTTP request would not have been observed. */
	private static final class OwnObservedCall extends Call {

		private final Observation own;

		private final ChannelObservationContext context;

		private OwnObservedCall(Observation own, ChannelObservationContext context) {
			this.own = own;
			this.context = context;
		}

		@Override
		Map<String, String> headers() {
			return Map.of();
		}

		@Override
		void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised) {
			this.context.setAnswered(true);
			this.own.stop();
		}

		@Override
		void failed(PathException failure, Throwable raised) {
			this.own.error(failure);
			this.own.stop();
		}

	}

	/** Records the meters that the observation would have recorded. */
	private static final class OwnMeteredCall extends Call {

		private final MeterShortcut meters;

		private final OwnSeries own;

		private final LongTaskTimer.@Nullable Sample sample;

		private final long start;

		private OwnMeteredCall(MeterShortcut meters, OwnSeries own) {
			this.meters = meters;
			this.own = own;
			this.sample = own.series().start(own.context());
			this.start = meters.now();
		}

		@Override
		Map<String, String> headers() {
			return Map.of();
		}

		@Override
		void answered(int status, Map<String, List<String>> fields, @Nullable Throwable raised) {
			this.own.series().record(this.sample, this.meters.now() - this.start, 0, this.own::answered);
		}

		@Override
		void failed(PathException failure, Throwable raised) {
			ChannelObservationContext context = this.own.context().get();
			context.setError(failure);
			this.own.series().recordWith(this.sample, this.meters.now() - this.start, context);
		}

	}

}
