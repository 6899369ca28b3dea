package io.github.vicinal.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads what an {@link EncodeBuffer} holds. Another process may have written the bytes:
 * every read is checked against the end of the message, and a size against the bytes that
 * are left, before anything is allocated for it. Used by one thread.
 */
final class FlatInput {

	private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class,
			ByteOrder.LITTLE_ENDIAN);

	private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private final byte[] bytes;

	private final int end;

	private int position;

	/** Bytes that no size has claimed for its elements so far. */
	private long unclaimed;

	FlatInput(byte[] bytes, int offset, int length) {
		this.bytes = bytes;
		this.position = offset;
		this.end = offset + length;
		this.unclaimed = length;
	}

	int remaining() {
		return this.end - this.position;
	}

	byte readByte() {
		return this.bytes[advance(1)];
	}

	short readShort() {
		return (short) SHORTS.get(this.bytes, advance(Short.BYTES));
	}

	int readInt() {
		return (int) INTS.get(this.bytes, advance(Integer.BYTES));
	}

	long readLong() {
		return (long) LONGS.get(this.bytes, advance(Long.BYTES));
	}

	/** Reads what {@link EncodeBuffer#writeUnsigned(int)} has written. */
	int readUnsigned() {
		int value = readByte();
		if (value >= 0) {
			return value;
		}
		value &= 0x7F;
		for (int shift = 7; shift < Integer.SIZE; shift += 7) {
			byte part = readByte();
			value |= (part & 0x7F) << shift;
			if (part >= 0) {
				return value;
			}
		}
		throw new CodecException("A whole number has more than 32 bits", null);
	}

	/** Reads what {@link EncodeBuffer#writeVarInt(int)} has written. */
	int readVarInt() {
		int folded = readUnsigned();
		return (folded >>> 1) ^ -(folded & 1);
	}

	/** Reads what {@link EncodeBuffer#writeVarLong(long)} has written. */
	long readVarLong() {
		long folded = 0;
		for (int shift = 0; shift < Long.SIZE; shift += 7) {
			byte part = readByte();
			folded |= (part & 0x7FL) << shift;
			if (part >= 0) {
				return (folded >>> 1) ^ -(folded & 1);
			}
		}
		throw new CodecException("A whole number has more than 64 bits", null);
	}

	/**
	 * Reads a number of elements. All sizes together claim at most the bytes of the
	 * message, so that nested collections cannot each reserve room for what is left.
	 * @param bytesEach minimum number of bytes that an element takes by itself
	 * @return a number of elements that the bytes that are left can hold
	 */
	int readSize(int bytesEach) {
		int size = readUnsigned();
		long claim = Integer.toUnsignedLong(size) * bytesEach;
		if (claim > remaining() || claim > this.unclaimed) {
			throw tooFew(claim);
		}
		this.unclaimed -= claim;
		return size;
	}

	byte[] readBytes(int length) {
		int from = advance(length);
		return Arrays.copyOfRange(this.bytes, from, from + length);
	}

	String readText() {
		int header = readUnsigned();
		int length = header >>> 1;
		if ((header & 1) == FlatText.LATIN1) {
			return FlatText.latin1(this.bytes, advance(length), length);
		}
		return FlatText.utf16(this.bytes, advance((long) Character.BYTES * length), length);
	}

	private int advance(long length) {
		if (length > remaining()) {
			throw tooFew(length);
		}
		int from = this.position;
		this.position = from + (int) length;
		return from;
	}

	private CodecException tooFew(long needed) {
		return new CodecException("%d bytes are left for a value of at least %d bytes".formatted(remaining(), needed),
				null);
	}

}
