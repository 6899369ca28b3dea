package io.github.vicinal.boot.observation;

import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A shortcut that is looked for when the first call is made: by then all that takes part
 * in observations is registered. Thread-safe.
 */
public final class LazyShortcut {

	private final Supplier<@Nullable MeterShortcut> finder;

	private volatile @Nullable Optional<MeterShortcut> found;

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
		Optional<MeterShortcut> known = this.found;
		if (known == null) {
			known = Optional.ofNullable(this.finder.get());
			this.found = known;
		}
		return (known.isPresent() && known.get().holds()) ? known.get() : null;
	}

}
