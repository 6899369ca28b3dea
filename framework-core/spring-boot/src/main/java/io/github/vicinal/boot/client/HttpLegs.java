package io.github.vicinal.boot.client;

import org.jspecify.annotations.Nullable;

/**
 * The HTTP leg that the current thread is on: what connects a client's proxy with the
 * request factory at the end of its HTTP client.
 */
public final class HttpLegs {

	private final ThreadLocal<HttpLeg> current = new ThreadLocal<>();

	private final ReplicaSelection.Holder selections = new ReplicaSelection.Holder();

	ReplicaSelection.Holder selections() {
		return this.selections;
	}

	@Nullable HttpLeg current() {
		return this.current.get();
	}

	/** A call that may throw anything. */
	@FunctionalInterface
	interface Original {

		@Nullable Object proceed() throws Throwable;

	}

	@Nullable Object run(HttpLeg leg, Original original) throws Throwable {
		HttpLeg outer = this.current.get();
		this.current.set(leg);
		try {
			return original.proceed();
		}
		finally {
			if (outer != null) {
				this.current.set(outer);
			}
			else {
				this.current.remove();
			}
		}
	}

	/**
	 * Returns whether the current thread replays an error, which is observed already.
	 * @return whether HTTP client observations are to be left out
	 */
	public boolean replaying() {
		HttpLeg leg = this.current.get();
		return leg != null && leg.replayed() != null;
	}

}
