package io.github.vicinal.transport.shm.bell;

import org.jspecify.annotations.Nullable;

/** Makes {@link FutexBells} where the JVM has granted native access. */
final class FutexBellsFactory implements NativeBells {

	@Override
	public @Nullable String unavailable() {
		// Asked before anything native is touched: a JVM warns, or will refuse, else.
		if (!FutexBellsFactory.class.getModule().isNativeAccessEnabled()) {
			return "futexes need native access: start the JVM with --enable-native-access=ALL-UNNAMED, or add the "
					+ "manifest entry Enable-Native-Access: ALL-UNNAMED to the application's jar";
		}
		return FutexCalls.unavailable();
	}

	@Override
	public Bells create(BellWords words) {
		return new FutexBells(words, new FutexCalls());
	}

}
