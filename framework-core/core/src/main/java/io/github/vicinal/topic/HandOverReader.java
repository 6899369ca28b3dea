package io.github.vicinal.topic;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Hands the messages of a subscription to the thread that asks for them. The thread that
 * handles messages waits until the reader has acknowledged them, so there is never more
 * than one batch here.
 */
final class HandOverReader<T> implements TopicReader<T>, BatchHandler<T> {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition offered = this.lock.newCondition();

	private final Condition handled = this.lock.newCondition();

	private final Subscription subscription;

	/** Empty if there is nothing. Guarded by the lock, as all that follows. */
	private List<Message<T>> batch = List.of();

	/** Number of messages of the batch that the reader has taken. */
	private int taken;

	/** Number of messages of the batch that the reader has acknowledged. */
	private int acknowledged;

	private boolean closed;

	HandOverReader(Function<MessageHandler<T>, Subscription> topics) {
		this.subscription = topics.apply(this);
	}

	@Override
	public void handleAll(List<Message<T>> next) {
		this.lock.lock();
		try {
			requireOpen(0);
			this.batch = next;
			this.offered.signal();
			while (this.acknowledged < next.size() && !this.closed) {
				this.handled.awaitUninterruptibly();
			}
			int done = this.acknowledged;
			this.batch = List.of();
			this.taken = 0;
			this.acknowledged = 0;
			if (done < next.size()) {
				requireOpen(done);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void requireOpen(int done) {
		if (this.closed) {
			throw new BatchFailedException(done, new MessageReturnedException());
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
		return first(await(Long.MAX_VALUE, 1));
	}

	@Override
	public @Nullable Message<T> poll(Duration patience) throws InterruptedException {
		return first(await(patience.toNanos(), 1));
	}

	private static <T> @Nullable Message<T> first(List<Message<T>> messages) {
		return messages.isEmpty() ? null : messages.get(0);
	}

	@Override
	public List<Message<T>> takeAll() throws InterruptedException {
		return await(Long.MAX_VALUE, Integer.MAX_VALUE);
	}

	@Override
	public List<Message<T>> pollAll(Duration patience) throws InterruptedException {
		return await(patience.toNanos(), Integer.MAX_VALUE);
	}

	private List<Message<T>> await(long nanos, int max) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			acknowledge();
			long left = nanos;
			while (this.taken == this.batch.size() && !this.closed) {
				if (left <= 0) {
					return List.of();
				}
				left = this.offered.awaitNanos(left);
			}
			if (this.closed) {
				return List.of();
			}
			int from = this.taken;
			this.taken += Math.min(max, this.batch.size() - from);
			return this.batch.subList(from, this.taken);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void acknowledge() {
		this.lock.lock();
		try {
			if (this.acknowledged < this.taken) {
				this.acknowledged = this.taken;
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
