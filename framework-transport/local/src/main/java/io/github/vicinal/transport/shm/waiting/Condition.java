package io.github.vicinal.transport.shm.waiting;

/**
 * Condition that a thread waits for. It is evaluated often, so it must be cheap and
 * allocate nothing.
 */
@FunctionalInterface
public interface Condition {

	/** Returns whether the wait is over. */
	boolean isMet();

}
