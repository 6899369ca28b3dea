package io.github.vicinal.boot.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.observation.ChannelObservationContext;
import io.github.vicinal.path.PathKind;

/**
 * The series in which a call is recorded whose HTTP request would not be observed.
 *
 * @param series the series
 * @param context makes a context without an outcome
 */
record OwnSeries(CallSeries<ChannelObservationContext> series, Supplier<ChannelObservationContext> context) {

	/** Returns a context of a call that was answered. */
	ChannelObservationContext answered() {
		ChannelObservationContext made = this.context.get();
		made.setAnswered(true);
		return made;
	}

	/** The series of one method. Thread-safe. */
	static final class Cache {

		private final Map<PathKind, OwnSeries> byPath = new ConcurrentHashMap<>();

		/**
		 * Returns the series of a path.
		 * @param path the path
		 * @param maker makes it where it is missing
		 */
		OwnSeries get(PathKind path, Supplier<OwnSeries> maker) {
			OwnSeries known = this.byPath.get(path);
			return (known != null) ? known : this.byPath.computeIfAbsent(path, (missing) -> maker.get());
		}

	}

}
