package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.multiplex.TopicPieces;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries the messages of a topic, on either side. Its frames carry
 * records of TLS, and are short enough that none overtakes another. Thread-safe.
 */
final class TopicSession implements TopicConnection, TlsStream.Listener {

	/** Bytes that a frame carries before both sides have proved who they are. */
	static final int FIRST_FRAME_BYTES = 4096;

	/** Bytes that wait for room in the ring, beyond which a sender waits. */
	private static final long MAX_UNSENT_BYTES = 1 << 20;

	private final RdmaConnection connection;

	private final RdmaOptions options;

	private final InetSocketAddress remote;

	private final TlsStream stream;

	private final Consumer<TopicSession> whenSecured;

	/** Completes when both sides have proved who they are, or fails. */
	private final CompletableFuture<Void> secured = new CompletableFuture<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile String peer;

	/** The frame that is being written, by the one who sends. */
	private @Nullable EncodeBuffer frame;

	private final TopicPieces pieces;

	private final AtomicLong unsentBytes = new AtomicLong();

	/**
	 * Creates one side of a connection.
	 * @param connection carries it
	 * @param options limits
	 * @param remote the other side
	 * @param engine encrypts
	 * @param whenSecured called once both sides have proved who they are; must not block
	 */
	TopicSession(RdmaConnection connection, RdmaOptions options, InetSocketAddress remote, SSLEngine engine,
			Consumer<TopicSession> whenSecured) {
		this.connection = connection;
		this.options = options;
		this.remote = remote;
		this.whenSecured = whenSecured;
		this.peer = address();
		this.stream = new TlsStream(engine, options.maxFrameBytes(), this);
		this.pieces = new TopicPieces(connection::wake);
	}

	private String address() {
		return this.remote.getAddress().getHostAddress() + ":" + this.remote.getPort();
	}

	/** Begins the handshake, as the client. */
	CompletableFuture<Void> begin() throws SSLException {
		this.stream.begin();
		return this.secured;
	}

	/** Takes a frame that has arrived. By the thread of the connection. */
	void received(ReceivedFrame received) throws WireException {
		try {
			this.stream.received(received.bytes(), received.header().bodyOffset, received.header().length);
		}
		catch (SSLException ex) {
			throw new WireException(Refusal.STRANGER,
					(this.stream.isSecured() ? "TLS has ended: " : "the TLS handshake failed: ")
							+ WireException.printable(String.valueOf(ex.getMessage())));
		}
	}

	/** Returns whether there is room for what arrives. */
	boolean reads() {
		return !this.pieces.isFull();
	}

	@Override
	public void secured() throws SSLException {
		this.peer = "%s (%s)".formatted(address(),
				WireException.printable(this.stream.certificate().getSubjectX500Principal().getName()));
		this.connection.accept(this.options.limits());
		this.secured.complete(null);
		this.whenSecured.accept(this);
	}

	@Override
	public void encrypted(byte[] bytes, int size) {
		int most = (this.stream.isSecured() ? this.connection.maxOrderedBytes() : FIRST_FRAME_BYTES);
		int offset = 0;
		while (offset < size) {
			EncodeBuffer out = this.frame;
			if (out == null) {
				out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES + size);
				FrameDescriptor.begin(out);
				this.frame = out;
			}
			int count = Math.min(size - offset, most - out.size());
			out.write(bytes, offset, count);
			offset += count;
			if (out.size() == most) {
				flush();
			}
		}
	}

	@Override
	public void flush() {
		EncodeBuffer out = this.frame;
		if (out == null) {
			return;
		}
		this.frame = null;
		FrameDescriptor.end(out, 0, FrameType.TOPIC);
		unsent(out.size());
		if (!this.connection.send(new Sent(out))) {
			unsent(-out.size());
			end("is gone");
		}
	}

	private void unsent(int bytes) {
		this.unsentBytes.addAndGet(bytes);
		if (bytes < 0) {
			this.pieces.roomChanged();
		}
	}

	@Override
	public void piece(byte[] bytes) {
		this.pieces.add(bytes);
	}

	@Override
	public String peer() {
		return this.peer;
	}

	@Override
	public int maxBytes() {
		return this.options.maxFrameBytes();
	}

	@Override
	public void send(ByteBuffer bytes) throws IOException {
		this.pieces.awaitRoom(() -> this.unsentBytes.get() <= MAX_UNSENT_BYTES, this.peer);
		this.stream.send(bytes.duplicate());
	}

	@Override
	public @Nullable ByteBuffer receive(long nanos) throws IOException {
		return this.pieces.receive(nanos, this.peer);
	}

	/** Nothing more arrives. What has arrived may still be received. */
	void end(String why) {
		this.pieces.end(why);
	}

	/** The connection has ended, and its memory is free. */
	void gone(String why) {
		end(why);
		this.secured.completeExceptionally(new IOException("%s %s".formatted(this.peer, why)));
		this.gone.complete(null);
	}

	/** Returns a stage that completes when the connection has ended. */
	CompletableFuture<Void> gone() {
		return this.gone;
	}

	@Override
	public boolean isOpen() {
		return this.pieces.isOpen();
	}

	@Override
	public void close() {
		if (!isOpen()) {
			this.connection.stop("was left");
			return;
		}
		end("was left");
		EncodeBuffer last = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		int start = FrameDescriptor.begin(last);
		FrameDescriptor.end(last, start, FrameType.GOODBYE);
		this.connection.stopAfter(new Outgoing(last));
	}

	@Override
	public String toString() {
		return this.peer;
	}

	/** A frame that waits for room in the ring. */
	private final class Sent extends Outgoing {

		private final int bytes;

		Sent(EncodeBuffer out) {
			super(out);
			this.bytes = out.size();
		}

		@Override
		void left() {
			unsent(-this.bytes);
		}

	}

}
