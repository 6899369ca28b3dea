package io.github.vicinal.cache;

import java.time.Duration;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Expiry times of entries. Times are in nanoseconds since the cache was made, so that
 * they can be compared and added without overflow.
 */
final class Deadlines<K, V> {

	/** The deadline of what never expires. */
	static final long NEVER = Long.MAX_VALUE;

	private final LongSupplier ticker;

	private final long origin;

	private final long write;

	private final long access;

	private final @Nullable Expiry<? super K, ? super V> expiry;

	Deadlines(CacheBuilder<K, V> builder) {
		this.ticker = builder.ticker();
		this.origin = this.ticker.getAsLong();
		this.write = nanos(builder.expireAfterWrite());
		this.access = nanos(builder.expireAfterAccess());
		this.expiry = builder.expiry();
	}

	static long nanos(@Nullable Duration duration) {
		if (duration == null) {
			return NEVER;
		}
		try {
			return duration.toNanos();
		}
		catch (ArithmeticException ex) {
			return NEVER;
		}
	}

	/** Returns whether entries need a time at all. */
	static boolean needed(CacheBuilder<?, ?> builder) {
		return builder.expireAfterWrite() != null || builder.expireAfterAccess() != null || builder.expiry() != null
				|| builder.refreshAfterWrite() != null;
	}

	long now() {
		return this.ticker.getAsLong() - this.origin;
	}

	boolean changeOnRead() {
		return this.access != NEVER || this.expiry != null;
	}

	/**
	 * Returns whether somebody decides for each entry. If not, reads at the same time
	 * come to the same.
	 */
	boolean areDecided() {
		return this.expiry != null;
	}

	private static long add(long now, long duration) {
		long sum = now + duration;
		return (duration > 0 && sum < now) ? NEVER : sum;
	}

	long afterCreate(K key, V value, long now) {
		if (this.expiry != null) {
			return add(now, this.expiry.expireAfterCreate(key, value));
		}
		return add(now, Math.min(this.write, this.access));
	}

	long afterUpdate(K key, V value, long now, long deadline) {
		if (this.expiry != null) {
			return add(now, this.expiry.expireAfterUpdate(key, value, remaining(now, deadline)));
		}
		return add(now, Math.min(this.write, this.access));
	}

	long afterRead(K key, V value, long now, long written, long deadline) {
		if (this.expiry != null) {
			long remaining = remaining(now, deadline);
			long changed = this.expiry.expireAfterRead(key, value, remaining);
			return (changed == remaining) ? deadline : add(now, changed);
		}
		return Math.min(add(written, this.write), add(now, this.access));
	}

	private static long remaining(long now, long deadline) {
		return (deadline == NEVER) ? NEVER : deadline - now;
	}

}
