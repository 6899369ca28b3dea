package io.github.vicinal.boot.observation;

import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a call whose observation is made only when somebody asks for it. May be
 * asked by any thread.
 */
public final class LazyScope implements Observation.Scope {

	private final ObservationRegistry registry;

	private final Observation.@Nullable Scope previous;

	private final Supplier<Observation> observations;

	private volatile @Nullable Observation observation;

	/**
	 * Creates a scope.
	 * @param registry the registry
	 * @param observations makes and starts the observation
	 */
	public LazyScope(ObservationRegistry registry, Supplier<Observation> observations) {
		this.registry = registry;
		this.previous = registry.getCurrentObservationScope();
		this.observations = observations;
	}

	/**
	 * Returns the observation if somebody asked for it.
	 * @return a started observation, or {@code null}
	 */
	public @Nullable Observation observation() {
		return this.observation;
	}

	@Override
	public Observation getCurrentObservation() {
		Observation known = this.observation;
		if (known != null) {
			return known;
		}
		synchronized (this) {
			known = this.observation;
			if (known == null) {
				known = make();
				this.observation = known;
			}
			return known;
		}
	}

	/** The new observation asks for its parent: this scope must not be current then. */
	private Observation make() {
		Observation.Scope current = this.registry.getCurrentObservationScope();
		this.registry.setCurrentObservationScope(this.previous);
		try {
			return this.observations.get();
		}
		finally {
			this.registry.setCurrentObservationScope(current);
		}
	}

	@Override
	public Observation.@Nullable Scope getPreviousObservationScope() {
		return this.previous;
	}

	@Override
	public void makeCurrent() {
		this.registry.setCurrentObservationScope(this);
	}

	@Override
	public void close() {
		this.registry.setCurrentObservationScope(this.previous);
	}

	@Override
	public void reset() {
		this.registry.setCurrentObservationScope(null);
	}

}
