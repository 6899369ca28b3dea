package io.github.vicinal.transport.shm.bell;

import org.jspecify.annotations.Nullable;

/** Makes bells that need native access; found by name in JVMs that can have them. */
interface NativeBells {

	/** Returns why there can be none, or {@code null}. */
	@Nullable String unavailable();

	Bells create(BellWords words);

}
