package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * One side of a pair: the queue that it writes, the queue that it reads, and the socket.
 * Any thread sends, one thread receives.
 */
final class QueuePair {

	private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final PairDirectory directory;

	private final ControlSocket socket;

	private final QueueWords words;

	private final PairQueue outgoing;

	private final FrameWriter writer;

	private final FrameReader reader;

	private volatile boolean closed;

	private QueuePair(PairDirectory directory, ControlSocket socket, QueueWords words, PairQueue outgoing,
			FrameWriter writer, FrameReader reader) {
		this.directory = directory;
		this.socket = socket;
		this.words = words;
		this.outgoing = outgoing;
		this.writer = writer;
		this.reader = reader;
	}

	/**
	 * Opens one side. If that fails, nothing is left open, but the directory is there.
	 * @param directory of the pair
	 * @param socket to the other side
	 * @param outgoing the queue that this side writes
	 * @param volume of the directory
	 * @param options limits
	 */
	static QueuePair open(PairDirectory directory, ControlSocket socket, PairQueue outgoing, Volume volume,
			ChroniclePathOptions options) throws IOException {
		Path path = directory.path();
		QueueWords words = QueueWords.open(path);
		FrameWriter writer = FrameWriter.open(path, outgoing, words, volume, options);
		try {
			return new QueuePair(directory, socket, words, outgoing, writer,
					FrameReader.open(path, incoming(outgoing), words, options));
		}
		catch (IOException ex) {
			writer.close();
			throw ex;
		}
	}

	private static PairQueue incoming(PairQueue outgoing) {
		return (outgoing == PairQueue.REQUESTS) ? PairQueue.REPLIES : PairQueue.REQUESTS;
	}

	/**
	 * Sends a frame.
	 * @return why there is no room, or {@code null} if it was sent
	 * @throws ClosedChannelException if the pair has ended; nothing was sent
	 * @throws IOException if the pair must end; the frame may have been sent
	 */
	@Nullable String send(EncodeBuffer frame) throws IOException {
		String noRoom = this.writer.append(frame.array(), frame.size());
		if (noRoom == null && this.words.mustWake(this.outgoing)) {
			this.socket.ring();
		}
		return noRoom;
	}

	/**
	 * Gives frames to a receiver until the pair is closed or the other side is gone. What
	 * the other side has sent before its end is received.
	 * @throws WireException if the other side sends what is no frame
	 * @throws IOException if the queue cannot be read
	 */
	void receive(Receiver receiver) throws IOException, WireException {
		PairQueue incoming = incoming(this.outgoing);
		boolean there = true;
		while (!this.closed) {
			if (there && !receiver.hasRoom()) {
				there = this.socket.await();
				continue;
			}
			ReceivedFrame frame = this.reader.next();
			if (frame == null && there) {
				this.words.sleeps(incoming);
				frame = this.reader.next();
				if (frame == null) {
					there = this.socket.await();
				}
				this.words.isAwake(incoming);
			}
			else if (frame == null) {
				return;
			}
			if (frame != null) {
				receiver.received(frame);
			}
		}
	}

	/** Has {@link #receive} look whether its receiver has room now. */
	void hasRoom() {
		this.socket.wake();
	}

	/** Has {@link #receive} return. */
	void close() {
		this.closed = true;
		this.socket.wake();
	}

	/**
	 * Closes everything and deletes the directory. The other side gets a moment to read
	 * what was sent last: it cannot open files that are deleted. Called by the receiving
	 * thread.
	 */
	void end() {
		this.closed = true;
		this.socket.end(END_NANOS);
		abandon();
	}

	/**
	 * Closes everything and deletes the directory, of which the other side knows nothing.
	 */
	void abandon() {
		this.closed = true;
		this.socket.close();
		this.writer.close();
		this.reader.close();
		this.directory.delete();
	}

	/** Returns the bytes that this side has sent and the other has not read. */
	long unreadBytes() {
		return this.writer.unreadBytes();
	}

	/** Takes what the other side sends. */
	interface Receiver {

		/** Takes a frame. Must not block. */
		void received(ReceivedFrame frame) throws WireException;

		/** Returns whether it takes another frame now. */
		boolean hasRoom();

	}

}
