package io.github.vicinal.transport.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.vicinal.codec.EncodeBuffer;

/**
 * The layout of a frame. All numbers are big-endian.
 *
 * <pre>
 *    0               1               2               3
 *   +---------------+---------------+---------------+---------------+
 *  0| magic: 'V' 'c' 'n' 'l'                                        |
 *   +---------------+---------------+---------------+---------------+
 *  4| version       | type          | flags                         |
 *   +---------------+---------------+---------------+---------------+
 *  8| length: bytes that follow this header                         |
 *   +---------------+---------------+---------------+---------------+
 * 12| header block length: the part of them that are headers        |
 *   +---------------+---------------+---------------+---------------+
 * 16| correlation: chosen by the client, repeated in the answer     |
 *   |                                                               |
 *   +---------------+---------------+---------------+---------------+
 * 24| binding: the number of the contract on this connection        |
 *   +---------------+---------------+---------------+---------------+
 * 28| code: CALL method index, REPLY HTTP status, REFUSED reason    |
 *   +---------------+---------------+---------------+---------------+
 * 32| remaining: nanoseconds that the caller still waits,           |
 *   | {@link Long#MAX_VALUE} for ever (CALL); nanoseconds that a    |
 *   | timed call waited and ran at the server (REPLY); otherwise 0  |
 *   +---------------+---------------+---------------+---------------+
 * 40| header block (see {@link HeaderBlock})                        |
 *   +---------------------------------------------------------------+
 *   | payload: arguments, result, or the fields of {@link Payload}  |
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * Every version keeps the first 12 bytes and the payload of REFUSED as they are, so that
 * both sides know which version the other speaks.
 */
public final class FrameDescriptor {

	public static final int MAGIC = 'V' << 24 | 'c' << 16 | 'n' << 8 | 'l';

	public static final byte VERSION = 5;

	public static final int MAGIC_OFFSET = 0;

	public static final int VERSION_OFFSET = 4;

	public static final int TYPE_OFFSET = 5;

	public static final int FLAGS_OFFSET = 6;

	public static final int LENGTH_OFFSET = 8;

	public static final int HEADER_BLOCK_LENGTH_OFFSET = 12;

	public static final int CORRELATION_OFFSET = 16;

	public static final int BINDING_OFFSET = 24;

	public static final int CODE_OFFSET = 28;

	public static final int REMAINING_OFFSET = 32;

	/** The size of the fixed part, in bytes. */
	public static final int HEADER_BYTES = 40;

	/** In REFUSED: the call was executed, only its answer could not be sent. */
	public static final short FLAG_EXECUTED = 1;

	/** In REFUSED and GOODBYE: the connection is closed after this frame. */
	public static final short FLAG_CLOSING = 1 << 1;

	/** In CALL: the reply shall say how long the call waited and ran at the server. */
	public static final short FLAG_TIMED = 1 << 2;

	/** In CALL and REPLY: see {@link FrameCompression}. */
	public static final short FLAG_COMPRESSED = 1 << 3;

	/** In HELLO and WELCOME: this side sends and accepts compressed frames. */
	public static final short FLAG_COMPRESSES = 1 << 4;

	/** In HELLO: this side sends CANCEL. In WELCOME: this side understands it. */
	public static final short FLAG_CANCELS = 1 << 5;

	private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private FrameDescriptor() {
	}

	/**
	 * Starts a frame: leaves room for the header at the end of the buffer. Fields that
	 * are not set before {@link #end} are 0.
	 * @return where the frame starts
	 */
	public static int begin(EncodeBuffer out) {
		int start = out.size();
		out.ensureWritable(HEADER_BYTES);
		out.size(start + HEADER_BYTES);
		clear(out, start);
		return start;
	}

	/** Sets all fields to 0. */
	static void clear(EncodeBuffer out, int start) {
		byte[] bytes = out.array();
		for (int i = start; i < start + HEADER_BYTES; i += Long.BYTES) {
			LONG.set(bytes, i, 0L);
		}
	}

	public static void flags(EncodeBuffer out, int start, int flags) {
		SHORT.set(out.array(), start + FLAGS_OFFSET, (short) flags);
	}

	/** Marks a frame as compressed, with the length that it has now. */
	static void compressed(EncodeBuffer out, int length) {
		byte[] bytes = out.array();
		SHORT.set(bytes, FLAGS_OFFSET, (short) ((short) SHORT.get(bytes, FLAGS_OFFSET) | FLAG_COMPRESSED));
		INT.set(bytes, LENGTH_OFFSET, length);
		INT.set(bytes, HEADER_BLOCK_LENGTH_OFFSET, 0);
	}

	public static void headerBlockLength(EncodeBuffer out, int start, int bytes) {
		INT.set(out.array(), start + HEADER_BLOCK_LENGTH_OFFSET, bytes);
	}

