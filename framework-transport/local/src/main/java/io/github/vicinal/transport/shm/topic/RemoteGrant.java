package io.github.vicinal.transport.shm.topic;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Answer of a publishing process to a {@link RemoteRequest}.
 *
 * @param instance its instance id
 * @param host id of its host
 * @param application its application
 * @param capacity of the log, 0 if none is asked for
 * @param epoch of the log
 * @param drops whether messages may be overwritten before they were handled
 * @param start where the copy begins, and the number of the next message
 */
record RemoteGrant(String instance, String host, String application, int capacity, long epoch, boolean drops,
		Handshake.Start start) {

	private static final Pattern INSTANCE = Pattern.compile("[0-9a-f]{32}");

	private static final int MAX_CAPACITY = 1 << 30;

	ByteBuffer bytes() {
		return RemoteProtocol.bytes((out) -> {
			out.writeByte(RemoteProtocol.GRANT);
			out.writeUTF(this.instance);
			out.writeUTF(this.host);
			out.writeUTF(this.application);
			out.writeInt(this.capacity);
			out.writeLong(this.epoch);
			out.writeBoolean(this.drops);
			out.writeLong(this.start.position());
			out.writeLong(this.start.sequence());
		});
	}

	/**
	 * Reads a publisher's answer.
	 * @throws Handshake.RefusedException if it refuses
	 */
	static RemoteGrant parse(ByteBuffer bytes) throws WireException, Handshake.RefusedException {
		try (DataInputStream in = new DataInputStream(
				new ByteArrayInputStream(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()))) {
			int kind = in.readUnsignedByte();
			if (kind == RemoteProtocol.REFUSED) {
				throw new Handshake.RefusedException(WireException.printable(in.readUTF()));
			}
			if (kind != RemoteProtocol.GRANT) {
				throw new WireException(Refusal.MALFORMED, "an answer of kind %d".formatted(kind));
			}
			RemoteGrant grant = new RemoteGrant(in.readUTF(), in.readUTF(), in.readUTF(), in.readInt(), in.readLong(),
					in.readBoolean(), new Handshake.Start(in.readLong(), in.readLong()));
			if (!INSTANCE.matcher(grant.instance).matches()) {
				throw new WireException(Refusal.MALFORMED, "that is no instance id");
			}
			if (grant.capacity < 0 || grant.capacity > MAX_CAPACITY || Integer.bitCount(grant.capacity) > 1) {
				throw new WireException(Refusal.MALFORMED, "a log of %d bytes".formatted(grant.capacity));
			}
			if (grant.start.position() < 0 || (grant.start.position() & (Long.BYTES - 1)) != 0) {
				throw new WireException(Refusal.MALFORMED, "a start at %d".formatted(grant.start.position()));
			}
			RemoteProtocol.requireEnd(in);
			return grant;
		}
		catch (IOException ex) {
			throw new WireException(Refusal.MALFORMED, "the publisher's answer cannot be read: " + ex);
		}
	}

}
