package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads that the policy does not know of yet, in the order of each thread. Lossy: threads
 * that share a stripe may overwrite each other's reads, and reads are overwritten while
 * nobody drains. A single thread loses nothing.
 * <p>
 * A read is in its place before the cursor passes it, so that a drain misses no read of a
 * thread that has a stripe to itself. If threads collide, a late one can leave a read
 * behind the drain. That read is overwritten, or reported in the next round.
 * <p>
 * After X. Ding, S. Jiang, X. Zhang, BP-Wrapper: a system framework making any
 * replacement algorithms (almost) lock contention free (2009), section 3.
 *
 * @param <E> what is read
 */
final class ReadBuffer<E> {

	private static final int STRIPE_SIZE = 16;

	private static final int MAX_STRIPES = 128;

	private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);

	private static final VarHandle CURSOR;

	static {
		try {
			CURSOR = MethodHandles.lookup().findVarHandle(Cursor.class, "cursor", int.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final Stripe[] stripes;

	/** Fields before and after keep the cursors of two stripes off one cache line. */
	@SuppressWarnings("unused")
	private static class Front {

		private long p1;

		private long p2;

		private long p3;

		private long p4;

		private long p5;

		private long p6;

		private long p7;

	}

	private static class Cursor extends Front {

		/** Racy on purpose: threads that collide lose a read. */
		int cursor;

		/** Cursor of the last drain; used by the draining thread only. */
		int drained;

		final @Nullable Object[] elements = new Object[STRIPE_SIZE];

	}

	@SuppressWarnings("unused")
	private static final class Stripe extends Cursor {

		private long q1;

		private long q2;

		private long q3;

		private long q4;

		private long q5;

		private long q6;

		private long q7;

	}

	/**
	 * Creates an empty buffer.
	 * @param stripes number of threads that can use it without meeting, a power of two
	 */
	ReadBuffer(int stripes) {
		this.stripes = new Stripe[stripes];
		for (int i = 0; i < this.stripes.length; i++) {
			this.stripes[i] = new Stripe();
		}
	}

	/**
	 * Returns the number of stripes that suit a machine: four for each processor, rounded
	 * up to a power of two, at most 128. Threads that were started one after the other
	 * have stripes of their own then, if they are not many more than the processors.
	 */
	static int stripes(int processors) {
		return Math.min(MAX_STRIPES, Integer.highestOneBit(Math.max(1, Math.min(processors, MAX_STRIPES)) * 8 - 1));
	}

	/**
	 * Remembers a read.
	 * @return whether it is time to drain
	 */
	boolean offer(E element) {
		Stripe stripe = this.stripes[stripe()];
		int cursor = stripe.cursor;
		int at = cursor & (STRIPE_SIZE - 1);
		ELEMENT.setRelease(stripe.elements, at, element);
		CURSOR.setRelease(stripe, cursor + 1);
		return at == STRIPE_SIZE - 1;
	}

	/** Returns the number of the stripe that this thread's reads are in. */
	int stripe() {
		return (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 40) & (this.stripes.length - 1);
	}

	/**
	 * Drains the reads of one stripe; one thread at a time. Reads of other threads stay
	 * in their processors' caches.
	 * @param stripe as {@link #stripe} returned it
	 */
	void drain(int stripe, Consumer<E> to) {
		drain(this.stripes[stripe], to);
	}

	/** Takes all reads out; one thread at a time. */
	void drain(Consumer<E> to) {
		for (Stripe stripe : this.stripes) {
			drain(stripe, to);
		}
	}

	@SuppressWarnings("unchecked")
	private void drain(Stripe stripe, Consumer<E> to) {
		int end = (int) CURSOR.getAcquire(stripe);
		int pending = end - stripe.drained;
		// Threads that collide may also set the cursor back.
		int from = (pending < 0 || pending > STRIPE_SIZE) ? end - STRIPE_SIZE : stripe.drained;
		@Nullable Object[] elements = stripe.elements;
		for (int i = from; i != end; i++) {
			int at = i & (STRIPE_SIZE - 1);
			Object element = ELEMENT.getAcquire(elements, at);
			if (element != null) {
				ELEMENT.setOpaque(elements, at, null);
				to.read((E) element);
			}
		}
		stripe.drained = end;
	}

	/** Returns the number of reads that have been neither drained nor overwritten. */
	@SuppressWarnings("unchecked")
	List<E> left() {
		List<E> left = new ArrayList<>();
		for (Stripe stripe : this.stripes) {
			for (int i = 0; i < STRIPE_SIZE; i++) {
				Object element = ELEMENT.getAcquire(stripe.elements, i);
				if (element != null) {
					left.add((E) element);
				}
			}
		}
		return left;
	}

	/** Receives reads. */
	interface Consumer<E> {

		void read(E element);

	}

}
