package io.github.vicinal.boot.observation;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A shortcut that is looked for when the first call is made: by then all that takes part
 * in observations is registered. Thread-safe.
 */
public final class LazyShortcut {

	private final Supplier<@Nullable MeterShortcut> finder;

	private volatile @Nullable MeterShortcut found;

	/** Written after the shortcut. */
	private volatile boolean looked;

	/**
	 * Creates a shortcut that is not looked for yet.
	 * @param finder finds it; {@code null} if there is none
	 */
	public LazyShortcut(Supplier<@Nullable MeterShortcut> finder) {
		this.finder = finder;
	}

	/**
	 * Returns the shortcut.
	 * @return the shortcut, or {@code null} if calls must be observed in full
	 */
	public @Nullable MeterShortcut get() {
		if (!this.looked) {
			this.found = this.finder.get();
			this.looked = true;
		}
		MeterShortcut known = this.found;
		return (known != null && known.holds()) ? known : null;
	}

}
