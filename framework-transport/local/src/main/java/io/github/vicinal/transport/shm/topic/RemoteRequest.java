package io.github.vicinal.transport.shm.topic;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * Request of a process of another host to a publishing process. See
 * {@link RemoteProtocol}.
 *
 * @param purpose what the connection is for
 * @param topic name of the topic, of no meaning for {@link Purpose#WHO}
 * @param model what the subscriber takes its model to be
 * @param format how it reads payloads
 * @param subscriber its name
 * @param application its application
 * @param instance instance id of the process that asks
 * @param host id of its host
 * @param slots how many messages of a stream it holds at the same time
 * @param resume what subscribers of the copy of a log have yet to handle begins there
 * @param from what the copy does not have begins there; of no meaning without resume
 */
record RemoteRequest(Purpose purpose, String topic, TopicModel model, String format, String subscriber,
		String application, String instance, String host, int slots, Resume resume, long from) {

	/** Maximum number of messages of a stream that one subscriber holds. */
	static final int MAX_SLOTS = 256;

	private static final int MAGIC = 0x56_54_52_4D;

	private static final int VERSION = 1;

	ByteBuffer bytes() {
		return RemoteProtocol.bytes((out) -> {
			out.writeInt(MAGIC);
			out.writeShort(VERSION);
			out.writeByte(this.purpose.ordinal());
			// Records of a log are copied as they are.
			out.writeBoolean(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
			out.writeUTF(this.topic);
			out.writeByte(this.model.ordinal());
			out.writeUTF(this.format);
			out.writeUTF(this.subscriber);
			out.writeUTF(this.application);
			out.writeUTF(this.instance);
			out.writeUTF(this.host);
			out.writeShort(this.slots);
			out.writeLong(this.resume.epoch());
			out.writeLong(this.resume.position());
			out.writeLong(this.resume.sequence());
			out.writeLong(this.from);
		});
	}

	static RemoteRequest parse(ByteBuffer bytes) throws WireException {
		try (DataInputStream in = new DataInputStream(
				new ByteArrayInputStream(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()))) {
			if (in.readInt() != MAGIC) {
				throw new WireException(Refusal.MALFORMED, "what connected is no subscriber");
			}
			int version = in.readUnsignedShort();
			if (version != VERSION) {
				throw new WireException(Refusal.VERSION,
						"the subscriber has version %d of topics between hosts, this side %d".formatted(version,
								VERSION));
			}
			Purpose purpose = value(Purpose.values(), in.readUnsignedByte(), "purpose");
			if (in.readBoolean() != (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN)) {
				throw new WireException(Refusal.VERSION,
						"the processors of the two hosts have different orders of bytes, so topics cannot be copied");
			}
			RemoteRequest request = new RemoteRequest(purpose, in.readUTF(),
					value(TopicModel.values(), in.readUnsignedByte(), "model"), in.readUTF(), in.readUTF(),
					in.readUTF(), in.readUTF(), in.readUTF(), in.readUnsignedShort(),
					new Resume(in.readLong(), in.readLong(), in.readLong()), in.readLong());
			if (request.slots < 1 || request.slots > MAX_SLOTS) {
				throw new WireException(Refusal.MALFORMED, "a subscriber with %d slots".formatted(request.slots));
			}
			RemoteProtocol.requireEnd(in);
			return request;
		}
		catch (IOException ex) {
			throw new WireException(Refusal.MALFORMED, "what a subscriber asks for cannot be read: " + ex);
		}
	}

	private static <E> E value(E[] values, int number, String what) throws WireException {
		if (number >= values.length) {
			throw new WireException(Refusal.MALFORMED, "there is no %s %d".formatted(what, number));
		}
		return values[number];
	}

	/** Purposes of a connection. The order is that of the numbers on the wire. */
	enum Purpose {

		/**
		 * To know which instance this is, and when it ends. Another request may follow.
		 */
		WHO,

		/** Asks whether a subscriber may take part. */
		CHECK,

		/** Copies a log for all subscribers of a host. */
		COPY,

		/** Competes for messages of a stream. */
		COMPETE

	}

}
