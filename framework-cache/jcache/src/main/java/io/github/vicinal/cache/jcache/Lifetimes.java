package io.github.vicinal.cache.jcache;

import java.util.function.Supplier;

import javax.cache.expiry.Duration;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;

import io.github.vicinal.cache.Expiry;
import org.jspecify.annotations.Nullable;

/** Asks the user's expiry policy; what it throws counts as no answer. */
final class Lifetimes {

	private final ExpiryPolicy policy;

	private final boolean eternal;

	Lifetimes(ExpiryPolicy policy) {
		this.policy = policy;
		this.eternal = policy.getClass() == EternalExpiryPolicy.class;
	}

	ExpiryPolicy policy() {
		return this.policy;
	}

	/** Whether nothing ever expires. */
	boolean eternal() {
		return this.eternal;
	}

	/** Returns the deadline of a new entry. */
	long created() {
		return this.eternal ? Held.NEVER : deadline(this.policy::getExpiryForCreation, Held.NEVER);
	}

	/** Returns the deadline of an entry that gets a new value. */
	long updated(long deadline) {
		return this.eternal ? Held.NEVER : deadline(this.policy::getExpiryForUpdate, deadline);
	}

	/** Returns the deadline of an entry that was read. */
	long accessed(long deadline) {
		return this.eternal ? Held.NEVER : deadline(this.policy::getExpiryForAccess, deadline);
	}

	private static long deadline(Supplier<@Nullable Duration> duration, long unchanged) {
		Duration asked;
		try {
			asked = duration.get();
		}
		catch (RuntimeException ex) {
			return unchanged;
		}
		if (asked == null) {
			return unchanged;
		}
		if (asked.isEternal()) {
			return Held.NEVER;
		}
		long nanos = asked.getTimeUnit().toNanos(asked.getDurationAmount());
		return (nanos >= Held.NEVER / 2) ? Held.NEVER : System.nanoTime() + nanos;
	}

	/** Gives the engine the time at which an entry may be removed. */
	<K, V> Expiry<K, Held<V>> expiry() {
		return (key, held) -> held.remaining();
	}

}
