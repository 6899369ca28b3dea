package io.github.vicinal.transport.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;

/** A handler that lets nobody leave before it is opened. */
public final class Gate {

	private final AtomicInteger inside = new AtomicInteger();

	private final CountDownLatch open = new CountDownLatch(1);

	/** Returns how many calls have come in. */
	public int inside() {
		return this.inside.get();
	}

	public void open() {
		this.open.countDown();
	}

	/** Answers with the first argument. */
	public Reply pass(CallFrame frame) {
		this.inside.incrementAndGet();
		try {
			if (!this.open.await(60, TimeUnit.SECONDS)) {
				throw new IllegalStateException("nobody opened the gate");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return Contracts.value(frame.arguments()[0]);
	}

}
