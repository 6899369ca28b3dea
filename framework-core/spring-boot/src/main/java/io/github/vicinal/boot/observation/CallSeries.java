package io.github.vicinal.boot.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one kind of calls, as their observations would have recorded them.
 * Thread-safe.
 *
 * @param <C> the type of the observations' context
 */
public final class CallSeries<C extends Observation.Context> {

	private final MeterShortcut shortcut;

	private final String name;

	private final boolean enabled;

	private final ObservationConvention<C> convention;

	/** The outcome that was recorded last: nearly always that of the next call. */
	private volatile @Nullable Outcome latest;

	private volatile @Nullable Active active;

	CallSeries(MeterShortcut shortcut, String name, boolean enabled, ObservationConvention<C> convention) {
		this.shortcut = shortcut;
		this.name = name;
		this.enabled = enabled;
		this.convention = convention;
	}

	private record Outcome(int status, Timer timer, int removals) {
	}

	private record Active(@Nullable LongTaskTimer timer, int removals) {
	}

	/**
	 * Starts to count a call as active.
	 * @param context makes a context of the call, without an outcome
	 * @return what {@link #record} is to be given, or {@code null} if active calls are
	 * not counted
	 */
	public LongTaskTimer.@Nullable Sample start(Supplier<C> context) {
		if (!this.enabled) {
			return null;
		}
		Active known = this.active;
		if (known == null || known.removals() != this.shortcut.removals()) {
			// Read first: a meter that is removed meanwhile is looked up again.
			int removals = this.shortcut.removals();
			known = new Active(longTaskTimer(context), removals);
			this.active = known;
		}
		return (known.timer() != null) ? known.timer().start() : null;
	}

	private @Nullable LongTaskTimer longTaskTimer(Supplier<C> contexts) {
		if (!this.shortcut.timesLongTasks()) {
			return null;
		}
		C context = contexts.get();
		context.addLowCardinalityKeyValues(this.convention.getLowCardinalityKeyValues(context));
		return this.shortcut.meters().more().longTaskTimer(this.name + ".active", tags(context));
	}

	/**
	 * Records a call that was answered.
	 * @param sample what {@link #start} returned
	 * @param nanos how long the call took
	 * @param status the answer's status: with the kind of call it decides the key values
	 * @param context makes a context of the call with its outcome
	 */
	public void record(LongTaskTimer.@Nullable Sample sample, long nanos, int status, Supplier<C> context) {
		if (!this.enabled) {
			return;
		}
		Outcome known = this.latest;
		if (known == null || known.status() != status || known.removals() != this.shortcut.removals()) {
			int removals = this.shortcut.removals();
			known = new Outcome(status, timer(context.get()), removals);
			this.latest = known;
		}
		known.timer().record(nanos, TimeUnit.NANOSECONDS);
		stop(sample);
	}

	/**
	 * Records a call with key values of its own: one that failed, or was tagged.
	 * @param sample what {@link #start} returned
	 * @param nanos how long the call took
	 * @param context the context of the call, with its outcome
	 */
	public void recordWith(LongTaskTimer.@Nullable Sample sample, long nanos, C context) {
		if (this.enabled) {
			timer(context).record(nanos, TimeUnit.NANOSECONDS);
			stop(sample);
		}
	}

	/**
	 * Stops to count a call as active without recording it.
	 * @param sample what {@link #start} returned
	 */
	public static void stop(LongTaskTimer.@Nullable Sample sample) {
		if (sample != null) {
			sample.stop();
		}
	}

	private Timer timer(C context) {
		context.setName(this.name);
		context.addLowCardinalityKeyValues(this.convention.getLowCardinalityKeyValues(context));
		Observation.Context filtered = this.shortcut.filtered(context);
		List<Tag> tags = tags(filtered);
		Throwable error = filtered.getError();
		tags.add(Tag.of("error", (error != null) ? error.getClass().getSimpleName() : "none"));
		String filteredName = filtered.getName();
		return this.shortcut.meters().timer((filteredName != null) ? filteredName : this.name, tags);
	}

	private static List<Tag> tags(Observation.Context context) {
		List<Tag> tags = new ArrayList<>();
		context.getLowCardinalityKeyValues().forEach((pair) -> tags.add(Tag.of(pair.getKey(), pair.getValue())));
		return tags;
	}

}
