package io.github.vicinal.boot.observation;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether the observations of a registry have no other effect than meters, and
 * makes the series that record those meters. Thread-safe.
 * <p>
 * The handlers, filters and conventions of a registry are visible only in private fields
 * of Micrometer's configuration class. If these cannot be read, there is no shortcut and
 * calls are observed in full.
 */
public final class MeterShortcut {

	private static final Logger logger = LoggerFactory.getLogger(MeterShortcut.class);

	/** Predicates and filters from here depend on names and key values only. */
	private static final List<String> KNOWN_PACKAGES = List.of("org.springframework.boot.", "io.github.vicinal.");

	private final MeterRegistry meters;

	private final boolean longTasks;

	/** Everything that takes part in observations; grows when something is added. */
	private final List<List<?>> registered;

	private final int registeredAtFirst;

	private final List<ObservationPredicate> predicates;

	private final List<ObservationFilter> filters;

	/** Changes whenever a meter is removed: series that hold it must find it anew. */
	private final AtomicInteger removals = new AtomicInteger();

	@SuppressWarnings("unchecked")
	private MeterShortcut(MeterRegistry meters, List<List<?>> registered, boolean longTasks) {
		this.meters = meters;
		this.longTasks = longTasks;
		this.registered = registered;
		this.registeredAtFirst = count(registered);
		this.predicates = (List<ObservationPredicate>) registered.get(1);
		this.filters = (List<ObservationFilter>) registered.get(2);
		meters.config().onMeterRemoved((meter) -> this.removals.incrementAndGet());
	}

	/**
	 * Returns the shortcut for a registry's observations, if there is one.
	 * @param registry the registry
	 * @param meters where the observations' meters are
	 * @return the shortcut, or empty if observations may do more than record meters
	 */
	public static Optional<MeterShortcut> of(ObservationRegistry registry, MeterRegistry meters) {
		if (registry.isNoop()) {
			return Optional.empty();
		}
		try {
			ObservationRegistry.ObservationConfig config = registry.observationConfig();
			List<?> handlers = list(config, "observationHandlers");
			List<?> predicates = list(config, "observationPredicates");
			List<?> filters = list(config, "observationFilters");
			List<?> conventions = list(config, "observationConventions");
			boolean onlyMeters = conventions.isEmpty() && onlyMeters(handlers, meters)
					&& predicates.stream().allMatch(MeterShortcut::known)
					&& filters.stream().allMatch(MeterShortcut::known);
			return onlyMeters ? Optional.of(new MeterShortcut(meters,
					List.of(handlers, predicates, filters, conventions), timesLongTasks(handlers.get(0))))
					: Optional.empty();
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			logger.debug("Calls are observed in full: {}", ex.toString());
			return Optional.empty();
		}
	}

	private static List<?> list(ObservationRegistry.ObservationConfig config, String name)
			throws ReflectiveOperationException {
		Field field = ObservationRegistry.ObservationConfig.class.getDeclaredField(name);
		field.setAccessible(true);
		return (List<?>) field.get(config);
	}

	/** There must be one handler, and its meters must be those that series record in. */
	private static boolean onlyMeters(List<?> handlers, MeterRegistry meters) throws ReflectiveOperationException {
		if (handlers.size() != 1) {
			return false;
		}
		Object handler = handlers.get(0);
		if (handler instanceof ObservationHandler.CompositeObservationHandler composite) {
			return onlyMeters(composite.getHandlers(), meters);
		}
		if (handler.getClass() != DefaultMeterObservationHandler.class) {
			return false;
		}
		Field field = DefaultMeterObservationHandler.class.getDeclaredField("meterRegistry");
		field.setAccessible(true);
		return field.get(handler) == meters;
	}

	private static boolean known(Object object) {
		String name = object.getClass().getName();
		return KNOWN_PACKAGES.stream().anyMatch(name::startsWith);
	}

	private static int count(List<List<?>> lists) {
		int count = 0;
		for (int i = 0; i < lists.size(); i++) {
			count += lists.get(i).size();
		}
		return count;
	}

	/** Returns whether nothing was added to the registry since the shortcut was made. */
	boolean holds() {
		return count(this.registered) == this.registeredAtFirst;
	}

	/**
	 * Returns the time on the clock of the meters.
	 * @return nanoseconds
	 */
	public long now() {
		return this.meters.config().clock().monotonicTime();
	}

	/**
	 * Makes the series of calls of one kind.
	 * @param <C> the type of context
	 * @param convention names the observation; its key values must depend on nothing but
	 * the context
	 * @param context the context of such a call
	 * @return the series
	 */
	public <C extends Observation.Context> CallSeries<C> series(ObservationConvention<C> convention, C context) {
		String name = String.valueOf(convention.getName());
		boolean enabled = this.predicates.stream().allMatch((predicate) -> predicate.test(name, context));
		return new CallSeries<>(this, name, enabled, convention);
	}

	MeterRegistry meters() {
		return this.meters;
	}

	int removals() {
		return this.removals.get();
	}

	Observation.Context filtered(Observation.Context context) {
		Observation.Context filtered = context;
		for (ObservationFilter filter : new ArrayList<>(this.filters)) {
			filtered = filter.map(filtered);
		}
		return filtered;
	}

	/** Returns whether the meters of observations include long task timers. */
	boolean timesLongTasks() {
		return this.longTasks;
	}

	/** Returns what the only handler does, as {@link #onlyMeters} has found it. */
	private static boolean timesLongTasks(Object handler) throws ReflectiveOperationException {
		if (handler instanceof ObservationHandler.CompositeObservationHandler composite) {
			return timesLongTasks(composite.getHandlers().get(0));
		}
		Field field = DefaultMeterObservationHandler.class.getDeclaredField("shouldCreateLongTaskTimer");
		field.setAccessible(true);
		return field.getBoolean(handler);
	}

}
