package io.github.vicinal.boot.cache;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of caches.
 *
 * @param enabled Whether Spring's cache abstraction uses Vicinal's caches if nothing else
 * is chosen.
 * @param policy Replacement policy: TINY_LFU, LRU, LFU, LFU_HISTORY, MRU, SLRU, FIFO,
 * S3_FIFO, LIRS, AIC, PLRU, TWO_WAY, K_WAY(k), K_WAY_TINY_LFU(k) or W_TINY_LFU(percent).
 * Default is TINY_LFU.
 * @param maximumSize Maximum number of entries of a cache. Default is 10000, unless there
 * is a maximum weight; caches of calls are bounded by bytes.
 * @param maximumWeight Maximum weight of a cache, with weights from a bean of type
 * Weigher, or maximum bytes of a cache of calls. Default for caches of calls is 16777216.
 * Excludes a maximum size.
 * @param expireAfterWrite Lifetime of an entry since it was written. Default is forever.
 * @param expireAfterAccess Lifetime of an entry since it was last read or written.
 * Default is forever.
 * @param refreshAfterWrite Age from which a value is refreshed in the background by a
 * look-up with a loader, as methods with sync = true and cached calls do. Default is
 * never.
 * @param statistics Whether hits, misses and loads are counted. Default is true.
 * @param allowNullValues Whether null may be cached.
 * @param dynamic Whether a cache is created when an unknown name is requested. Default is
 * true, unless spring.cache.cache-names is set.
 * @param transactionAware Whether changes within a transaction take effect after its
 * commit.
 * @param caches Single caches by name. Settings that they leave out are as above.
 * @since 0.1.0
 */
@ConfigurationProperties("vicinal.cache")
record CacheProperties(@DefaultValue("true") boolean enabled, @Nullable String policy, @Nullable Long maximumSize,
		@Nullable Long maximumWeight, @Nullable Duration expireAfterWrite, @Nullable Duration expireAfterAccess,
		@Nullable Duration refreshAfterWrite, @Nullable Boolean statistics,
		@DefaultValue("true") boolean allowNullValues, @Nullable Boolean dynamic,
		@DefaultValue("false") boolean transactionAware, @DefaultValue Map<String, Single> caches) {

	/** Prefix of the properties. */
	public static final String PREFIX = "vicinal.cache";

	/**
	 * One cache.
	 *
	 * @param policy Replacement policy.
	 * @param maximumSize Maximum number of entries.
	 * @param maximumWeight Maximum weight, with weights from a bean of type Weigher, or
	 * maximum bytes of a cache of calls. Excludes a maximum size.
	 * @param expireAfterWrite Lifetime of an entry since it was written.
	 * @param expireAfterAccess Lifetime of an entry since it was last read or written.
	 * @param refreshAfterWrite Age from which a value is refreshed in the background by a
	 * look-up with a loader.
	 * @param statistics Whether hits, misses and loads are counted.
	 * @param sharedByAllCallers Whether all callers may see the same answers, for a cache
	 * of calls whose HTTP client may add the caller to requests. Default is false.
	 */
	public record Single(@Nullable String policy, @Nullable Long maximumSize, @Nullable Long maximumWeight,
			@Nullable Duration expireAfterWrite, @Nullable Duration expireAfterAccess,
			@Nullable Duration refreshAfterWrite, @Nullable Boolean statistics, @Nullable Boolean sharedByAllCallers) {
	}

	Single common() {
		return new Single(this.policy, this.maximumSize, this.maximumWeight, this.expireAfterWrite,
				this.expireAfterAccess, this.refreshAfterWrite, this.statistics, null);
	}

}
