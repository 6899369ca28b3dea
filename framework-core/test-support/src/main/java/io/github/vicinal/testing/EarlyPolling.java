package io.github.vicinal.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Makes Awaitility look at once, and then after pauses that double from 5 to 100
 * milliseconds. By default it waits for 100 milliseconds before each look, the first
 * included.
 */
public final class EarlyPolling implements TestExecutionListener {

	private static final Duration FIRST = Duration.ofMillis(5);

	private static final Duration LONGEST = Duration.ofMillis(100);

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		try {
			Defaults.set();
		}
		catch (NoClassDefFoundError ex) {
			// The module does without Awaitility.
		}
	}

	static Duration next(Duration previous) {
		Duration next = previous.isZero() ? FIRST : previous.multipliedBy(2);
		return (next.compareTo(LONGEST) < 0) ? next : LONGEST;
	}

	/** Loaded only where Awaitility is present. */
	private static final class Defaults {

		static void set() {
			Awaitility.setDefaultPollInterval((count, previous) -> next(previous));
		}

	}

}
