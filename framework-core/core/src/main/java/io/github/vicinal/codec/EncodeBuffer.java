package io.github.vicinal.codec;

import java.io.OutputStream;
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

	private final IntConsumer beforeGrowth;

	private byte[] bytes;

	private int size;

	/**
	 * Creates an empty buffer.
	 * @param initialBytes how many bytes it holds before it first grows
	 */
	public EncodeBuffer(int initialBytes) {
		this(initialBytes, (bytes) -> {
		});
	}

	/**
	 * Creates an empty buffer for those who bound how much memory buffers take.
	 * @param initialBytes how many bytes it holds before it first grows
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
			throw new CodecException("A value of more than 2 GiB cannot be encoded", null);
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
	 * Returns how many bytes are written.
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

}
