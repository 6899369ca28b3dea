package io.github.vicinal.transport.shm.waiting;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How a side waits before it sleeps, as one word of the segment: bits 0 to 7 are 0 for
 * learned or 1 for fixed, bits 8 to 31 the spins and bits 32 to 55 the yields of a fixed
 * one. The other side may have written the word: counts are bounded when they are read.
 */
public final class WaitMode {

	/** The name of the mode that finds out what pays. */
	public static final String LEARNED = "learned";

	/** The name of the mode that sleeps at once. */
	public static final String PARK = "park";

	/** Spins longer than this, about a millisecond, are never worth it. */
	static final int MAX_SPINS = 20_000;

	static final int MAX_YIELDS = 1_000;

	private static final Pattern FIXED = Pattern.compile("(?:spin-([0-9]{1,5}))?\\+?(?:yield-([0-9]{1,4}))?");

	private static final int FIXED_KIND = 1;

	private static final int SPINS_SHIFT = 8;

	private static final int YIELDS_SHIFT = 32;

	private static final int COUNT_MASK = (1 << 24) - 1;

	private WaitMode() {
	}

	/**
	 * Reads the name of a mode.
	 * @param name {@code learned}, {@code park}, {@code spin-N}, {@code yield-N} or
	 * {@code spin-N+yield-M}
	 * @return the word
	 */
	public static long parse(String name) {
		if (name.equals(LEARNED)) {
			return 0;
		}
		if (name.equals(PARK)) {
			return fixed(0, 0);
		}
		Matcher matcher = FIXED.matcher(name);
		if (name.isEmpty() || !matcher.matches()) {
			throw new IllegalArgumentException(
					"There is no way to wait called '%s'; there are learned, park, spin-N, yield-N and spin-N+yield-M"
						.formatted(name));
		}
		return fixed(count(name, matcher.group(1), MAX_SPINS), count(name, matcher.group(2), MAX_YIELDS));
	}

	private static int count(String name, @Nullable String digits, int most) {
		int count = (digits != null) ? Integer.parseInt(digits) : 0;
		if (count > most) {
			throw new IllegalArgumentException("'%s' waits too long: at most %d spins and %d yields are allowed"
				.formatted(name, MAX_SPINS, MAX_YIELDS));
		}
		return count;
	}

	private static long fixed(int spins, int yields) {
		return FIXED_KIND | (long) spins << SPINS_SHIFT | (long) yields << YIELDS_SHIFT;
	}

	/**
	 * Names a mode.
	 * @param mode a word
	 * @return its name
	 */
	public static String name(long mode) {
		if (isLearned(mode)) {
			return LEARNED;
		}
		int spins = spins(mode);
		int yields = yields(mode);
		if (spins == 0 && yields == 0) {
			return PARK;
		}
		return ((spins > 0) ? "spin-" + spins : "") + ((spins > 0 && yields > 0) ? "+" : "")
				+ ((yields > 0) ? "yield-" + yields : "");
	}

	static boolean isLearned(long mode) {
		return (mode & 0xff) != FIXED_KIND;
	}

	static int spins(long mode) {
		return Math.min((int) (mode >>> SPINS_SHIFT) & COUNT_MASK, MAX_SPINS);
	}

	static int yields(long mode) {
		return Math.min((int) (mode >>> YIELDS_SHIFT) & COUNT_MASK, MAX_YIELDS);
	}

}
