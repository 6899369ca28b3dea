package io.github.vicinal.transport.shm.topic;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Set;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * Messages between publisher and subscriber over their connection, each message behind
 * its length:
 *
 * <pre>
 * subscriber                publisher
 * Request   -------------&gt;            as soon as the topic is there:
 *           &lt;-------------  Grant or Refused
 * READY     -------------&gt;            maps everything, then
 *           &lt;-------------  Start     takes part from there
 * </pre>
 */
final class Handshake {

	static final int MAX_BYTES = 4096;

	private static final int MAGIC = 0x56_54_4F_50;

	private static final int VERSION = 3;

	private static final int GRANT = 1;

	private static final int REFUSED = 2;

	private Handshake() {
	}

	/**
	 * Request of a subscriber.
	 *
	 * @param topic name of the topic
	 * @param model what the subscriber takes its model to be
	 * @param format how it reads payloads
	 * @param subscriber its name
	 * @param application its application
	 * @param threads number of threads that take messages
	 * @param batch number of messages of a stream that each of them holds
	 * @param bells kinds of bells that it can use, best first
	 * @param others whether it takes messages of publishers of other hosts
	 * @param resume where it left off
	 */
	record Request(String topic, TopicModel model, String format, String subscriber, String application, int threads,
			int batch, Set<String> bells, boolean others, Resume resume) {

		void send(WritableByteChannel channel) throws IOException {
			Handshake.send(channel, (out) -> {
				out.writeInt(MAGIC);
				out.writeShort(VERSION);
				out.writeUTF(this.topic);
				out.writeUTF(this.model.name());
				out.writeUTF(this.format);
				out.writeUTF(this.subscriber);
				out.writeUTF(this.application);
				out.writeShort(this.threads);
				out.writeShort(this.batch);
				out.writeUTF(String.join(",", this.bells));
				out.writeBoolean(this.others);
				out.writeLong(this.resume.epoch());
				out.writeLong(this.resume.position());
				out.writeLong(this.resume.sequence());
			});
		}

		static Request receive(SocketChannel channel) throws IOException, WireException {
			byte[] bytes = Handshake.receive(channel);
			if (bytes == null) {
				throw new EOFException("closed before it asked for a topic");
			}
			return parse(bytes);
		}

		static Request parse(byte[] bytes) throws WireException {
			try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
				if (in.readInt() != MAGIC) {
					throw new WireException(Refusal.MALFORMED, "what connected is no subscriber");
				}
				int version = in.readUnsignedShort();
				if (version != VERSION) {
					throw new WireException(Refusal.VERSION,
							"the subscriber has version %d of topics, this side %d".formatted(version, VERSION));
				}
				Request request = new Request(in.readUTF(), model(in.readUTF()), in.readUTF(), in.readUTF(),
						in.readUTF(), in.readUnsignedShort(), in.readUnsignedShort(), Set.of(in.readUTF().split(",")),
						in.readBoolean(), new Resume(in.readLong(), in.readLong(), in.readLong()));
				if (request.threads < 1 || request.threads > SubscriberSettings.MAX_CONCURRENCY) {
					throw new WireException(Refusal.MALFORMED,
							"a subscriber with %d threads".formatted(request.threads));
				}
				if (request.batch < 1 || request.batch > SubscriberSettings.MAX_BATCH) {
					throw new WireException(Refusal.MALFORMED,
							"a subscriber with batches of %d messages".formatted(request.batch));
				}
				requireEnd(in);
				return request;
			}
			catch (IOException | IllegalArgumentException ex) {
				throw new WireException(Refusal.MALFORMED, "what a subscriber asks for cannot be read: " + ex);
			}
		}

