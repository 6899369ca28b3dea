package io.github.vicinal.transport.testing;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;

/** Calls whose handler has run or runs, oldest first. Thread-safe. */
public final class RunningCalls {

	private final BlockingQueue<CallFrame> calls = new LinkedBlockingQueue<>();

	/** Notes that a handler runs. */
	public void add(CallFrame call) {
		this.calls.add(call);
	}

	/** Waits for the next one, and removes it. */
	public CallFrame next() throws InterruptedException {
		CallFrame call = this.calls.poll(20, TimeUnit.SECONDS);
		if (call == null) {
			throw new AssertionError("no handler runs");
		}
		return call;
	}

	/** Returns whether one that runs has learned that nobody waits for its answer. */
	public boolean isNextAbandoned() {
		CallFrame call = this.calls.peek();
		return call != null && call.isAbandoned();
	}

	/** Returns the number of those that were not removed. */
	public int size() {
		return this.calls.size();
	}

}
