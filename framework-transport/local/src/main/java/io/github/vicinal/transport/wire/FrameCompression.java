package io.github.vicinal.transport.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

import io.github.vicinal.codec.EncodeBuffer;

/**
 * Compression of what follows the header of a frame, where both sides have agreed on it.
 * A compressed frame has {@link FrameDescriptor#FLAG_COMPRESSED}, a header block length
 * of 0, and this body:
 *
 * <pre>
 *   +---------------------------------------------------------------+
 *  0| length of the body before compression                         |
 *   +---------------------------------------------------------------+
 *  4| header block length before compression                        |
 *   +---------------------------------------------------------------+
 *  8| deflate stream (RFC 1951) of exactly that length              |
 *   +---------------------------------------------------------------+
 * </pre>
 */
public final class FrameCompression {

	private static final int PREFIX_BYTES = 2 * Integer.BYTES;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private FrameCompression() {
	}

	/**
	 * Compresses a frame that has ended, if that makes it shorter. A refusal stays as it
	 * is: sides that have agreed on nothing can read it.
	 * @param frame holds the frame and nothing else; not changed
	 * @return another frame, or the same one
	 */
	public static EncodeBuffer compress(EncodeBuffer frame) {
		byte[] from = frame.array();
		int length = frame.size() - FrameDescriptor.HEADER_BYTES;
		int longest = length - PREFIX_BYTES - 1;
		if (longest <= 0 || from[FrameDescriptor.TYPE_OFFSET] == FrameType.REFUSED.number()) {
			return frame;
		}
		byte[] deflated = new byte[longest];
		Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
		try {
			deflater.setInput(from, FrameDescriptor.HEADER_BYTES, length);
			deflater.finish();
			int size = deflater.deflate(deflated);
			if (!deflater.finished()) {
				return frame;
			}
			// No longer than it must be: the sender counts what is in it.
			EncodeBuffer to = new EncodeBuffer(FrameDescriptor.HEADER_BYTES + PREFIX_BYTES + size);
			to.write(from, 0, FrameDescriptor.HEADER_BYTES);
			to.size(FrameDescriptor.HEADER_BYTES + PREFIX_BYTES);
			INT.set(to.array(), FrameDescriptor.HEADER_BYTES, length);
			INT.set(to.array(), FrameDescriptor.HEADER_BYTES + Integer.BYTES,
					(int) INT.get(from, FrameDescriptor.HEADER_BLOCK_LENGTH_OFFSET));
			to.write(deflated, 0, size);
			FrameDescriptor.compressed(to, PREFIX_BYTES + size);
			return to;
		}
		finally {
			deflater.end();
		}
	}

	/**
	 * Returns what a compressed frame says that it expands to.
	 * @param header of the frame
	 * @param body begins at the header's offset of the body
	 * @return bytes, 0 if it is malformed
	 */
	public static int announcedBytes(FrameHeader header, byte[] body) {
		return (header.length < PREFIX_BYTES) ? 0 : Math.max(0, (int) INT.get(body, header.bodyOffset));
	}

	/**
	 * Expands the body of a frame.
	 * @param header of the frame; afterwards that of the frame before it was compressed
	 * @param body begins at the header's offset of the body
	 * @param limits what this side accepts
	 * @return what the sender has compressed
	 * @throws WireException if it is no compressed body, or too long
	 */
	public static byte[] expand(FrameHeader header, byte[] body, WireLimits limits) throws WireException {
		if (header.length < PREFIX_BYTES || header.headerBlockLength != 0) {
			throw malformed();
		}
		int length = (int) INT.get(body, header.bodyOffset);
		int headerBlockLength = (int) INT.get(body, header.bodyOffset + Integer.BYTES);
		FrameDescriptor.check(length, headerBlockLength, limits);
		byte[] bytes = inflate(body, header.bodyOffset + PREFIX_BYTES, header.length - PREFIX_BYTES, length);
		header.length = length;
		header.headerBlockLength = headerBlockLength;
		header.flags &= ~FrameDescriptor.FLAG_COMPRESSED;
		header.bodyOffset = 0;
		return bytes;
	}

	/** Memory grows with what the stream really holds, not with the announced length. */
	private static byte[] inflate(byte[] from, int offset, int length, int expected) throws WireException {
		Inflater inflater = new Inflater(true);
		try {
			inflater.setInput(from, offset, length);
			byte[] bytes = new byte[(int) Math.min(expected, 4L * length)];
			int size = 0;
			while (!inflater.finished()) {
				if (size == expected) {
					// Only the end of the stream may follow.
					size += inflater.inflate(new byte[1]);
					break;
				}
				if (size == bytes.length) {
					bytes = Arrays.copyOf(bytes, (int) Math.min(expected, 2L * size + 1));
				}
				int more = inflater.inflate(bytes, size, bytes.length - size);
				if (more == 0 && !inflater.finished()) {
					throw malformed();
				}
				size += more;
			}
			if (!inflater.finished() || size != expected || inflater.getRemaining() != 0) {
				throw malformed();
			}
			return (bytes.length == size) ? bytes : Arrays.copyOf(bytes, size);
		}
		catch (DataFormatException ex) {
			throw malformed();
		}
		finally {
			inflater.end();
		}
	}

	private static WireException malformed() {
		return new WireException(Refusal.MALFORMED, "the frame says that it is compressed, but is not");
	}

}
