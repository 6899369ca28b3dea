package io.github.vicinal.cache;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.cache.policy.Policies;
import io.github.vicinal.cache.policy.PolicyFactory;
import org.jspecify.annotations.Nullable;

/**
 * Selects the entries that a full cache evicts. A value with a name, as it is written in
 * configuration: {@link #of(String)} reads it, {@link #name()} writes it.
 *
 * @since 0.1.0
 */
public final class CachePolicy {

	/** Caffeine: TinyLFU admission with an adaptive window. The default. */
	public static final CachePolicy TINY_LFU = new CachePolicy("TINY_LFU", Engine.CAFFEINE, 0, null);

	/** Evicts what has not been used for the longest time. */
	public static final CachePolicy LRU = exact("LRU", Policies.LRU);

	/**
	 * Evicts what has been used least often while in the cache; of equals, the one that
	 * has not been used for the longest time.
	 */
	public static final CachePolicy LFU = exact("LFU", Policies.LFU);

	/** LFU whose uses are still counted after an entry left. */
	public static final CachePolicy LFU_HISTORY = exact("LFU_HISTORY", Policies.LFU_HISTORY);

	/** Evicts what was used last: for loops that are longer than the cache. */
	public static final CachePolicy MRU = exact("MRU", Policies.MRU);

	/** Segmented LRU: what was used twice is protected, in four fifths of the cache. */
	public static final CachePolicy SLRU = exact("SLRU", Policies.SLRU);

	/** Evicts in the order of insertion. */
	public static final CachePolicy FIFO = exact("FIFO", Policies.FIFO);

	/** Three FIFO queues, one of them of keys only. */
	public static final CachePolicy S3_FIFO = exact("S3_FIFO", Policies.S3_FIFO);

	/** Evicts by the distance between the last two uses. */
	public static final CachePolicy LIRS = exact("LIRS", Policies.LIRS);

	/** Chooses among policies by simulating them on a sample of the keys. */
	public static final CachePolicy AIC = new CachePolicy("AIC", Engine.POLICY, 0, null);

	/** Tree pseudo-LRU in sets of eight. */
	public static final CachePolicy PLRU = new CachePolicy("PLRU", Engine.SETS, 8, null);

	/** LRU in sets of two: the cheapest, and the one with the most conflicts. */
	public static final CachePolicy TWO_WAY = new CachePolicy("TWO_WAY", Engine.SETS, 2, null);

	/** The largest set. */
	static final int MAX_WAYS = 64;

	private static final List<CachePolicy> NAMED = List.of(TINY_LFU, LRU, LFU, LFU_HISTORY, MRU, SLRU, FIFO, S3_FIFO,
			LIRS, AIC, PLRU, TWO_WAY);

	private static final Pattern K_WAY = Pattern.compile("K_WAY(_TINY_LFU)?\\((\\d{1,9})\\)");

	private static final Pattern W_TINY_LFU = Pattern.compile("W_TINY_LFU\\((\\d{1,9})\\)");

	private static final String NAMES = "one of TINY_LFU, LRU, LFU, LFU_HISTORY, MRU, SLRU, FIFO, S3_FIFO, LIRS, AIC, PLRU, TWO_WAY, "
			+ "K_WAY(k), K_WAY_TINY_LFU(k) with k = 2, 4, .. 64, W_TINY_LFU(percent) with 1 to 99";

	/** Kinds of engines that keep the entries. */
	enum Engine {

		CAFFEINE, POLICY, SETS

	}

	private final String name;

	private final Engine engine;

	private final int ways;

	private final @Nullable PolicyFactory factory;

	private CachePolicy(String name, Engine engine, int ways, @Nullable PolicyFactory factory) {
		this.name = name;
		this.engine = engine;
		this.ways = ways;
		this.factory = factory;
	}

	private static CachePolicy exact(String name, PolicyFactory factory) {
		return new CachePolicy(name, Engine.POLICY, 0, factory);
	}

