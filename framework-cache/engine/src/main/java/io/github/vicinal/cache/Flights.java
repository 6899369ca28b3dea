package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The loads of a cache that are under way: at most one for each key.
 * <p>
 * They are few, and most last for nanoseconds only. So they are in a small table without
 * locks: a place has nothing, a flight, or an array of the flights whose keys meet there,
 * which is never changed but replaced, by compare-and-set.
 */
final class Flights<K, V> {

	private static final int PLACES = 256;

	private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Object[].class);

	private final String cache;

	private final @Nullable Object[] places = new Object[PLACES];

	/** The lower bits are random, so that nobody can prepare keys that meet. */
	private final long multiplier = 0x9E3779B97F4A7C15L ^ (ThreadLocalRandom.current().nextLong() >>> Byte.SIZE & ~1L);

	Flights(String cache) {
		this.cache = cache;
	}

	int place(int hash) {
		return (int) ((hash * this.multiplier) >>> (Long.SIZE - Integer.numberOfTrailingZeros(PLACES)));
	}

	private @Nullable Object at(int place) {
		return PLACE.getVolatile(this.places, place);
	}

	@SuppressWarnings("unchecked")
	private @Nullable Flight<K, V> search(@Nullable Object there, K key, int hash) {
		if (there == null) {
			return null;
		}
		if (there instanceof Flight<?, ?> one) {
			return one.isFor(key, hash) ? (Flight<K, V>) one : null;
		}
		for (Flight<K, V> flight : (Flight<K, V>[]) there) {
			if (flight.isFor(key, hash)) {
				return flight;
			}
		}
		return null;
	}

	/**
	 * Takes off, unless there is a flight for the key.
	 * @return the other flight, or {@code null} if it is now {@code mine}
	 */
	@Nullable Flight<K, V> join(Flight<K, V> mine) {
		int hash = mine.key().hashCode();
		mine.hash(hash);
		int place = place(hash);
		while (true) {
			Object there = at(place);
			Flight<K, V> other = search(there, mine.key(), hash);
			if (other != null) {
				return other;
			}
			if (PLACE.compareAndSet(this.places, place, there, with(there, mine))) {
				return null;
			}
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private static Object with(@Nullable Object there, Flight<?, ?> mine) {
		if (there == null) {
			return mine;
		}
		if (there instanceof Flight<?, ?> one) {
			return new Flight<?, ?>[] { one, mine };
		}
		Flight<?, ?>[] some = (Flight<?, ?>[]) there;
		Flight<?, ?>[] more = Arrays.copyOf(some, some.length + 1);
		more[some.length] = mine;
		return more;
	}

	/** Calls no code of the user, because a flight that ends must be removed. */
	private void remove(Flight<K, V> flight) {
		int place = place(flight.hash());
		while (true) {
			Object there = at(place);
			Object rest = without(there, flight);
			if (rest == there || PLACE.compareAndSet(this.places, place, there, rest)) {
				return;
			}
		}
	}

	/** Returns what is left, or the very same if the flight is not there. */
	@SuppressWarnings("FutureReturnValueIgnored")
	private static @Nullable Object without(@Nullable Object there, Flight<?, ?> flight) {
		if (there == flight) {
			return null;
		}
		if (!(there instanceof Flight<?, ?>[] some)) {
			return there;
		}
		int at = Arrays.asList(some).indexOf(flight);
		if (at < 0) {
			return there;
		}
		if (some.length == 2) {
			return some[1 - at];
		}
		Flight<?, ?>[] rest = Arrays.copyOf(some, some.length - 1);
		System.arraycopy(some, at + 1, rest, at, rest.length - at);
		return rest;
	}

	@Nullable Flight<K, V> find(K key) {
		int hash = key.hashCode();
		return search(at(place(hash)), key, hash);
	}

	void end(Flight<K, V> flight) {
		remove(flight);
		flight.end();
	}

	void displace(K key) {
		Flight<K, V> flight = find(key);
		if (flight != null) {
			displace(flight);
		}
	}

	void displace(Flight<K, V> flight) {
		flight.displace();
		remove(flight);
	}

	@SuppressWarnings("unchecked")
	void displaceAll() {
		for (int place = 0; place < PLACES; place++) {
			Object there = at(place);
			if (there instanceof Flight<?, ?> one) {
				displace((Flight<K, V>) one);
			}
			else if (there != null) {
				for (Flight<K, V> flight : (Flight<K, V>[]) there) {
					displace(flight);
				}
			}
		}
	}

	/**
	 * Takes over a load that waits for a thread.
	 * @return false if it does not any more: look again
	 */
	boolean takeOver(Flight<K, V> queued) {
		if (queued.takeOver(Thread.currentThread())) {
			return true;
		}
		if (queued.isQueued()) {
			// It waits in vain, and the thread that displaced it is about to do the same.
			remove(queued);
		}
		return false;
	}

	/** Waits for the outcome of another's load. */
	@Nullable V await(Flight<K, V> flight) {
		awaitEnd(flight);
		try {
			return flight.join();
		}
		catch (CompletionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof RuntimeException unchecked) {
				throw unchecked;
			}
			if (cause instanceof Error error) {
				throw error;
			}
			throw new CompletionException(cause);
		}
	}

	/** Waits until another's load is over, whatever its outcome. */
	void awaitEnd(Flight<K, V> flight) {
		try {
			if (!flight.isDone() && !Landing.await(flight)) {
				throw waitsForItself(flight);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CompletionException("Interrupted while waiting for a load of cache '" + this.cache + "'", ex);
		}
	}

	/** Refuses to let this thread wait, in whatever way, for what it does itself. */
	void refuseOwn(Flight<K, V> flight) {
		if (flight.owner() == Thread.currentThread() && !flight.isDone()) {
			throw waitsForItself(flight);
		}
	}

	private IllegalStateException waitsForItself(Flight<K, V> flight) {
		return new IllegalStateException(
				"Cache '%s': the load of key '%s' waits for itself: a loader must not request a key whose load needs its own key"
					.formatted(this.cache, flight.key()));
	}

	/**
	 * Waits without running anything else. {@code CompletableFuture.get} would run
	 * waiting tasks of the caller's fork-join pool, and what one of those asks the cache
	 * for may be what its thread loads: it would wait for itself, through no fault of its
	 * own. The pool gets another thread for them instead.
	 * <p>
	 * While a thread waits, this is its blocker, as a lock is: so a circle of threads is
	 * seen through all caches that they wait for, and in thread dumps.
	 */
	private static final class Landing implements ForkJoinPool.ManagedBlocker {

		/**
		 * Length of a chain of waiting threads from which it is taken for a circle of
		 * others.
		 */
		private static final int LONGEST = 10_000;

		private final Flight<?, ?> flight;

		/**
		 * Returns whether the flight waits for this thread, directly or through others.
		 */
		private boolean inCircle;

		private Landing(Flight<?, ?> flight) {
			this.flight = flight;
		}

		/** Returns false if the thread would wait for itself. */
		@SuppressWarnings("FutureReturnValueIgnored")
		static boolean await(Flight<?, ?> flight) throws InterruptedException {
			Landing landing = new Landing(flight);
			Thread me = Thread.currentThread();
			flight.whenComplete((value, ex) -> LockSupport.unpark(me));
			try {
				ForkJoinPool.managedBlock(landing);
			}
			catch (RejectedExecutionException ex) {
				// The pool has no spare thread any more: it waits with one thread less.
				landing.block();
			}
			return !landing.inCircle;
		}

		@Override
		public boolean block() throws InterruptedException {
			LockSupport.setCurrentBlocker(this);
			try {
				// First says that it waits, then looks: of the threads of a circle, one
				// will see it.
				VarHandle.fullFence();
				List<Landing> circle = circle();
				this.inCircle = circle != null && circle.equals(circle());
				while (!isReleasable()) {
					if (Thread.interrupted()) {
						throw new InterruptedException();
					}
					LockSupport.park();
				}
				return true;
			}
			finally {
				LockSupport.setCurrentBlocker(null);
			}
		}

		/**
		 * Returns the waits that lead back to this thread, or {@code null} if they do
		 * not. Others go on meanwhile: only what is found twice was so at one moment.
		 */
		private @Nullable List<Landing> circle() {
			Thread me = Thread.currentThread();
			List<Landing> waits = new ArrayList<>();
			Landing next = this;
			while (next != null && waits.size() < LONGEST) {
				waits.add(next);
				Thread owner = next.flight.owner();
				if (owner == me) {
					return waits;
				}
				next = (owner != null && LockSupport.getBlocker(owner) instanceof Landing landing) ? landing : null;
			}
			return null;
		}

		@Override
		public boolean isReleasable() {
			return this.inCircle || this.flight.isDone();
		}

		@Override
		public String toString() {
			return "load of key '" + this.flight.key() + "'";
		}

	}

}
