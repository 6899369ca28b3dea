package io.github.vicinal.boot.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.http.client.observation.ClientRequestObservationContext;

import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.observation.ChannelObservationContext;
import io.github.vicinal.peer.PathKind;

/**
 * The two series that a call of one method over one path is recorded in.
 *
 * @param http what the HTTP client would have recorded
 * @param own the project's own
 * @param httpContext makes a context for the first, without an outcome
 * @param ownContext makes a context for the second, without an outcome
 */
record CallSeriesPair(CallSeries<ClientRequestObservationContext> http, CallSeries<ChannelObservationContext> own,
		Supplier<ClientRequestObservationContext> httpContext, Supplier<ChannelObservationContext> ownContext) {

	/** The pairs of one method. Thread-safe. */
	static final class Cache {

		/** Templates with query parameters differ by which of them are there. */
		private static final int MAX_TEMPLATES = 64;

		private final AtomicReferenceArray<@Nullable CallSeriesPair> fixed = new AtomicReferenceArray<>(
				PathKind.values().length);

		private final Map<String, CallSeriesPair> byTemplate = new ConcurrentHashMap<>();

		/**
		 * Returns the pair of a method whose template is always the same.
		 * @param path the path
		 * @param maker makes the pair where it is missing
		 */
		CallSeriesPair get(PathKind path, Supplier<CallSeriesPair> maker) {
			CallSeriesPair known = this.fixed.get(path.ordinal());
			if (known == null) {
				known = maker.get();
				this.fixed.set(path.ordinal(), known);
			}
			return known;
		}

		/**
		 * Returns the pair of a template.
		 * @param path the path
		 * @param template the template of the call
		 * @param maker makes the pair where it is missing
		 * @return the pair, or {@code null} if there are too many templates
		 */
		@Nullable CallSeriesPair get(PathKind path, String template, Supplier<CallSeriesPair> maker) {
			String key = path.id() + ' ' + template;
			CallSeriesPair known = this.byTemplate.get(key);
			if (known == null && this.byTemplate.size() < MAX_TEMPLATES) {
				known = maker.get();
				this.byTemplate.put(key, known);
			}
			return known;
		}

	}

}