	/**
	 * LRU in sets of {@code ways} entries.
	 * @param ways a power of two, from 2 to 64
	 * @return the policy {@code K_WAY(ways)}
	 */
	public static CachePolicy kWay(int ways) {
		return sets("K_WAY", ways);
	}

	/**
	 * LRU in sets of {@code ways} entries, which a new key enters only if it is used more
	 * often than the one that it would displace.
	 * @param ways a power of two, from 2 to 64
	 * @return the policy {@code K_WAY_TINY_LFU(ways)}
	 */
	public static CachePolicy kWayTinyLfu(int ways) {
		return sets("K_WAY_TINY_LFU", ways);
	}

	private static CachePolicy sets(String family, int ways) {
		String name = family + "(" + ways + ")";
		if (ways < 2 || ways > MAX_WAYS || Integer.bitCount(ways) != 1) {
			throw new InvalidCacheException("", "policy", name, "a power of two from 2 to " + MAX_WAYS
					+ " between the brackets, for example " + family + "(" + suggestion(ways) + ")");
		}
		return new CachePolicy(name, Engine.SETS, ways, null);
	}

	private static int suggestion(int ways) {
		return Math.max(2, Math.min(MAX_WAYS, Integer.highestOneBit(Math.max(1, ways))));
	}

	/**
	 * TinyLFU admission with a window of fixed size.
	 * @param windowPercent the window's part of the cache, from 1 to 99
	 * @return the policy {@code W_TINY_LFU(windowPercent)}
	 */
	public static CachePolicy windowTinyLfu(int windowPercent) {
		String name = "W_TINY_LFU(" + windowPercent + ")";
		if (windowPercent < 1 || windowPercent > 99) {
			throw new InvalidCacheException("", "policy", name, "W_TINY_LFU(percent) with 1 to 99");
		}
		return exact(name, Policies.windowTinyLfu(windowPercent / 100.0));
	}

	/**
	 * A policy of the user's own. It runs in the engine of the exact policies.
	 * @param name its name in reports
	 * @param factory makes an instance for each cache
	 * @return the policy
	 */
	public static CachePolicy custom(String name, PolicyFactory factory) {
		return new CachePolicy(Objects.requireNonNull(name), Engine.POLICY, 0, Objects.requireNonNull(factory));
	}

	/**
	 * Reads a name as it is written in configuration. Case does not matter, and {@code -}
	 * is as good as {@code _}.
	 * @param name for example {@code lru}, {@code two-way} or {@code k-way(8)}
	 * @return the policy
	 * @throws InvalidCacheException if there is no such policy; names those that there
	 * are
	 */
	public static CachePolicy of(String name) {
		String wanted = name.trim().toUpperCase(Locale.ROOT).replace('-', '_').replace(" ", "");
		for (CachePolicy known : NAMED) {
			if (known.name.equals(wanted)) {
				return known;
			}
		}
		Matcher ways = K_WAY.matcher(wanted);
		if (ways.matches()) {
			int count = Integer.parseInt(ways.group(2));
			return (ways.group(1) != null) ? kWayTinyLfu(count) : kWay(count);
		}
		Matcher window = W_TINY_LFU.matcher(wanted);
		if (window.matches()) {
			return windowTinyLfu(Integer.parseInt(window.group(1)));
		}
		throw new InvalidCacheException("", "policy", name, NAMES);
	}

	/**
	 * Returns the policies that have no parameter.
	 * @return an immutable list, the default first
	 */
	public static List<CachePolicy> named() {
		return NAMED;
	}

	/**
	 * Returns the name.
	 * @return as {@link #of(String)} reads it
	 */
	public String name() {
		return this.name;
	}

	Engine engine() {
		return this.engine;
	}

	int ways() {
		return this.ways;
	}

	@Nullable PolicyFactory factory() {
		return this.factory;
	}

	boolean admits() {
		return this.name.startsWith("K_WAY_TINY_LFU");
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof CachePolicy that && this.name.equals(that.name) && this.engine == that.engine;
	}

	@Override
	public int hashCode() {
		return this.name.hashCode();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
