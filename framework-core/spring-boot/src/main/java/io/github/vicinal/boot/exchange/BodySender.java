package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;

/**
 * Sends the buffers that a publisher emits, on threads that may block. Further buffers
 * are requested once those before were sent. A part is not kept back until it is full:
 * what the publisher has emitted is sent when nothing else is there, so that a server
 * sees slow streams as they come.
 */
final class BodySender extends BaseSubscriber<DataBuffer> implements Runnable {

	/** Maximum number of buffers that are requested and not sent yet. */
	static final int MAX_BUFFERS = 32;

	private final PartsOutput out;

	private final Executor threads;

	private final ContextView context;

	/** Number of bytes after which the end is to be expected, or -1. */
	private final long length;

	/** Whether the end comes with the first buffer. */
	private final boolean single;

	private final Outcome outcome;

	private final Queue<DataBuffer> queue = Queues.<DataBuffer>get(MAX_BUFFERS).get();

	/** The thread that starts takes what comes meanwhile. */
	private final AtomicInteger work = new AtomicInteger(1);

	private volatile @Nullable Throwable failure;

	private volatile boolean done;

	/** Bytes that were written. */
	private long written;

	private boolean ended;

	/** Receives the outcome of sending the body, on a thread that may block. */
	interface Outcome {

		/** All has been written that the server wants. */
		void sent();

		/** The publisher or the exchange has failed. */
		void failed(Throwable failure);

	}

	BodySender(PartsOutput out, Executor threads, ContextView context, long length, boolean single, Outcome outcome) {
		this.out = out;
		this.threads = threads;
		this.context = context;
		this.length = length;
		this.single = single;
		this.outcome = outcome;
	}

	/** Starts sending, on a thread that may block. */
	void start(Publisher<? extends DataBuffer> body) {
		body.subscribe(this);
		run();
	}

	@Override
	public Context currentContext() {
		return Context.of(this.context);
	}

	@Override
	protected void hookOnSubscribe(Subscription subscription) {
		subscription.request(MAX_BUFFERS);
	}

	@Override
	protected void hookOnNext(DataBuffer buffer) {
		if (!this.queue.offer(buffer)) {
			DataBufferUtils.release(buffer);
			hookOnError(new IllegalStateException("The body has more buffers than were requested"));
			return;
		}
		// The end of a single buffer follows at once.
		if (!this.single) {
			work();
		}
	}

	@Override
	protected void hookOnComplete() {
		this.done = true;
		work();
	}

	@Override
	protected void hookOnError(Throwable problem) {
		this.failure = problem;
		this.done = true;
		work();
	}

	/** The part written so far is not the whole body. */
	@Override
	protected void hookOnCancel() {
		this.failure = new CancellationException("The request was cancelled");
		this.done = true;
		work();
	}

	private void work() {
		if (this.work.getAndIncrement() == 0) {
			this.threads.execute(this);
		}
	}

	@Override
	public void run() {
		int missed = this.work.get();
		while (missed != 0) {
			try {
				send();
			}
			catch (IOException | RuntimeException | Error ex) {
				end(ex);
			}
			missed = this.work.addAndGet(-missed);
		}
	}

	private void send() throws IOException {
		int count = 0;
		while (!this.ended) {
			boolean last = this.done;
			DataBuffer buffer = this.queue.poll();
			if (buffer == null) {
				if (last) {
					end(this.failure);
				}
				break;
			}
			write(buffer);
			count++;
			if (!this.out.isWanted()) {
				end(null);
			}
		}
		if (this.ended) {
			release();
		}
		else if (count > 0) {
			if (this.length < 0 || this.written < this.length) {
				this.out.sendWritten();
			}
			request(count);
		}
	}

	private void write(DataBuffer buffer) throws IOException {
		try {
			// The position does not change, because a redirect may send a buffer once
			// more.
			ByteBuffer bytes = ByteBuffer.allocate(buffer.readableByteCount());
			buffer.toByteBuffer(bytes);
			this.out.write(bytes.array(), 0, bytes.capacity());
			this.written += bytes.capacity();
		}
		finally {
			DataBufferUtils.release(buffer);
		}
	}

	private void end(@Nullable Throwable problem) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		if (!this.done) {
			cancel();
		}
		release();
		if (problem != null) {
			this.outcome.failed(problem);
		}
		else {
			this.outcome.sent();
		}
	}

	private void release() {
		DataBuffer buffer = this.queue.poll();
		while (buffer != null) {
			DataBufferUtils.release(buffer);
			buffer = this.queue.poll();
		}
	}

}
