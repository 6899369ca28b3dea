package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * One side of a TLS connection over a transport that keeps the order of bytes. What is
 * sent are pieces: each is preceded by its length in four bytes, big-endian, before it is
 * encrypted.
 * <p>
 * One thread receives. Any thread sends; records are encrypted in the order in which the
 * transport gets them.
 */
final class TlsStream {

	/** Bytes that a side may send before it has proved who it is. */
	private static final int MAX_HANDSHAKE_BYTES = 256 << 10;

	/** Memory that a piece gets before its bytes have arrived. */
	private static final int FIRST_PIECE_BYTES = 64 << 10;

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	private final SSLEngine engine;

	private final int maxPieceBytes;

	private final Listener listener;

	private final Object sending = new Object();

	/** Encrypted bytes of one record. Guarded by {@link #sending}. */
	private ByteBuffer record;

	// What follows is used by the thread that receives.

	/** Encrypted bytes of a record that has arrived in part. */
	private byte[] partial = new byte[0];

	private ByteBuffer plain;

	private long handshakeBytes;

	private volatile boolean secured;

	private final byte[] length = new byte[Integer.BYTES];

	private int lengthBytes;

	private byte[] piece = new byte[0];

	private int pieceBytes;

	private int pieceLength = -1;

	/**
	 * Creates a side that has not begun.
	 * @param engine both sides need a certificate
	 * @param maxPieceBytes longest piece that is received
	 * @param listener gets what comes of it
	 */
	TlsStream(SSLEngine engine, int maxPieceBytes, Listener listener) {
		this.engine = engine;
		this.maxPieceBytes = maxPieceBytes;
		this.listener = listener;
		this.record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
		this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
	}

	/** Begins the handshake, as the client, which speaks first. */
	void begin() throws SSLException {
		this.engine.beginHandshake();
		synchronized (this.sending) {
			// What follows is up to the thread that receives.
			encrypt(NOTHING);
			this.listener.flush();
		}
	}

	/** Returns whether the other side has proved who it is. */
	boolean isSecured() {
		return this.secured;
	}

	/** Returns the certificate of the other side, which has proved who it is. */
	X509Certificate certificate() throws SSLException {
		return (X509Certificate) this.engine.getSession().getPeerCertificates()[0];
	}

