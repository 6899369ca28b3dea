package io.github.vicinal.transport.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries the messages of a topic, on either side: its event loop keeps
 * what arrives until a thread asks for it, and stops reading when that is too much.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty notifies the listeners and closes
												// the
												// channel.
final class TopicChannel implements TopicConnection {

	/** Bytes that wait to be received, beyond which this side does not read. */
	private static final long MAX_WAITING_BYTES = 1 << 20;

	private static final long CLOSE_MILLIS = 1000;

	private final Channel channel;

	private final ConnectionGuard guard;

	private final int maxBytes;

	private final String peer;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition arrived = this.lock.newCondition();

	private final Condition writable = this.lock.newCondition();

	/** Guarded by the lock, as all that follows. */
	private final Deque<byte[]> waiting = new ArrayDeque<>();

	private long waitingBytes;

	private boolean paused;

	private @Nullable String ended;

	/**
	 * Creates the view of a connection.
	 * @param channel connects both sides
	 * @param guard watches it
	 * @param maxBytes maximum bytes of one piece
	 * @param peer the other side, for people
	 */
	TopicChannel(Channel channel, ConnectionGuard guard, int maxBytes, String peer) {
		this.channel = channel;
		this.guard = guard;
		this.maxBytes = maxBytes;
		this.peer = peer;
	}

	@Override
	public String peer() {
		return this.peer;
	}

	@Override
	public int maxBytes() {
		return this.maxBytes;
	}

	@Override
	public void send(ByteBuffer bytes) throws IOException {
		awaitWritable();
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES + bytes.remaining());
		int start = FrameDescriptor.begin(out);
		out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
		FrameDescriptor.end(out, start, FrameType.TOPIC);
		this.channel.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, out.size())).addListener((written) -> {
			if (!written.isSuccess()) {
				end("could not be reached: " + written.cause());
			}
		});
	}

	private void awaitWritable() throws IOException {
		this.lock.lock();
		try {
			while (this.ended == null && !this.channel.isWritable()) {
				this.writable.await();
			}
			if (this.ended != null) {
				throw new EOFException("%s %s".formatted(this.peer, this.ended));
			}
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private static IOException interrupted(InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new IOException("interrupted", ex);
	}

	@Override
	public @Nullable ByteBuffer receive(long nanos) throws IOException {
		this.lock.lock();
		try {
			long left = nanos;
			while (this.waiting.isEmpty()) {
				if (this.ended != null) {
					throw new EOFException("%s %s".formatted(this.peer, this.ended));
				}
				if (left <= 0) {
					return null;
				}
				left = this.arrived.awaitNanos(left);
			}
			byte[] next = this.waiting.remove();
			this.waitingBytes -= next.length;
			if (this.paused && this.waitingBytes <= MAX_WAITING_BYTES / 2) {
				this.paused = false;
				this.channel.eventLoop().execute(this::read);
			}
			return ByteBuffer.wrap(next);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** By the event loop. */
	private void read() {
		this.guard.resume();
		this.channel.config().setAutoRead(true);
	}

	/** Takes a piece that has arrived. By the event loop. */
	void received(byte[] bytes) {
		this.lock.lock();
		try {
			this.waiting.add(bytes);
			this.waitingBytes += bytes.length;
			this.arrived.signal();
			if (!this.paused && this.waitingBytes > MAX_WAITING_BYTES) {
				this.paused = true;
				this.guard.pause();
				this.channel.config().setAutoRead(false);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The other side may take more, or not. By the event loop. */
	void writabilityChanged() {
		this.lock.lock();
		try {
			this.writable.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Nothing more arrives. What has arrived may still be received. */
	void end(String why) {
		this.lock.lock();
		try {
			if (this.ended == null) {
				this.ended = why;
			}
			this.arrived.signalAll();
			this.writable.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean isOpen() {
		this.lock.lock();
		try {
			return this.ended == null;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		if (!isOpen()) {
			this.channel.close();
			return;
		}
		end("was left");
		this.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
		// The other side may not take even that.
		var timer = this.channel.eventLoop().schedule(() -> this.channel.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		this.channel.closeFuture().addListener((closed) -> timer.cancel(false));
	}

	/** Calls a listener when the connection is closed on this side. */
	void whenClosed(Runnable listener) {
		this.channel.closeFuture().addListener((closed) -> listener.run());
	}

	@Override
	public String toString() {
		return this.peer;
	}

}
