package io.github.vicinal.cache.spring;

/**
 * Notifies other instances of an application of outdated values, and receives such
 * notifications. Without one, each instance keeps its values until they expire.
 * <p>
 * {@link #evicted} and {@link #cleared} are called after the local change, on its thread
 * and without a lock; they should hand the message over and return. Their exceptions are
 * thrown to the caller of the change. Messages of other instances change this instance
 * only, and are not sent again. Thread-safe.
 *
 * @since 0.1.0
 */
public interface InvalidationBroadcast {

	/** Notifies no other instance. */
	InvalidationBroadcast NONE = new InvalidationBroadcast() {
		@Override
		public void evicted(String cache, Object key) {
		}

		@Override
		public void cleared(String cache) {
		}

		@Override
		public void start(Receiver receiver) {
		}
	};

	/**
	 * A key was evicted, or its value replaced by {@code put}. A value that
	 * {@code @Cacheable} stores after a miss is no change, and is not broadcast.
	 * @param cache the name of the cache
	 * @param key the key
	 */
	void evicted(String cache, Object key);

	/**
	 * All keys were evicted.
	 * @param cache the name of the cache
	 */
	void cleared(String cache);

	/**
	 * Starts to receive. Called once, before the first message is sent.
	 * @param receiver notified of messages of other instances
	 */
	void start(Receiver receiver);

	/**
	 * Applies what other instances say. Thread-safe. Names of caches that this instance
	 * does not have are ignored.
	 */
	interface Receiver {

		/**
		 * Evicts a key here.
		 * @param cache the name of the cache
		 * @param key the key
		 */
		void evict(String cache, Object key);

		/**
		 * Evicts all keys here.
		 * @param cache the name of the cache
		 */
		void clear(String cache);

	}

}
