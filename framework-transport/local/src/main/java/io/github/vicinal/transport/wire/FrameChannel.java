package io.github.vicinal.transport.wire;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.codec.EncodeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes frames on a blocking channel. Used by one thread at a time.
 * <p>
 * A frame that fits into the direct buffer takes one system call each way; a longer one
 * passes through it piece by piece, so that no direct memory is held for large bodies.
 * The array for a body grows with the bytes that have arrived, not with the length that
 * was promised.
 */
public final class FrameChannel {

	/** A quarter of the usual socket buffer, and more than most frames need. */
	private static final int CHUNK_BYTES = 64 * 1024;

	/** Arrays up to this size are kept for the next frame. */
	public static final int KEEP_BYTES = 256 * 1024;

	private static final int FIRST_BODY_BYTES = 4 * 1024;

	private static final long FULL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final SocketChannel channel;

	private final WireLimits limits;

	private final Runnable onPartialFrame;

	private final BodyHeap heap;

	private final FrameHeader header = new FrameHeader();

	/**
	 * Between two uses, the bytes that were received and not yet read lie between
	 * position and limit.
	 */
	private final ByteBuffer chunk;

	private byte[] body = new byte[FIRST_BODY_BYTES];

	private boolean lastPieceOffered;

	private boolean begun;

	/**
	 * Creates a frame channel.
	 * @param channel a blocking channel
	 * @param limits what is accepted
	 * @param onPartialFrame called each time that a part of a frame has arrived and the
	 * rest is awaited
	 */
	public FrameChannel(SocketChannel channel, WireLimits limits, Runnable onPartialFrame) {
		this(channel, limits, onPartialFrame, CHUNK_BYTES);
	}

	/**
	 * Creates a frame channel that takes heap for large frames only when it may.
	 * @param channel a blocking channel
	 * @param limits what is accepted
	 * @param onPartialFrame called each time that a part of a frame has arrived and the
	 * rest is awaited
	 * @param heap asked before an array for a large frame is made
	 */
	public FrameChannel(SocketChannel channel, WireLimits limits, Runnable onPartialFrame, BodyHeap heap) {
		this(channel, limits, onPartialFrame, CHUNK_BYTES, heap);
	}

	/**
	 * Creates a frame channel for frames that are mostly small.
	 * @param channel a blocking channel; to write, one that does not block will do
	 * @param limits what is accepted
	 * @param onPartialFrame called each time that a part of a frame has arrived
	 * @param chunkBytes how much is read or written at a time, more than a frame's fixed
	 * part
	 */
	public FrameChannel(SocketChannel channel, WireLimits limits, Runnable onPartialFrame, int chunkBytes) {
		this(channel, limits, onPartialFrame, chunkBytes, (bytes) -> {
		});
	}

	private FrameChannel(SocketChannel channel, WireLimits limits, Runnable onPartialFrame, int chunkBytes,
			BodyHeap heap) {
		this.heap = heap;
		this.chunk = ByteBuffer.allocateDirect(chunkBytes).limit(0);
		this.channel = channel;
		this.limits = limits;
		this.onPartialFrame = onPartialFrame;
	}

	/**
	 * Writes frames. The client calls this only when nothing {@link #hasUnread()}.
	 * @param out the frames
	 * @throws IOException if the channel is broken; then {@link #lastPieceOffered()} says
	 * whether the last byte may have arrived
	 */
	public void write(EncodeBuffer out) throws IOException {
		write(out, Long.MAX_VALUE);
	}

