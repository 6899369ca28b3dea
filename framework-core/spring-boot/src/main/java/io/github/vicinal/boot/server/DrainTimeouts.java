package io.github.vicinal.boot.server;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.core.env.Environment;

/** Time that calls in flight have to end when the application stops. */
final class DrainTimeouts {

	/** Spring's default time-out of a phase, without Boot's properties. */
	private static final Duration PHASE = Duration.ofSeconds(10);

	/** Time reserved for cancelling stragglers and cleaning up. */
	private static final Duration RESERVE = Duration.ofSeconds(1);

	private static final int RESERVE_SHARE = 10;

	private DrainTimeouts() {
	}

	/**
	 * Returns the time of the phase in which the web server ends, less a tenth or a
	 * second: what has not ended then is cut off before beans are destroyed.
	 */
	static Duration ofPhase(Environment environment, @Nullable LifecycleProperties properties) {
		if (isImmediate(environment)) {
			return Duration.ZERO;
		}
		Duration phase = (properties != null) ? properties.getTimeoutPerShutdownPhase() : PHASE;
		Duration reserve = phase.dividedBy(RESERVE_SHARE);
		return phase.minus((reserve.compareTo(RESERVE) < 0) ? reserve : RESERVE);
	}

	/** Follows the web server: an immediate shutdown waits for no call. */
	private static boolean isImmediate(Environment environment) {
		return "immediate".equalsIgnoreCase(environment.getProperty("server.shutdown"));
	}

}
