package io.github.vicinal.transport.shm.waiting;

/** What somebody waits for. Asked often: it must be cheap and allocate nothing. */
@FunctionalInterface
public interface Condition {

	/** Returns whether the wait is over. */
	boolean isMet();

}
