package io.github.vicinal.transport.direct;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The calls that an application executes for others in its JVM: on which threads, the
 * callers' among them, and which are handed to its executor. They can be waited for, and
 * cut off when they outlast the end of the application. Thread-safe.
 */
final class RunningCalls implements Executor {

	/*
	 * A thread is noted in a slot while it executes a call. It writes and clears its slot
	 * by compare-and-set. To cut a call off, the closing thread replaces the thread in
	 * the slot by a CutOff, and interrupts the thread after that. The thread that leaves
	 * finds the CutOff, waits until the interrupt has been sent, and clears it. So an
	 * interrupt never reaches what the thread does after the call.
	 *
	 * Calls begin at a slot by the id of their thread. The threads of a pool have ids in
	 * a row, so that they rarely meet, and unlike a hash code the id of a new virtual
	 * thread costs nothing. If all slots are taken, there is a further table.
	 */

	private static final int SLOTS = 64;

	/** References between two slots, so that no two share a cache line. */
	private static final int SPACING = 16;

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Executor executor;

	private final AtomicReferenceArray<@Nullable Object> slots = new AtomicReferenceArray<>(SLOTS * SPACING);

	private final AtomicReference<@Nullable RunningCalls> more = new AtomicReference<>();

	/** Calls that were handed to the executor and have not ended. */
	private final Set<Runnable> handedOff = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the calls of an application.
	 * @param executor runs calls that must not hold their caller's thread
	 */
	RunningCalls(Executor executor) {
		this.executor = executor;
	}

	/** A call whose thread is interrupted. */
	private static final class CutOff {

		private final Thread thread;

		private boolean interruptedBefore;

		private volatile boolean done;

		CutOff(Thread thread) {
			this.thread = thread;
		}

		void interrupt() {
			this.interruptedBefore = this.thread.isInterrupted();
			this.thread.interrupt();
			this.done = true;
		}

		/** Takes the interrupt back. Called by the thread, when it leaves the call. */
		void takeBack() {
			while (!this.done) {
				Thread.onSpinWait();
			}
			if (!this.interruptedBefore) {
				Thread.interrupted();
			}
		}

	}

	/** Notes that the calling thread executes a call; {@link #end()} must follow. */
	void begin() {
		Thread self = Thread.currentThread();
		int first = first(self);
		for (int i = 0; i < SLOTS; i++) {
			int slot = slot(first + i);
			if (this.slots.get(slot) == null && this.slots.compareAndSet(slot, null, self)) {
				return;
			}
		}
		RunningCalls further = this.more.get();
		if (further == null) {
			RunningCalls created = new RunningCalls(this.executor);
			further = this.more.compareAndSet(null, created) ? created : this.more.get();
		}
		if (further != null) {
			further.begin();
		}
	}

	/**
	 * Notes that a call of the calling thread has ended.
	 * @return whether it was cut off
	 */
	boolean end() {
		Thread self = Thread.currentThread();
		int first = first(self);
		for (int i = 0; i < SLOTS; i++) {
			int slot = slot(first + i);
			if (this.slots.get(slot) == self && this.slots.compareAndSet(slot, self, null)) {
				return false;
			}
			// Also where the compare-and-set has failed just now.
			if (this.slots.get(slot) instanceof CutOff cut && cut.thread == self) {
				cut.takeBack();
				this.slots.set(slot, null);
				return true;
			}
		}
		RunningCalls further = this.more.get();
		return further != null && further.end();
	}

	private static int first(Thread thread) {
		return (int) thread.getId();
	}

	private static int slot(int number) {
		return (number & (SLOTS - 1)) * SPACING;
	}

	/** Hands a call to the executor. */
	@Override
	public void execute(Runnable call) {
		this.handedOff.add(call);
		boolean accepted = false;
		try {
			this.executor.execute(() -> {
				try {
					call.run();
				}
				finally {
					this.handedOff.remove(call);
				}
			});
			accepted = true;
		}
		finally {
			if (!accepted) {
				this.handedOff.remove(call);
			}
		}
	}

	/** Returns whether no call is executed but one of the calling thread itself. */
	private boolean quiet() {
		if (!this.handedOff.isEmpty()) {
			return false;
		}
		for (int slot = 0; slot < this.slots.length(); slot += SPACING) {
			Object held = this.slots.get(slot);
			if (held != null && held != Thread.currentThread()) {
				return false;
			}
		}
		RunningCalls further = this.more.get();
		return further == null || further.quiet();
	}

	/**
	 * Waits until no call is executed.
	 * @param timeout how long at most
	 * @return whether that is so; also {@code false} if the calling thread is interrupted
	 */
	boolean await(Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (!quiet()) {
			if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(this, POLL_NANOS);
		}
		return true;
	}

	/**
	 * Releases the callers of calls that were handed off, and interrupts the threads that
	 * execute calls. A call that begins in this moment may be missed.
	 */
	void cutOff() {
		for (Runnable call : this.handedOff) {
			if (call instanceof Future<?> future) {
				// The thread that executes it is interrupted below.
				future.cancel(false);
			}
		}
		for (int slot = 0; slot < this.slots.length(); slot += SPACING) {
			if (this.slots.get(slot) instanceof Thread thread && thread != Thread.currentThread()) {
				CutOff cut = new CutOff(thread);
				if (this.slots.compareAndSet(slot, thread, cut)) {
					cut.interrupt();
				}
			}
		}
		RunningCalls further = this.more.get();
		if (further != null) {
			further.cutOff();
		}
	}

}
