package io.github.vicinal.codec;

import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * A growing byte array that an encoder writes to. Not thread-safe; made to be reused.
 *
 * @since 0.1.0
 */
public final class EncodeBuffer extends OutputStream {

	private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

	/** Maximum number of bytes of a whole number of 32 bits: seven bits in each. */
	private static final int MAX_VAR_INT_BYTES = 5;

	/** Maximum number of bytes of a whole number of 64 bits. */
	private static final int MAX_VAR_LONG_BYTES = 10;

	private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class,
			ByteOrder.LITTLE_ENDIAN);

	private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private final IntConsumer beforeGrowth;

	private byte[] bytes;

	private int size;

	/**
	 * Creates an empty buffer.
	 * @param initialBytes number of bytes that it holds before it first grows
	 */
	public EncodeBuffer(int initialBytes) {
		this(initialBytes, (bytes) -> {
		});
	}

	/**
	 * Creates an empty buffer for those who bound how much memory buffers take.
	 * @param initialBytes number of bytes that it holds before it first grows
	 * @param beforeGrowth called before the buffer grows, with the bytes that it will
	 * hold; what it had before is needed until it has grown
	 */
	public EncodeBuffer(int initialBytes, IntConsumer beforeGrowth) {
		this.beforeGrowth = beforeGrowth;
		this.bytes = new byte[initialBytes];
	}

	@Override
	public void write(int value) {
		ensureWritable(1);
		this.bytes[this.size++] = (byte) value;
	}

	@Override
	public void write(byte[] source, int offset, int length) {
		Objects.checkFromIndexSize(offset, length, source.length);
		ensureWritable(length);
		System.arraycopy(source, offset, this.bytes, this.size, length);
		this.size += length;
	}

	void writeShort(short value) {
		ensureWritable(Short.BYTES);
		SHORTS.set(this.bytes, this.size, value);
		this.size += Short.BYTES;
	}

	void writeInt(int value) {
		ensureWritable(Integer.BYTES);
		INTS.set(this.bytes, this.size, value);
		this.size += Integer.BYTES;
	}

	void writeLong(long value) {
		ensureWritable(Long.BYTES);
		LONGS.set(this.bytes, this.size, value);
		this.size += Long.BYTES;
	}

	/** Writes a number that is mostly small and not negative: seven bits per byte. */
	void writeUnsigned(int value) {
		ensureWritable(MAX_VAR_INT_BYTES);
		byte[] target = this.bytes;
		int at = this.size;
		int rest = value;
		while ((rest & ~0x7F) != 0) {
			target[at++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		target[at++] = (byte) rest;
		this.size = at;
	}

	/** Writes a number that is mostly near zero: the sign is its lowest bit. */
	void writeVarInt(int value) {
		writeUnsigned((value << 1) ^ (value >> (Integer.SIZE - 1)));
	}

	/** Writes a number that is mostly near zero: the sign is its lowest bit. */
	void writeVarLong(long value) {
		ensureWritable(MAX_VAR_LONG_BYTES);
		byte[] target = this.bytes;
		int at = this.size;
		long rest = (value << 1) ^ (value >> (Long.SIZE - 1));
		while ((rest & ~0x7FL) != 0) {
			target[at++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		target[at++] = (byte) rest;
		this.size = at;
	}

	/**
	 * Makes room, so that the next {@code length} bytes fit into {@link #array()}.
	 * @param length bytes that will be written
	 * @throws CodecException if the buffer would grow past what an array can hold
	 */
	public void ensureWritable(int length) {
		int free = this.bytes.length - this.size;
		if (length <= free) {
			return;
		}
		long wanted = Math.max((long) this.size + length, this.bytes.length * 2L);
		if ((long) this.size + length > MAX_ARRAY_BYTES) {
			throw tooLarge();
		}
		int grown = (int) Math.min(wanted, MAX_ARRAY_BYTES);
		this.beforeGrowth.accept(grown);
		this.bytes = Arrays.copyOf(this.bytes, grown);
	}

	/**
	 * Returns the array behind the buffer. It is replaced when the buffer grows.
	 * @return the array, of which the first {@link #size()} bytes are written
	 */
	public byte[] array() {
		return this.bytes;
	}

	/**
	 * Returns the number of bytes that are written.
	 * @return the size in bytes
	 */
	public int size() {
		return this.size;
	}

	/**
	 * Sets the size: to shrink the content, or to account for bytes that were written
	 * into {@link #array()} directly.
	 * @param newSize the size in bytes
	 */
	public void size(int newSize) {
		Objects.checkIndex(newSize, this.bytes.length + 1);
		this.size = newSize;
	}

	/**
	 * Forgets the content, and the array too if it is larger than a limit.
	 * @param keepAtMostBytes the largest array that is kept for reuse
	 */
	public void clear(int keepAtMostBytes) {
		this.size = 0;
		if (this.bytes.length > keepAtMostBytes) {
			this.bytes = new byte[keepAtMostBytes];
		}
	}

	static CodecException tooLarge() {
		return new CodecException("A value of more than 2 GiB cannot be encoded", null);
	}

}
