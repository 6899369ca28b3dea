package io.github.vicinal.cache.jcache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

import javax.cache.CacheException;

import io.github.vicinal.cache.jcache.KeyLocks.KeyLock;

/**
 * Threads and the keys that they wait for, in all caches of a provider. A circle of
 * threads would wait forever: a loader, writer, entry processor or listener holds the
 * lock of its key and may ask for another one.
 */
final class Waits {

	/**
	 * Length of a chain of waiting threads from which it is taken for a circle of others,
	 * one of which goes on.
	 */
	private static final int LONGEST = 10_000;

	private final ConcurrentMap<Thread, KeyLock> waiting = new ConcurrentHashMap<>();

	/**
	 * One thread at a time checks and registers its wait. So a thread that is found
	 * waiting for a lock whose owner also waits keeps waiting, and only the last thread
	 * of a circle sees it.
	 */
	private final ReentrantLock entering = new ReentrantLock();

	/**
	 * Notes that this thread is about to wait.
	 * @throws CacheException if it would wait for itself
	 */
	void enter(String cache, KeyLock lock) {
		Thread me = Thread.currentThread();
		this.entering.lock();
		try {
			KeyLock next = lock;
			for (int i = 0; next != null && i < LONGEST; i++) {
				Thread owner = next.owner();
				if (owner == me) {
					throw new CacheException(
							"Cache '%s': the key '%s' is waited for in a circle of threads: a loader, writer, entry processor or listener must not request a key that waits for its own key"
								.formatted(cache, lock.key()));
				}
				next = (owner != null) ? this.waiting.get(owner) : null;
			}
			this.waiting.put(me, lock);
		}
		finally {
			this.entering.unlock();
		}
	}

	void leave() {
		this.waiting.remove(Thread.currentThread());
	}

}
