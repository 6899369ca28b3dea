package io.github.vicinal.boot.client;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.observation.ChannelObservationContext;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

import org.springframework.http.client.observation.ClientRequestObservationContext;

/**
 * The two series that a call of one method over one path is recorded in.
 *
 * @param http what the HTTP client would have recorded
 * @param own the project's own
 * @param httpContext makes a context for the first, without an outcome
 * @param ownContext makes a context for the second, without an outcome
 * @param ownAnswered makes a context for the second, of a call that was answered
 */
record CallSeriesPair(CallSeries<ClientRequestObservationContext> http, CallSeries<ChannelObservationContext> own,
		Supplier<ClientRequestObservationContext> httpContext, Supplier<ChannelObservationContext> ownContext,
		Supplier<ChannelObservationContext> ownAnswered) {

	/** The pairs of one method. Thread-safe. */
	static final class Cache {

		private record OfPath(PathKind path, CallSeriesPair pair) {
		}

		/** Templates with query parameters differ by which of them are there. */
		private static final int MAX_TEMPLATES = 64;

		/** Few, so that a scan is the fastest look-up; replaced, never changed. */
		private volatile OfPath[] fixed = {};

		private final Map<String, CallSeriesPair> byTemplate = new ConcurrentHashMap<>();

		/**
		 * Returns the pair of a method whose template is always the same.
		 * @param path the path
		 * @param maker makes the pair where it is missing
		 */
		CallSeriesPair get(PathKind path, Supplier<CallSeriesPair> maker) {
			for (OfPath known : this.fixed) {
				if (known.path.equals(path)) {
					return known.pair;
				}
			}
			return add(path, maker);
		}

		private synchronized CallSeriesPair add(PathKind path, Supplier<CallSeriesPair> maker) {
			OfPath[] more = Arrays.copyOf(this.fixed, this.fixed.length + 1);
			more[more.length - 1] = new OfPath(path, maker.get());
			this.fixed = more;
			return more[more.length - 1].pair;
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
