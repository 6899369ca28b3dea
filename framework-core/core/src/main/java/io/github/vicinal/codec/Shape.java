package io.github.vicinal.codec;

import org.jspecify.annotations.Nullable;

/**
 * Layout of values of one declared type. Immutable once made, and thread-safe.
 * <p>
 * Every reference is preceded by a byte that distinguishes {@code null} from a value.
 * Hence each element of a collection takes at least one byte, and a forged size can be
 * refused before anything is allocated.
 */
abstract class Shape {

	private static final byte NULL = 0;

	private static final byte VALUE = 1;

	private final boolean primitive;

	/** Creates the shape of a type whose values may be {@code null}. */
	Shape() {
		this(false);
	}

	/**
	 * Creates a shape.
	 * @param primitive whether the type is primitive, so that values are never null
	 */
	Shape(boolean primitive) {
		this.primitive = primitive;
	}

	final void writeNullable(EncodeBuffer out, @Nullable Object value, int depth) {
		if (this.primitive) {
			if (value == null) {
				throw new CodecException("null for a primitive type", null);
			}
			write(out, value, depth);
			return;
		}
		if (value == null) {
			out.write(NULL);
			return;
		}
		out.write(VALUE);
		write(out, value, depth);
	}

	final @Nullable Object readNullable(FlatInput in, int depth) {
		if (this.primitive) {
			return read(in, depth);
		}
		byte flag = in.readByte();
		if (flag == NULL) {
			return null;
		}
		if (flag != VALUE) {
			throw new CodecException("%d marks neither null nor a value".formatted(flag), null);
		}
		return read(in, depth);
	}

	/**
	 * Writes a value.
	 * @param out where to
	 * @param value not null
	 * @param depth number of arrays and objects that JSON would have opened around it
	 */
	abstract void write(EncodeBuffer out, Object value, int depth);

	/**
	 * Reads a value.
	 * @param in holds what {@link #write} has written, or what a peer has forged
	 * @param depth number of arrays and objects that JSON would have opened around it
	 */
	abstract Object read(FlatInput in, int depth);

	static void checkClass(Object value, Class<?> expected) {
		if (value.getClass() != expected) {
			throw wrongClass(value, expected);
		}
	}

	static CodecException wrongClass(Object value, Class<?> expected) {
		return new CodecException(
				"%s where the contract says %s".formatted(value.getClass().getName(), expected.getName()), null);
	}

}
