package io.github.vicinal.topic;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Hands the messages of a subscription to the thread that asks for them. The thread that
 * handles a message waits until the reader has acknowledged it, so there is never more
 * than one message here.
 */
final class HandOverReader<T> implements TopicReader<T>, MessageHandler<T> {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition offered = this.lock.newCondition();

	private final Condition handled = this.lock.newCondition();

	private final Subscription subscription;

	/** Guarded by the lock, as all that follows. */
	private @Nullable Message<T> message;

	private boolean taken;

	private boolean closed;

	HandOverReader(Function<MessageHandler<T>, Subscription> topics) {
		this.subscription = topics.apply(this);
	}

	@Override
	public void handle(Message<T> next) {
		this.lock.lock();
		try {
			requireOpen();
			this.message = next;
			this.taken = false;
			this.offered.signal();
			while (this.message == next && !this.closed) {
				this.handled.awaitUninterruptibly();
			}
			if (this.message == next) {
				this.message = null;
				requireOpen();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void requireOpen() {
		if (this.closed) {
			throw new MessageReturnedException();
		}
	}

	@Override
	public void closing() {
		this.lock.lock();
		try {
			this.closed = true;
			this.offered.signalAll();
			this.handled.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean isObserved() {
		return false;
	}

	@Override
	public @Nullable Message<T> take() throws InterruptedException {
		return await(Long.MAX_VALUE);
	}

	@Override
	public @Nullable Message<T> poll(Duration patience) throws InterruptedException {
		return await(patience.toNanos());
	}

	private @Nullable Message<T> await(long nanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			acknowledge();
			long left = nanos;
			while (this.message == null && !this.closed) {
				if (left <= 0) {
					return null;
				}
				left = this.offered.awaitNanos(left);
			}
			if (this.closed) {
				return null;
			}
			this.taken = true;
			return this.message;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void acknowledge() {
		this.lock.lock();
		try {
			if (this.taken && this.message != null) {
				this.message = null;
				this.taken = false;
				this.handled.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public SubscriptionReport report() {
		return this.subscription.report();
	}

	@Override
	public void close() {
		this.subscription.close();
	}

}
