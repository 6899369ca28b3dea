package io.github.vicinal.chronicle.path;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket between the two processes of a pair. It carries the frames of the handshake,
 * and then bytes that wake the other side's reader. One thread reads; any thread rings
 * and wakes. It never blocks a thread that rings.
 */
final class ControlSocket implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ControlSocket.class);

	/** More than any frame of the handshake needs. */
	private static final int HANDSHAKE_BYTES = 4096;

	private static final WireLimits LIMITS = new WireLimits(HANDSHAKE_BYTES - FrameDescriptor.HEADER_BYTES, 0, 0);

	private final SocketChannel channel;

	private final Selector selector;

	/** Bytes that were received and not used lie between position and limit. */
	private final ByteBuffer received = ByteBuffer.allocate(HANDSHAKE_BYTES).limit(0);

	private ControlSocket(SocketChannel channel) throws IOException {
		this.channel = channel;
		channel.configureBlocking(false);
		this.selector = Selector.open();
		channel.register(this.selector, SelectionKey.OP_READ);
	}

	/** Connects to the socket of a server. */
	static ControlSocket connect(Path socket) throws IOException {
		SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
		try {
			channel.configureBlocking(false);
			if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
				throw new IOException("%s has no room for another connection now".formatted(socket));
			}
			return new ControlSocket(channel);
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Takes over a connection that was accepted. It is closed if that fails. */
	static ControlSocket accepted(SocketChannel channel) throws IOException {
		try {
			return new ControlSocket(channel);
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	SocketChannel channel() {
		return this.channel;
	}

	/**
	 * Writes a frame of the handshake, for which an empty socket has room.
	 * @throws IOException if the other side is gone, or does not read
	 */
	void write(ByteBuffer frame) throws IOException {
		this.channel.write(frame);
		if (frame.hasRemaining()) {
			throw new SocketTimeoutException("the other side does not read");
		}
	}

	/**
	 * Reads a frame of the handshake.
	 * @param deadline the {@link System#nanoTime()} until which to wait
	 * @throws WireException if the bytes are no acceptable frame
	 * @throws EOFException if the other side has closed the connection
	 * @throws SocketTimeoutException if none arrives in time
	 */
	ReceivedFrame read(long deadline) throws IOException, WireException {
		await(FrameDescriptor.HEADER_BYTES, deadline);
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(this.received, header, LIMITS);
		await(header.length, deadline);
		byte[] body = new byte[header.length];
		this.received.get(body);
		return new ReceivedFrame(header, body);
	}

	private void await(int bytes, long deadline) throws IOException {
		while (this.received.remaining() < bytes) {
			long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
			if (millis <= 0) {
				throw new SocketTimeoutException("the other side does not say who it is");
			}
			select(millis);
			this.received.compact();
			int count = -1;
			try {
				count = this.channel.read(this.received);
			}
			finally {
				this.received.flip();
			}
			if (count < 0) {
				throw new EOFException("the other side has closed the connection");
			}
		}
	}

	private void select(long millis) throws IOException {
		try {
			this.selector.select(millis);
			this.selector.selectedKeys().clear();
		}
		catch (ClosedSelectorException ex) {
			throw new EOFException("this side has closed the connection");
		}
	}

	/**
	 * Wakes the reader of the other side. If that is gone, this side's reader notices.
	 */
	void ring() {
		try {
			// If there is no room, the other side has bytes to read that wake it.
			this.channel.write(ByteBuffer.allocate(1));
		}
		catch (IOException ex) {
			logger.debug("The other side of a pair cannot be woken: {}", ex.toString());
		}
	}

	/**
	 * Waits until the other side rings, or {@link #wake()} is called.
	 * @return whether the other side is still there
	 */
	boolean await() {
		try {
			// An interrupt that a callback has left would keep it from waiting.
			Thread.interrupted();
			this.selector.select();
			this.selector.selectedKeys().clear();
			this.received.clear();
			return this.channel.read(this.received) >= 0;
		}
		catch (IOException | ClosedSelectorException ex) {
			return false;
		}
	}

	/**
	 * Sends nothing more, and waits until the other side does not either.
	 * @param nanos maximum time to wait
	 */
	void end(long nanos) {
		long deadline = System.nanoTime() + nanos;
		try {
			Thread.interrupted();
			this.channel.shutdownOutput();
			long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
			this.received.clear();
			while (millis > 0 && this.channel.read(this.received) >= 0) {
				select(millis);
				this.received.clear();
				millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
			}
		}
		catch (IOException ex) {
			// The other side is gone.
		}
	}

	/** Lets {@link #await()} return. */
	void wake() {
		this.selector.wakeup();
	}

	@Override
	public void close() {
		try {
			this.selector.close();
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

}