	/**
	 * Writes frames to a channel that does not block.
	 * @param out the frames
	 * @param limitNanos maximum time in which the other side reads nothing
	 * @throws SocketTimeoutException if that has passed; {@link #begun()} says whether
	 * the other side got a part of the frames
	 * @throws IOException as above
	 */
	public void write(EncodeBuffer out, long limitNanos) throws IOException {
		this.lastPieceOffered = false;
		this.begun = false;
		long start = 0;
		byte[] bytes = out.array();
		int size = out.size();
		int from = 0;
		try {
			do {
				int length = Math.min(size - from, this.chunk.capacity());
				this.chunk.clear().put(bytes, from, length).flip();
				from += length;
				this.lastPieceOffered = from == size;
				while (this.chunk.hasRemaining()) {
					if (this.channel.write(this.chunk) > 0) {
						this.begun = true;
						start = 0;
						continue;
					}
					// It does not block, and the other side is slow to read.
					long now = System.nanoTime() | 1;
					start = (start == 0) ? now : start;
					if (now - start > limitNanos) {
						throw new SocketTimeoutException("the other side does not read");
					}
					LockSupport.parkNanos(this, FULL_PAUSE_NANOS);
				}
			}
			while (from < size);
		}
		finally {
			this.chunk.clear().limit(0);
		}
	}

	/**
	 * Returns whether the last {@link #write} has offered its last byte to the kernel.
	 */
	public boolean lastPieceOffered() {
		return this.lastPieceOffered;
	}

	/** Returns whether the last {@link #write} has written a part of the frames. */
	public boolean begun() {
		return this.begun;
	}

	public boolean hasUnread() {
		return this.chunk.hasRemaining();
	}

	/**
	 * Reads one frame.
	 * @return its header, or {@code null} at the orderly end of the stream; overwritten
	 * by the next call
	 * @throws EOFException if the stream ends within a frame
	 * @throws WireException if the bytes are no acceptable frame
	 */
	public @Nullable FrameHeader read() throws IOException, WireException {
		while (this.chunk.remaining() < FrameDescriptor.HEADER_BYTES) {
			boolean begun = this.chunk.hasRemaining();
			if (begun) {
				this.onPartialFrame.run();
			}
			this.chunk.compact();
			int count = -1;
			try {
				count = this.channel.read(this.chunk);
			}
			finally {
				this.chunk.flip();
			}
			if (count < 0) {
				if (begun) {
					throw new EOFException("the stream ends within a frame's header");
				}
				return null;
			}
		}
		FrameDescriptor.read(this.chunk, this.header, this.limits);
		readBody(this.header.length);
		return this.header;
	}

	private void readBody(int length) throws IOException, WireException {
		int received = 0;
		while (true) {
			int count = Math.min(this.chunk.remaining(), length - received);
			ensureBody(received + count, length);
			this.chunk.get(this.body, received, count);
			received += count;
			if (received == length) {
				return;
			}
			this.onPartialFrame.run();
			this.chunk.clear();
			int read = -1;
			try {
				read = this.channel.read(this.chunk);
			}
			finally {
				this.chunk.flip();
			}
			if (read < 0) {
				throw new EOFException("the stream ends after %d of %d bytes of a frame".formatted(received, length));
			}
		}
	}

	private void ensureBody(int needed, int promised) throws IOException, WireException {
		if (needed > this.body.length) {
			long grown = Math.max(needed, Math.min(promised, this.body.length * 4L));
			if (grown > KEEP_BYTES) {
				// Until it has grown, both arrays are there.
				this.heap.cover(grown + this.body.length);
			}
			this.body = Arrays.copyOf(this.body, (int) grown);
		}
	}

	/** Returns the array with the bytes that follow the header read last. */
	public byte[] body() {
		return this.body;
	}

	public PayloadReader payload() {
		return this.header.payload(this.body);
	}

	/** Lets go of an array that only an unusually large frame needed. */
	public void shrink() {
		if (this.body.length > KEEP_BYTES) {
			this.body = new byte[FIRST_BODY_BYTES];
		}
	}

	/** Is asked for the heap of large frames. */
	@FunctionalInterface
	public interface BodyHeap {

		/**
		 * Makes sure that arrays may be made, and may wait for that.
		 * @param bytes how large all arrays of the frame are
		 * @throws IOException if the connection ends
		 * @throws WireException if the frame is refused
		 */
		void cover(long bytes) throws IOException, WireException;

	}

}
