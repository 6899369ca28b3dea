package io.github.vicinal.codec;

import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.jspecify.annotations.Nullable;

/**
 * How values of one declared type are laid out. Bound to one Fory instance.
 * <p>
 * Every reference is preceded by a byte that tells {@code null} from a value; hence each
 * element of a collection takes at least one byte, and a forged size can be refused
 * before anything is allocated.
 */
abstract class Shape {

	private static final byte NULL = 0;

	private static final byte VALUE = 1;

	/** Values that come as a reference but are never null: primitive types. */
	boolean primitive() {
		return false;
	}

	final void writeNullable(WriteContext context, @Nullable Object value, int depth) {
		if (primitive()) {
			if (value == null) {
				throw new CodecException("null for a primitive type", null);
			}
			write(context, value, depth);
			return;
		}
		if (value == null) {
			context.writeByte(NULL);
			return;
		}
		context.writeByte(VALUE);
		write(context, value, depth);
	}

	final @Nullable Object readNullable(ReadContext context, int depth) {
		if (primitive()) {
			return read(context, depth);
		}
		byte flag = context.readByte();
		if (flag == NULL) {
			return null;
		}
		if (flag != VALUE) {
			throw new CodecException("%d is neither null nor a value".formatted(flag), null);
		}
		return read(context, depth);
	}

	/**
	 * Writes a value.
	 * @param context where to
	 * @param value not null
	 * @param depth how many arrays and objects JSON would have opened around it
	 */
	abstract void write(WriteContext context, Object value, int depth);

	abstract Object read(ReadContext context, int depth);

}