	/**
	 * Sends a piece.
	 * @param bytes the piece; its position moves to its limit
	 */
	void send(ByteBuffer bytes) throws SSLException {
		ByteBuffer header = ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.remaining());
		ByteBuffer[] all = { header, bytes };
		synchronized (this.sending) {
			while (header.hasRemaining() || bytes.hasRemaining()) {
				encrypt(all);
			}
			this.listener.flush();
		}
	}

	/** Under the lock of those who send. */
	private SSLEngineResult encrypt(ByteBuffer... bytes) throws SSLException {
		SSLEngineResult result = this.engine.wrap(bytes, this.record);
		while (result.getStatus() == Status.BUFFER_OVERFLOW) {
			this.record = ByteBuffer.allocate(2 * this.record.capacity());
			result = this.engine.wrap(bytes, this.record);
		}
		this.record.flip();
		if (this.record.hasRemaining()) {
			this.listener.encrypted(this.record.array(), this.record.limit());
		}
		this.record.clear();
		if (result.getStatus() == Status.CLOSED) {
			throw new SSLException("the connection was closed");
		}
		return result;
	}

	/** Does what the handshake wants next, until it waits for the other side. */
	private void proceed() throws SSLException {
		HandshakeStatus next = this.engine.getHandshakeStatus();
		while (next == HandshakeStatus.NEED_TASK || next == HandshakeStatus.NEED_WRAP) {
			if (next == HandshakeStatus.NEED_TASK) {
				for (Runnable task = this.engine.getDelegatedTask(); task != null; task = this.engine
					.getDelegatedTask()) {
					task.run();
				}
			}
			else {
				synchronized (this.sending) {
					finished(encrypt(NOTHING));
					this.listener.flush();
				}
			}
			next = this.engine.getHandshakeStatus();
		}
	}

	private void finished(SSLEngineResult result) throws SSLException {
		if (result.getHandshakeStatus() != HandshakeStatus.FINISHED || this.secured) {
			return;
		}
		try {
			// The JDK does not check the dates of a certificate that is itself trusted.
			certificate().checkValidity();
		}
		catch (CertificateException ex) {
			throw new SSLException(ex.getMessage(), ex);
		}
		this.secured = true;
		this.listener.secured();
	}

	/**
	 * Takes bytes that have arrived.
	 * @throws SSLException if they are not what the other side may say
	 * @throws WireException if a piece is too long
	 */
	void received(byte[] bytes, int offset, int size) throws SSLException, WireException {
		if (!this.secured) {
			this.handshakeBytes += size;
			if (this.handshakeBytes > MAX_HANDSHAKE_BYTES) {
				throw new WireException(Refusal.TOO_LARGE,
						"more than %d bytes before the end of the TLS handshake".formatted(MAX_HANDSHAKE_BYTES));
			}
		}
		byte[] all = bytes;
		int from = offset;
		int count = size;
		if (this.partial.length > 0) {
			all = Arrays.copyOf(this.partial, this.partial.length + size);
			System.arraycopy(bytes, offset, all, this.partial.length, size);
			from = 0;
			count = all.length;
		}
		ByteBuffer encrypted = ByteBuffer.wrap(all, from, count);
		while (encrypted.hasRemaining() && decrypt(encrypted)) {
			proceed();
		}
		this.partial = Arrays.copyOfRange(all, encrypted.position(), encrypted.limit());
	}

	/** Decrypts a record, and returns whether there was a whole one. */
	private boolean decrypt(ByteBuffer encrypted) throws SSLException, WireException {
		SSLEngineResult result = this.engine.unwrap(encrypted, this.plain);
		while (result.getStatus() == Status.BUFFER_OVERFLOW) {
			this.plain = ByteBuffer.allocate(2 * this.plain.capacity());
			result = this.engine.unwrap(encrypted, this.plain);
		}
		this.plain.flip();
		assemble(this.plain);
		this.plain.clear();
		if (result.getStatus() == Status.CLOSED) {
			throw new SSLException("the connection was closed");
		}
		finished(result);
		HandshakeStatus next = result.getHandshakeStatus();
		boolean waits = next == HandshakeStatus.NEED_UNWRAP || next == HandshakeStatus.NOT_HANDSHAKING;
		return result.getStatus() == Status.OK && (result.bytesConsumed() > 0 || !waits);
	}

	private void assemble(ByteBuffer bytes) throws WireException {
		while (bytes.hasRemaining()) {
			if (this.pieceLength < 0) {
				this.length[this.lengthBytes++] = bytes.get();
				if (this.lengthBytes == Integer.BYTES) {
					this.lengthBytes = 0;
					begin(ByteBuffer.wrap(this.length).getInt());
				}
			}
			else {
				int count = Math.min(bytes.remaining(), this.pieceLength - this.pieceBytes);
				if (this.pieceBytes + count > this.piece.length) {
					int more = (int) Math.min(this.pieceLength, 2L * (this.pieceBytes + count));
					this.piece = Arrays.copyOf(this.piece, more);
				}
				bytes.get(this.piece, this.pieceBytes, count);
				this.pieceBytes += count;
			}
			if (this.pieceBytes == this.pieceLength) {
				this.pieceLength = -1;
				byte[] whole = (this.piece.length == this.pieceBytes) ? this.piece
						: Arrays.copyOf(this.piece, this.pieceBytes);
				this.listener.piece(whole);
			}
		}
	}

	private void begin(int bytes) throws WireException {
		if (bytes < 0 || bytes > this.maxPieceBytes) {
			throw new WireException(Refusal.TOO_LARGE, "a piece of %d bytes is larger than the limit of %d bytes"
				.formatted(Integer.toUnsignedLong(bytes), this.maxPieceBytes));
		}
		this.pieceLength = bytes;
		this.pieceBytes = 0;
		this.piece = new byte[Math.min(bytes, FIRST_PIECE_BYTES)];
	}

	/** Gets what comes of a stream. */
	interface Listener {

		/**
		 * Bytes are to be sent. Called by one thread at a time, in order; must not block.
		 */
		void encrypted(byte[] bytes, int size);

		/** All bytes so far can be sent. Called by one thread at a time. */
		void flush();

		/** The other side has proved who it is. Called once, before any piece. */
		void secured() throws SSLException;

		/** A piece has arrived, and belongs to the listener. */
		void piece(byte[] bytes);

	}

}