		private static TopicModel model(String name) throws WireException {
			for (TopicModel model : TopicModel.values()) {
				if (model.name().equals(name)) {
					return model;
				}
			}
			throw new WireException(Refusal.MALFORMED,
					"there is no model '%s'".formatted(WireException.printable(name)));
		}

	}

	/**
	 * Grant of a publisher to a subscriber.
	 *
	 * @param log name of the file with the messages
	 * @param capacity of the log
	 * @param epoch of the log
	 * @param pair name of the file of the pair
	 * @param bells kind of the bells
	 * @param place where the bells are, empty if they need none
	 * @param drops whether messages may be overwritten before they were handled
	 * @param application the publisher's
	 */
	record Grant(String log, int capacity, long epoch, String pair, String bells, String place, boolean drops,
			String application) {

		void send(SocketChannel channel) throws IOException {
			Handshake.send(channel, (out) -> {
				out.writeByte(GRANT);
				out.writeUTF(this.log);
				out.writeInt(this.capacity);
				out.writeLong(this.epoch);
				out.writeUTF(this.pair);
				out.writeUTF(this.bells);
				out.writeUTF(this.place);
				out.writeBoolean(this.drops);
				out.writeUTF(this.application);
			});
		}

		/**
		 * Reads a publisher's answer.
		 * @throws RefusedException if it refuses
		 */
		static Grant parse(byte[] bytes) throws WireException, RefusedException {
			try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
				int kind = in.readUnsignedByte();
				if (kind == REFUSED) {
					throw new RefusedException(in.readUTF());
				}
				if (kind != GRANT) {
					throw new WireException(Refusal.MALFORMED, "an answer of kind %d".formatted(kind));
				}
				Grant grant = new Grant(in.readUTF(), in.readInt(), in.readLong(), in.readUTF(), in.readUTF(),
						in.readUTF(), in.readBoolean(), in.readUTF());
				if (grant.capacity < Long.BYTES || Integer.bitCount(grant.capacity) != 1) {
					throw new WireException(Refusal.MALFORMED, "a log of %d bytes".formatted(grant.capacity));
				}
				requireEnd(in);
				return grant;
			}
			catch (IOException ex) {
				throw new WireException(Refusal.MALFORMED, "the publisher's answer cannot be read: " + ex);
			}
		}

	}

	/**
	 * Position from which a subscriber takes part.
	 *
	 * @param position in the log
	 * @param sequence of the next message
	 */
	record Start(long position, long sequence) {

		void send(SocketChannel channel) throws IOException {
			Handshake.send(channel, (out) -> {
				out.writeLong(this.position);
				out.writeLong(this.sequence);
			});
		}

		static Start parse(byte[] bytes) throws WireException {
			if (bytes.length != 2 * Long.BYTES) {
				throw new WireException(Refusal.MALFORMED, "a start of %d bytes".formatted(bytes.length));
			}
			ByteBuffer buffer = ByteBuffer.wrap(bytes);
			Start start = new Start(buffer.getLong(), buffer.getLong());
			if (start.position < 0 || (start.position & 7) != 0) {
				throw new WireException(Refusal.MALFORMED, "a start at %d".formatted(start.position));
			}
			return start;
		}

	}

	static void sendReady(SocketChannel channel) throws IOException {
		send(channel, (out) -> {
		});
	}

	static void refuse(SocketChannel channel, String reason) throws IOException {
		send(channel, (out) -> {
			out.writeByte(REFUSED);
			out.writeUTF(reason);
		});
	}

	/** Returns one message, or {@code null} if the other side has closed. */
	static byte @Nullable [] receive(SocketChannel channel) throws IOException, WireException {
		ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
		if (!fill(channel, length)) {
			return null;
		}
		int bytes = length.getInt(0);
		if (bytes < 0 || bytes > MAX_BYTES) {
			throw new WireException(Refusal.MALFORMED,
					"a message of %d bytes, of which at most %d are allowed".formatted(bytes, MAX_BYTES));
		}
		ByteBuffer body = ByteBuffer.allocate(bytes);
		if (!fill(channel, body)) {
			throw new EOFException("closed within a message");
		}
		return body.array();
	}

	private static boolean fill(SocketChannel channel, ByteBuffer target) throws IOException {
		while (target.hasRemaining()) {
			if (channel.read(target) < 0) {
				if (target.position() > 0) {
					throw new EOFException("closed within a message");
				}
				return false;
			}
		}
		return true;
	}

	private static void send(WritableByteChannel channel, Writing writing) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeInt(0);
			writing.to(out);
		}
		ByteBuffer message = ByteBuffer.wrap(bytes.toByteArray());
		message.putInt(0, message.capacity() - Integer.BYTES);
		while (message.hasRemaining()) {
			channel.write(message);
		}
	}

	private static void requireEnd(DataInputStream in) throws IOException, WireException {
		if (in.available() > 0) {
			throw new WireException(Refusal.MALFORMED, "%d bytes too many".formatted(in.available()));
		}
	}

	private interface Writing {

		void to(DataOutputStream out) throws IOException;

	}

	/** The publisher does not let the subscriber take part. */
	static final class RefusedException extends Exception {

		private static final long serialVersionUID = 1L;

		RefusedException(String reason) {
			super(reason);
		}

	}

}
