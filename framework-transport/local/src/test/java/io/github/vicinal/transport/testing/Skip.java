package io.github.vicinal.transport.testing;

import org.junit.jupiter.api.Assumptions;

/** Skips a test loudly: the reason is in the build's log. */
public final class Skip {

	private Skip() {
	}

	/**
	 * Goes on only if a condition holds.
	 * @param condition what the test needs
	 * @param reason why it cannot run without
	 */
	public static void unless(boolean condition, String reason) {
		if (!condition) {
			String test = StackWalker.getInstance()
				.walk((frames) -> frames.skip(1).findFirst())
				.map((frame) -> frame.getClassName() + "." + frame.getMethodName())
				.orElse("a test");
			System.err.printf("SKIPPED %s: %s%n", test, reason);
			Assumptions.abort(reason);
		}
	}

}
