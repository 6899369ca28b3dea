package io.github.vicinal.transport.shm.waiting;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Way of waiting before a sleep, as one word of the segment: bits 0 to 7 are 0 for
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

	/** The rule for names of modes, as it follows "must be". */
	public static final String NAMES = "learned, park, spin-N, yield-M or spin-N+yield-M with N up to %d and M up to %d"
		.formatted(MAX_SPINS, MAX_YIELDS);

	private static final Pattern FIXED = Pattern
		.compile("(?:spin-(?<spins>[0-9]{1,5}))?(?:(?:^|(?<=[0-9])\\+)yield-(?<yields>[0-9]{1,4}))?");

	private static final int FIXED_KIND = 1;

	private static final int SPINS_SHIFT = 8;

	private static final int YIELDS_SHIFT = 32;

	private static final int COUNT_MASK = (1 << 24) - 1;

	private WaitMode() {
	}

	/**
	 * Returns whether there is a mode of that name.
	 * @param name a name
	 * @return whether {@link #parse} reads it
	 */
	public static boolean isName(String name) {
		return name.equals(LEARNED) || name.equals(PARK) || fixed(name) >= 0;
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
		long fixed = fixed(name);
		if (fixed < 0) {
			throw new IllegalArgumentException("The way of waiting must be %s, not '%s'".formatted(NAMES, name));
		}
		return fixed;
	}

	/** Reads the name of a fixed mode; negative if it is none. */
	private static long fixed(String name) {
		Matcher matcher = FIXED.matcher(name);
		if (name.isEmpty() || !matcher.matches()) {
			return -1;
		}
		int spins = count(matcher.group("spins"));
		int yields = count(matcher.group("yields"));
		return (spins <= MAX_SPINS && yields <= MAX_YIELDS) ? fixed(spins, yields) : -1;
	}

	private static int count(@Nullable String digits) {
		return (digits != null) ? Integer.parseInt(digits) : 0;
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
