package io.github.vicinal.cache;

/**
 * Why an entry left a cache.
 *
 * @since 0.1.0
 */
public enum RemovalCause {

	/** It was invalidated, or removed through the map view. */
	EXPLICIT,

	/** Its value was replaced by another. */
	REPLACED,

	/** It was evicted, or not admitted, because of the bound. */
	SIZE,

	/** Its time had passed. */
	EXPIRED;

	/**
	 * Returns whether the cache removed it by itself.
	 * @return whether it is {@link #SIZE} or {@link #EXPIRED}
	 */
	public boolean wasEvicted() {
		return this == SIZE || this == EXPIRED;
	}

}
