package io.github.vicinal.transport.shm.topic;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Messages between a publishing process and a process of another host:
 *
 * <pre>
 * subscriber's host          publisher
 * RemoteRequest -------------&gt;          as soon as the topic is there:
 *               &lt;-------------  RemoteGrant or REFUSED
 * COPY:
 *               &lt;-------------  RECORDS   position; records as they are in the log
 * HANDLED       -------------&gt;          position up to which all have handled
 * LEAVE         -------------&gt;          nobody subscribes any more
 * COMPETE:
 *               &lt;-------------  MESSAGE   slot, redelivered, sequence, headers, payload
 * DONE          -------------&gt;          slot, which is free again
 * LEAVE         -------------&gt;          no thread handles any more
 * both:
 *               &lt;-------------  END       the publisher has closed the topic
 * </pre>
 */
final class RemoteProtocol {

	static final byte GRANT = 1;

	static final byte REFUSED = 2;

	static final byte RECORDS = 3;

	static final byte MESSAGE = 4;

	static final byte END = 5;

	static final byte HANDLED = 6;

	static final byte DONE = 7;

	static final byte LEAVE = 8;

	/** Bytes of RECORDS before the records. */
	static final int RECORDS_BYTES = 1 + Long.BYTES;

	/** Bytes of MESSAGE before headers and payload. */
	static final int MESSAGE_BYTES = 1 + Integer.BYTES + 1 + Long.BYTES + Integer.BYTES;

	/** Time in which a side answers that need not wait for anything. */
	static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Time in which a publisher ends the connection of a subscriber that leaves. */
	static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(3);

	private RemoteProtocol() {
	}

	static ByteBuffer bytes(Writing writing) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			writing.to(out);
		}
		catch (IOException ex) {
			// Only of texts that are too long.
			throw new UncheckedIOException(ex);
		}
		return ByteBuffer.wrap(bytes.toByteArray());
	}

	static ByteBuffer refused(String reason) {
		return bytes((out) -> {
			out.writeByte(REFUSED);
			out.writeUTF(reason);
		});
	}

	static ByteBuffer word(byte kind) {
		return ByteBuffer.wrap(new byte[] { kind });
	}

	static ByteBuffer handled(long position) {
		return ByteBuffer.allocate(1 + Long.BYTES).put(HANDLED).putLong(position).flip();
	}

	static ByteBuffer done(int slot) {
		return ByteBuffer.allocate(1 + Integer.BYTES).put(DONE).putInt(slot).flip();
	}

	/** Fails unless a piece has its length. */
	static void requireBytes(ByteBuffer piece, int bytes) throws WireException {
		if (piece.remaining() != bytes) {
			throw new WireException(Refusal.MALFORMED,
					"%d bytes where there should be %d".formatted(piece.remaining(), bytes));
		}
	}

	/** Reads the kind of a piece. */
	static byte kind(ByteBuffer piece) throws WireException {
		if (!piece.hasRemaining()) {
			throw new WireException(Refusal.MALFORMED, "an empty piece");
		}
		return piece.get();
	}

	static void requireEnd(DataInputStream in) throws IOException, WireException {
		if (in.available() > 0) {
			throw new WireException(Refusal.MALFORMED, "%d bytes too many".formatted(in.available()));
		}
	}

	/** Asks for something, and waits for the answer, which may take its time. */
	static RemoteGrant ask(TopicConnection connection, RemoteRequest request, long nanos)
			throws IOException, WireException, Handshake.RefusedException {
		connection.send(request.bytes());
		ByteBuffer answer = connection.receive(nanos);
		if (answer == null) {
			throw new EOFException("no answer from %s within %d s".formatted(connection.peer(),
					TimeUnit.NANOSECONDS.toSeconds(nanos)));
		}
		return RemoteGrant.parse(answer);
	}

	/** Writes the fields of a piece. */
	interface Writing {

		void to(DataOutputStream out) throws IOException;

	}

}
