package io.github.vicinal.cache;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Makes caches. A bound is required: {@link #maximumSize} or {@link #maximumWeight}.
 *
 * <pre class="code">
 * Cache&lt;Long, Price&gt; prices = CacheBuilder.&lt;Long, Price&gt;named("prices")
 *     .maximumSize(10_000)
 *     .policy(CachePolicy.AIC)
 *     .expireAfterWrite(Duration.ofMinutes(5))
 *     .build();
 * </pre>
 *
 * Not thread-safe; may be used for several caches.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 * @since 0.1.0
 */
public final class CacheBuilder<K, V> {

	/** The largest size. */
	public static final long MAX_SIZE = 1L << 28;

	private final String name;

	private CachePolicy policy = CachePolicy.TINY_LFU;

	private long maximumSize = -1;

	private long maximumWeight = -1;

	private @Nullable Weigher<? super K, ? super V> weigher;

	private @Nullable Duration expireAfterWrite;

	private @Nullable Duration expireAfterAccess;

	private @Nullable Expiry<? super K, ? super V> expiry;

	private @Nullable Duration refreshAfterWrite;

	private @Nullable RemovalListener<? super K, ? super V> listener;

	private boolean recordStatistics;

	private boolean strict;

	private Executor executor = ForkJoinPool.commonPool();

	private Executor listenerExecutor = Runnable::run;

	private LongSupplier ticker = System::nanoTime;

	private @Nullable Long seed;

	private CacheBuilder(String name) {
		this.name = Objects.requireNonNull(name, "name");
	}

	/**
	 * Copy of the settings for one cache, which later changes of the builder do not
	 * affect.
	 */
	private CacheBuilder(CacheBuilder<K, V> other) {
		this.name = other.name;
		this.policy = other.policy;
		this.maximumSize = other.maximumSize;
		this.maximumWeight = other.maximumWeight;
		this.weigher = other.weigher;
		this.expireAfterWrite = other.expireAfterWrite;
		this.expireAfterAccess = other.expireAfterAccess;
		this.expiry = other.expiry;
		this.refreshAfterWrite = other.refreshAfterWrite;
		this.listener = other.listener;
		this.recordStatistics = other.recordStatistics;
		this.strict = other.strict;
		this.executor = other.executor;
		this.listenerExecutor = other.listenerExecutor;
		this.ticker = other.ticker;
		this.seed = other.seed;
	}

	/**
	 * Starts with a name.
	 * @param <K> the type of keys
	 * @param <V> the type of values
	 * @param name the name in metrics and errors
	 * @return a builder
	 */
	public static <K, V> CacheBuilder<K, V> named(String name) {
		return new CacheBuilder<>(name);
	}

	/**
	 * Sets the replacement policy, {@link CachePolicy#TINY_LFU} by default.
	 * @param policy the policy
	 * @return this builder
	 */
	public CacheBuilder<K, V> policy(CachePolicy policy) {
		this.policy = Objects.requireNonNull(policy, "policy");
		return this;
	}

	/**
	 * Bounds the number of entries. The set-associative policies round it up to whole
	 * sets.
	 * @param maximumSize from 0 (nothing is kept) to {@link #MAX_SIZE}
	 * @return this builder
	 */
	public CacheBuilder<K, V> maximumSize(long maximumSize) {
		if (maximumSize < 0 || maximumSize > MAX_SIZE) {
			throw new InvalidCacheException(this.name, "maximum-size", maximumSize, "from 0 to " + MAX_SIZE);
		}
		this.maximumSize = maximumSize;
		return this;
	}

	/**
	 * Bounds the sum of the entries' weights. Not for set-associative policies.
	 * @param maximumWeight at least 0
	 * @param weigher returns the weight of an entry
	 * @return this builder
	 */
	public CacheBuilder<K, V> maximumWeight(long maximumWeight, Weigher<? super K, ? super V> weigher) {
		if (maximumWeight < 0) {
			throw new InvalidCacheException(this.name, "maximum-weight", maximumWeight, "at least 0");
		}
		this.maximumWeight = maximumWeight;
		this.weigher = Objects.requireNonNull(weigher, "weigher");
		return this;
	}

	/**
	 * Removes entries some time after they were written.
	 * @param duration positive
	 * @return this builder
	 */
	public CacheBuilder<K, V> expireAfterWrite(Duration duration) {
		this.expireAfterWrite = positive("expire-after-write", duration);
		return this;
	}

	/**
	 * Removes entries some time after they were read or written.
	 * @param duration positive
	 * @return this builder
	 */
	public CacheBuilder<K, V> expireAfterAccess(Duration duration) {
		this.expireAfterAccess = positive("expire-after-access", duration);
		return this;
	}

	/**
	 * Asks for each entry how long it lives. Excludes the fixed times.
	 * @param expiry says how long; with {@code TINY_LFU} it must not use the cache, see
	 * {@link Expiry}
	 * @return this builder
	 */
	public CacheBuilder<K, V> expireAfter(Expiry<? super K, ? super V> expiry) {
		this.expiry = Objects.requireNonNull(expiry, "expiry");
		return this;
	}

	/**
	 * Sets the age from which values are refreshed. The next {@link Cache#get} or
	 * {@link Cache#getAsync} of an older value starts to load it in the background, with
	 * its own loader, and returns the old value. If the load fails, the old value is kept
	 * until it expires, and the next look-up tries again.
	 * @param duration positive
	 * @return this builder
	 */
	public CacheBuilder<K, V> refreshAfterWrite(Duration duration) {
		this.refreshAfterWrite = positive("refresh-after-write", duration);
		return this;
	}

	private Duration positive(String property, Duration duration) {
		if (duration.isNegative() || duration.isZero()) {
			throw new InvalidCacheException(this.name, property, duration, "positive, for example PT10M");
		}
		return duration;
	}

	/**
	 * Notifies a listener of each entry that leaves.
	 * @param listener the listener
	 * @return this builder
	 */
	public CacheBuilder<K, V> removalListener(RemovalListener<? super K, ? super V> listener) {
		this.listener = Objects.requireNonNull(listener, "listener");
		return this;
	}

	/**
	 * Counts hits, misses, loads and evictions.
	 * @return this builder
	 */
	public CacheBuilder<K, V> recordStatistics() {
		this.recordStatistics = true;
		return this;
	}

	/**
	 * Applies each access to the policy before the method returns, one at a time: the
	 * sequence of hits is exactly that of the textbook policy, at the price of a lock for
	 * each operation. Only for the exact policies and AIC.
	 * @return this builder
	 */
	public CacheBuilder<K, V> strict() {
		this.strict = true;
		return this;
	}

	/**
	 * Sets where refreshing loads run; the common pool by default.
	 * @param executor an executor; a load that it refuses has failed
	 * @return this builder
	 */
	public CacheBuilder<K, V> executor(Executor executor) {
		this.executor = Objects.requireNonNull(executor, "executor");
		return this;
	}

	/**
	 * Sets where the removal listener runs; by default on the thread of an operation,
	 * after it is done: of the one that noticed the removal, or of another one at the
	 * same time. If it refuses or fails, the listener runs there.
	 * @param executor an executor
	 * @return this builder
	 */
	public CacheBuilder<K, V> listenerExecutor(Executor executor) {
		this.listenerExecutor = Objects.requireNonNull(executor, "executor");
		return this;
	}

	/**
	 * Sets the clock, for tests.
	 * @param nanos returns nanoseconds as {@link System#nanoTime}
	 * @return this builder
	 */
	public CacheBuilder<K, V> ticker(LongSupplier nanos) {
		this.ticker = Objects.requireNonNull(nanos, "nanos");
		return this;
	}

	/**
	 * Fixes the seed of the hash, which is random otherwise, so that runs can be
	 * repeated. A seed that an attacker knows lets him choose keys that collide.
	 * @param seed any number
	 * @return this builder
	 */
	public CacheBuilder<K, V> seed(long seed) {
		this.seed = seed;
		return this;
	}

	/**
	 * Returns whether there is a bound already.
	 * @return {@code true} once a maximum size or weight is set
	 */
	public boolean isBounded() {
		return this.maximumSize >= 0 || this.maximumWeight >= 0;
	}

	/**
	 * Returns whether the policy can keep to a maximum weight.
	 * @return {@code false} for set-associative policies
	 */
	public boolean canWeigh() {
		return this.policy.engine() != CachePolicy.Engine.SETS;
	}

	/**
	 * Makes a cache.
	 * @return an empty cache
	 * @throws InvalidCacheException if the properties contradict each other
	 */
	public Cache<K, V> build() {
		check();
		return Engines.create(new CacheBuilder<>(this));
	}

	private void check() {
		if (this.maximumSize < 0 && this.maximumWeight < 0) {
			throw new InvalidCacheException(this.name, "maximum-size", "not set",
					"set (or maximum-weight): a cache without a bound is a leak");
		}
		if (this.maximumSize >= 0 && this.maximumWeight >= 0) {
			throw new InvalidCacheException(this.name, "maximum-weight", this.maximumWeight,
					"absent if maximum-size is set (" + this.maximumSize + "): the bound is one or the other");
		}
		if (this.expiry != null) {
			refuseBesideExpiry("expire-after-write", this.expireAfterWrite);
			refuseBesideExpiry("expire-after-access", this.expireAfterAccess);
		}
		CachePolicy.Engine engine = this.policy.engine();
		if (this.maximumWeight >= 0 && engine == CachePolicy.Engine.SETS) {
			throw new InvalidCacheException(this.name, "maximum-weight", this.maximumWeight, "absent with the policy "
					+ this.policy + ": sets hold a number of entries; use maximum-size or another policy");
		}
		if (this.strict && engine != CachePolicy.Engine.POLICY) {
			throw new InvalidCacheException(this.name, "strict", true, "false with the policy " + this.policy
					+ ": strict are LRU, LFU, LFU_HISTORY, MRU, SLRU, FIFO, S3_FIFO, LIRS, W_TINY_LFU(percent), AIC and custom ones");
		}
	}

	private void refuseBesideExpiry(String property, @Nullable Duration duration) {
		if (duration != null) {
			throw new InvalidCacheException(this.name, property, duration,
					"absent if an Expiry decides for each entry");
		}
	}

	String name() {
		return this.name;
	}

	CachePolicy policy() {
		return this.policy;
	}

	boolean isWeighted() {
		return this.weigher != null;
	}

	long maximum() {
		return isWeighted() ? this.maximumWeight : this.maximumSize;
	}

	@Nullable Weigher<? super K, ? super V> weigher() {
		return this.weigher;
	}

	@Nullable Duration expireAfterWrite() {
		return this.expireAfterWrite;
	}

	@Nullable Duration expireAfterAccess() {
		return this.expireAfterAccess;
	}

	@Nullable Expiry<? super K, ? super V> expiry() {
		return this.expiry;
	}

	@Nullable Duration refreshAfterWrite() {
		return this.refreshAfterWrite;
	}

	@Nullable RemovalListener<? super K, ? super V> listener() {
		return this.listener;
	}

	boolean recordsStatistics() {
		return this.recordStatistics;
	}

	boolean isStrict() {
		return this.strict;
	}

	Executor executor() {
		return this.executor;
	}

	Executor listenerExecutor() {
		return this.listenerExecutor;
	}

	LongSupplier ticker() {
		return this.ticker;
	}

	@Nullable Long seed() {
		return this.seed;
	}

}
