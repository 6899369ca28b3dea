package io.github.vicinal.boot.client;

import io.micrometer.context.ContextAccessor;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of a caller that does not wait, for the threads that work for it: all that is
 * registered with the context propagation library, such as the security context and the
 * current observation. Immutable.
 */
final class CallerContext {

	private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

	private final ContextSnapshot snapshot;

	private final @Nullable Observation parent;

	private CallerContext(ContextSnapshot snapshot, @Nullable Observation parent) {
		this.snapshot = snapshot;
		this.parent = parent;
	}

	/** Takes what the calling thread carries. */
	static CallerContext ofThread() {
		return new CallerContext(SNAPSHOTS.captureAll(), null);
	}

	/**
	 * Takes what the calling thread carries and, before that, a subscription.
	 * @param subscription the context of the subscriber
	 * @param parent the observation in it, or {@code null}
	 */
	static CallerContext of(Object subscription, @Nullable Observation parent) {
		ContextSnapshot snapshot = isReadable(subscription) ? SNAPSHOTS.captureAll(subscription)
				: SNAPSHOTS.captureAll();
		return new CallerContext(snapshot, parent);
	}

	/**
	 * It may be of another class loader's Reactor than the one that the library knows.
	 */
	private static boolean isReadable(Object subscription) {
		for (ContextAccessor<?, ?> accessor : ContextRegistry.getInstance().getContextAccessors()) {
			if (accessor.readableType().isInstance(subscription)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the observation that calls belong to, as {@code WebClient} finds it.
	 * @return an observation, or {@code null} if it is the calling thread's
	 */
	@Nullable Observation parent() {
		return this.parent;
	}

	/** Opens the context on the calling thread. */
	ContextSnapshot.Scope open() {
		return this.snapshot.setThreadLocals();
	}

}
