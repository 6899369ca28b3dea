package io.github.vicinal.cache.spring;

/**
 * Tells other instances of an application which values are no longer true, and learns it
 * from them. Without one, each instance keeps what it has until it expires.
 * <p>
 * {@link #evicted} and {@link #cleared} are called after the local change, on its thread
 * and without a lock; they should hand the message over and return. What they throw is
 * thrown to whoever evicted. What comes from others changes this instance only, and is
 * not told again. Thread-safe.
 *
 * @since 0.1.0
 */
public interface InvalidationBroadcast {

	/** Tells nobody. */
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
	 * A key was evicted, or its value replaced by {@code put}. What {@code @Cacheable}
	 * stores after a miss is no change, and is not told.
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
	 * @param receiver to be told what other instances say
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
