package io.github.vicinal.cache.jcache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock for each key that is being changed; none for all others. Reentrant, and kind to
 * virtual threads.
 *
 * @param <K> the type of keys
 */
final class KeyLocks<K> {

	private final ConcurrentMap<K, KeyLock> locks = new ConcurrentHashMap<>();

	/**
	 * Held while several keys are being locked: those who wait for a key meanwhile hold
	 * either this or nothing, so that nobody waits in a circle.
	 */
	private final ReentrantLock several = new ReentrantLock();

	@SuppressWarnings("serial")
	private static final class KeyLock extends ReentrantLock {

		/** Who holds it or waits for it; changes only while the map is at the key. */
		private int users;

	}

	void lock(K key) {
		KeyLock lock = this.locks.compute(key, (same, known) -> {
			KeyLock wanted = (known != null) ? known : new KeyLock();
			wanted.users++;
			return wanted;
		});
		lock.lock();
	}

	void unlock(K key) {
		this.locks.computeIfPresent(key, (same, lock) -> {
			lock.unlock();
			return (--lock.users == 0) ? null : lock;
		});
	}

	/** Locks several keys; to be unlocked by {@link #unlockAll} with the result. */
	List<K> lockAll(Collection<? extends K> keys) {
		List<K> locked = new ArrayList<>(keys.size());
		this.several.lock();
		try {
			for (K key : keys) {
				lock(key);
				locked.add(key);
			}
			return locked;
		}
		catch (Throwable ex) {
			unlockAll(locked);
			throw ex;
		}
		finally {
			this.several.unlock();
		}
	}

	void unlockAll(List<K> locked) {
		locked.forEach(this::unlock);
	}

	/** Returns how often the calling thread holds the lock of a key. */
	int holds(K key) {
		KeyLock lock = this.locks.get(key);
		return (lock != null) ? lock.getHoldCount() : 0;
	}

}
