package io.github.vicinal.chronicle;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is in a queue:
 *
 * <pre>
 *  0  version
 *  1  checksum of all that follows
 *  5  when it was published, microseconds since 1970
 * 13  bytes of the part with publisher and headers
 * 17  the instance id of the publisher, number of headers, names and values
 *     the payload
 * </pre>
 *
 * The checksum is there because queue files outlast processes and hosts.
 *
 * @param publisher instance id of the publishing process
 * @param micros when it was published, since 1970
 * @param headers names and values
 * @param payload the payload
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DurableRecord(String publisher, long micros, Map<String, String> headers, byte[] payload) {

	private static final byte VERSION = 1;

	private static final int CHECKSUM = 1;

	private static final int TIME = 5;

	private static final int HEADER_BYTES = 13;

	private static final int FIXED = 17;

	private static final int MOST_HEADERS = 0xFFFF;

	/**
	 * Writes a record.
	 * @param names what {@link #names} returned for its publisher and headers
	 */
	static byte[] write(byte[] names, long micros, byte[] payload, int length) {
		byte[] bytes = new byte[FIXED + names.length + length];
		ByteBuffer.wrap(bytes)
			.put(VERSION)
			.putInt(0)
			.putLong(micros)
			.putInt(names.length)
			.put(names)
			.put(payload, 0, length);
		ByteBuffer.wrap(bytes).putInt(CHECKSUM, checksum(bytes));
		return bytes;
	}

	/** Writes the part of a record that is alike for all messages without headers. */
	static byte[] names(String publisher, Map<String, String> headers) {
		if (headers.size() > MOST_HEADERS) {
			throw new TopicException(
					"A message has at most %d headers, not %d".formatted(MOST_HEADERS, headers.size()));
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			out.writeUTF(publisher);
			out.writeShort(headers.size());
			for (Map.Entry<String, String> header : headers.entrySet()) {
				out.writeUTF(header.getKey());
				out.writeUTF(header.getValue());
			}
		}
		catch (IOException ex) {
			throw new TopicException("A name or value of a header may have 65,535 bytes: " + ex.getMessage(), ex);
		}
		return bytes.toByteArray();
	}

	private static DurableRecord read(byte[] bytes, Names known) {
		if (bytes.length < FIXED || bytes[0] != VERSION) {
			throw new DamagedQueueException("a message of %d bytes begins with %d, not with the version %d"
				.formatted(bytes.length, (bytes.length == 0) ? 0 : bytes[0], VERSION));
		}
		ByteBuffer buffer = ByteBuffer.wrap(bytes);
		if (buffer.getInt(CHECKSUM) != checksum(bytes)) {
			throw new DamagedQueueException("the checksum of a message of %d bytes is wrong".formatted(bytes.length));
		}
		int names = buffer.getInt(HEADER_BYTES);
		if (names < 0 || names > bytes.length - FIXED) {
			throw new DamagedQueueException("headers of %d bytes in a message of %d".formatted(names, bytes.length));
		}
		byte[] payload = new byte[bytes.length - FIXED - names];
		System.arraycopy(bytes, FIXED + names, payload, 0, payload.length);
		known.read(bytes, names);
		return new DurableRecord(known.publisher, buffer.getLong(TIME), known.headers, payload);
	}

	private static int checksum(byte[] bytes) {
		CRC32 checksum = new CRC32();
		checksum.update(bytes, TIME, bytes.length - TIME);
		return (int) checksum.getValue();
	}

	/** Publisher and headers of the last message: the next one often has the same. */
	private static final class Names {

		private byte @Nullable [] bytes;

		private String publisher = "";

		private Map<String, String> headers = Map.of();

		void read(byte[] record, int length) {
			byte[] last = this.bytes;
			if (last != null && Arrays.equals(record, FIXED, FIXED + length, last, 0, last.length)) {
				return;
			}
			try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(record, FIXED, length))) {
				String name = in.readUTF();
				int count = in.readUnsignedShort();
				Map<String, String> read = new LinkedHashMap<>();
				for (int i = 0; i < count; i++) {
					read.put(in.readUTF(), in.readUTF());
				}
				this.publisher = name;
				this.headers = Collections.unmodifiableMap(read);
				this.bytes = Arrays.copyOfRange(record, FIXED, FIXED + length);
			}
			catch (IOException ex) {
				throw new DamagedQueueException("headers cannot be read: " + ex);
			}
		}

	}

	/** Reads records. Not thread-safe. */
	static final class Reader {

		private final Path directory;

		private final Names names = new Names();

		/**
		 * Creates a reader.
		 * @param directory where the topic is, for people
		 */
		Reader(Path directory) {
			this.directory = directory;
		}

		/**
		 * Reads the record of a message.
		 * @param entry the message
		 * @throws DamagedQueueException if the bytes are none
		 */
		DurableRecord read(DurableLog.Entry entry) {
			try {
				return DurableRecord.read(entry.bytes(), this.names);
			}
			catch (DamagedQueueException ex) {
				throw new DamagedQueueException("The message with index %x in %s is damaged: %s"
					.formatted(entry.index(), this.directory, ex.getMessage()), ex);
			}
		}

	}

}
