package io.github.vicinal.cache.jcache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * A lock for each key that is being changed; none for all others. Reentrant, and kind to
 * virtual threads.
 *
 * @param <K> the type of keys
 */
final class KeyLocks<K> {

	/** Number of attempts to lock several keys while another thread holds one of them. */
	private static final int TRIES = 100;

	/** Number of attempts to lock several keys before locks are kept between attempts. */
	private static final int ROUNDS = 8;

	private final String cache;

	private final Waits waits;

	private final ConcurrentMap<KeyLock, KeyLock> locks = new ConcurrentHashMap<>();

	KeyLocks(String cache, Waits waits) {
		this.cache = cache;
		this.waits = waits;
	}

	/**
	 * The lock of a key, and its place in the map: found by the hash that the key had
	 * when it was locked, whatever becomes of it.
	 */
	@SuppressWarnings("serial")
	static final class KeyLock extends ReentrantLock {

		private final Object key;

		private final int hash;

		/**
		 * Number of threads that hold or want the lock. Changes only inside a computation
		 * on the map.
		 */
		private int users;

		private KeyLock(Object key) {
			this.key = key;
			this.hash = key.hashCode();
		}

		Object key() {
			return this.key;
		}

		@Nullable Thread owner() {
			return getOwner();
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other || (other instanceof KeyLock lock && this.key.equals(lock.key));
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

	/**
	 * Locks a key, to be unlocked by {@link #unlock} with the result.
	 * @throws javax.cache.CacheException if that would never come to an end
	 */
	KeyLock lock(K key) {
		KeyLock lock = use(key);
		try {
			await(lock);
			return lock;
		}
		catch (Throwable ex) {
			forget(lock);
			throw ex;
		}
	}

	/**
	 * Locks a key unless another thread has it.
	 * @return the lock, or {@code null}
	 */
	@Nullable KeyLock tryLock(K key) {
		KeyLock lock = use(key);
		if (lock.tryLock()) {
			return lock;
		}
		forget(lock);
		return null;
	}

	void unlock(KeyLock lock) {
		lock.unlock();
		forget(lock);
	}

	private KeyLock use(K key) {
		return this.locks.compute(new KeyLock(key), (wanted, known) -> {
			KeyLock lock = (known != null) ? known : wanted;
			lock.users++;
			return lock;
		});
	}

	private void forget(KeyLock lock) {
		this.locks.computeIfPresent(lock, (same, known) -> (--known.users == 0) ? null : known);
	}

	private void await(KeyLock lock) {
		if (!lock.tryLock()) {
			this.waits.enter(this.cache, lock);
			try {
				lock.lock();
			}
			finally {
				this.waits.leave();
			}
		}
	}

	/**
	 * Locks several keys, to be unlocked by {@link #unlockAll} with the result. At first
	 * it holds none of them while it waits for one: so nobody waits for it meanwhile. If
	 * there always is one that others have, it keeps what it has, in an order that is the
	 * same for all threads.
	 * @throws javax.cache.CacheException if that would never come to an end
	 */
	List<KeyLock> lockAll(Collection<? extends K> keys) {
		List<KeyLock> wanted = new ArrayList<>(keys.size());
		try {
			keys.forEach((key) -> wanted.add(use(key)));
			wanted.sort(Comparator.comparingInt(KeyLock::hashCode).thenComparingInt(System::identityHashCode));
			for (int round = 0; round < ROUNDS; round++) {
				KeyLock busy = tryAll(wanted);
				if (busy == null) {
					return wanted;
				}
				await(busy);
				busy.unlock();
			}
			awaitAll(wanted);
			return wanted;
		}
		catch (Throwable ex) {
			wanted.forEach(this::forget);
			throw ex;
		}
	}

	private void awaitAll(List<KeyLock> wanted) {
		int locked = 0;
		try {
			for (KeyLock lock : wanted) {
				await(lock);
				locked++;
			}
		}
		catch (Throwable ex) {
			wanted.subList(0, locked).forEach(KeyLock::unlock);
			throw ex;
		}
	}

	/** Locks all or none, and then returns the one that another thread has. */
	private static @Nullable KeyLock tryAll(List<KeyLock> wanted) {
		for (int i = 0; i < wanted.size(); i++) {
			if (!tryBriefly(wanted.get(i))) {
				wanted.subList(0, i).forEach(KeyLock::unlock);
				return wanted.get(i);
			}
		}
		return null;
	}

	/** Most changes are over soon, and then nothing is given back for them. */
	private static boolean tryBriefly(KeyLock lock) {
		for (int i = 0; i < TRIES; i++) {
			if (lock.tryLock()) {
				return true;
			}
			Thread.yield();
		}
		return false;
	}

	void unlockAll(List<KeyLock> locked) {
		locked.forEach(KeyLock::unlock);
		locked.forEach(this::forget);
	}

	/** Returns the number of keys that are locked or wanted. */
	int size() {
		return this.locks.size();
	}

}