	public static void correlation(EncodeBuffer out, int start, long correlation) {
		LONG.set(out.array(), start + CORRELATION_OFFSET, correlation);
	}

	public static void binding(EncodeBuffer out, int start, int binding) {
		INT.set(out.array(), start + BINDING_OFFSET, binding);
	}

	public static void code(EncodeBuffer out, int start, int code) {
		INT.set(out.array(), start + CODE_OFFSET, code);
	}

	public static void remaining(EncodeBuffer out, int start, long nanos) {
		LONG.set(out.array(), start + REMAINING_OFFSET, nanos);
	}

	/** Ends a frame: writes what is the same in all of them, its type and its length. */
	public static void end(EncodeBuffer out, int start, FrameType type) {
		byte[] bytes = out.array();
		INT.set(bytes, start + MAGIC_OFFSET, MAGIC);
		bytes[start + VERSION_OFFSET] = VERSION;
		bytes[start + TYPE_OFFSET] = type.number();
		INT.set(bytes, start + LENGTH_OFFSET, out.size() - start - HEADER_BYTES);
	}

	/**
	 * Reads the header at the position of a buffer and checks everything that can be
	 * checked without the rest of the frame.
	 * @param in has at least {@link #HEADER_BYTES} remaining; its position moves past
	 * them
	 * @param header receives the fields
	 * @param limits what this side accepts
	 * @throws WireException if this is no acceptable frame
	 */
	public static void read(ByteBuffer in, FrameHeader header, WireLimits limits) throws WireException {
		in.get(header.fixed);
		read(header.fixed, header, limits);
	}

	/**
	 * Reads a frame that lies in an array as a whole.
	 * @param bytes begins with the frame
	 * @param size how long the frame is
	 * @param header receives the fields
	 * @param limits what this side accepts
	 * @throws WireException if this is no acceptable frame
	 */
	public static void read(byte[] bytes, int size, FrameHeader header, WireLimits limits) throws WireException {
		if (size < HEADER_BYTES) {
			throw new WireException(Refusal.MALFORMED, "a frame of %d bytes".formatted(size));
		}
		read(bytes, header, limits);
		if (header.length != size - HEADER_BYTES) {
			throw new WireException(Refusal.MALFORMED,
					"a frame of %d bytes that announces %d".formatted(size - HEADER_BYTES, header.length));
		}
		header.bodyOffset = HEADER_BYTES;
	}

	private static void read(byte[] in, FrameHeader header, WireLimits limits) throws WireException {
		int magic = (int) INT.get(in, MAGIC_OFFSET);
		if (magic != MAGIC) {
			throw new WireException(Refusal.MALFORMED,
					"a frame starts with %08x, but these bytes with %08x".formatted(MAGIC, magic));
		}
		byte version = in[VERSION_OFFSET];
		FrameType type = FrameType.of(in[TYPE_OFFSET]);
		// A peer of another version still explains itself in a REFUSED frame.
		if (version != VERSION && type != FrameType.REFUSED) {
			throw new WireException(Refusal.VERSION, "this side speaks version %d of the protocol, the other %d"
				.formatted(VERSION, Byte.toUnsignedInt(version)));
		}
		if (type == null) {
			throw new WireException(Refusal.MALFORMED, "there is no frame type %d".formatted(in[TYPE_OFFSET]));
		}
		header.type = type;
		header.flags = (short) SHORT.get(in, FLAGS_OFFSET);
		header.length = (int) INT.get(in, LENGTH_OFFSET);
		header.headerBlockLength = (int) INT.get(in, HEADER_BLOCK_LENGTH_OFFSET);
		header.correlation = (long) LONG.get(in, CORRELATION_OFFSET);
		header.binding = (int) INT.get(in, BINDING_OFFSET);
		header.code = (int) INT.get(in, CODE_OFFSET);
		header.remaining = (long) LONG.get(in, REMAINING_OFFSET);
		check(header.length, header.headerBlockLength, limits);
	}

	static void check(int length, int headerBlockLength, WireLimits limits) throws WireException {
		if (length < 0 || length > limits.maxFrameBytes()) {
			throw new WireException(Refusal.TOO_LARGE, "a frame of %d bytes is larger than the limit of %d bytes"
				.formatted(Integer.toUnsignedLong(length), limits.maxFrameBytes()));
		}
		if (headerBlockLength < 0 || headerBlockLength > length) {
			throw new WireException(Refusal.MALFORMED, "a header block of %d bytes does not fit into a frame of %d"
				.formatted(Integer.toUnsignedLong(headerBlockLength), length));
		}
		if (headerBlockLength > limits.maxHeaderBytes()) {
			throw new WireException(Refusal.TOO_LARGE, "headers of %d bytes are larger than the limit of %d bytes"
				.formatted(headerBlockLength, limits.maxHeaderBytes()));
		}
	}

}
