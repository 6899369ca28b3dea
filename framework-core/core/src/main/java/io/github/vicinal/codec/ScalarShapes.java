package io.github.vicinal.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** Shapes of single values: numbers, texts, identifiers and constants. */
final class ScalarShapes {

	private ScalarShapes() {
	}

	/** Returns the shape of a type, or {@code null} for types with parts. */
	static @Nullable Shape of(Class<?> type) {
		boolean primitive = type.isPrimitive();
		if (type == boolean.class || type == Boolean.class) {
			return new BooleanShape(primitive);
		}
		if (type == byte.class || type == Byte.class) {
			return new ByteShape(primitive);
		}
		if (type == short.class || type == Short.class) {
			return new ShortShape(primitive);
		}
		if (type == char.class || type == Character.class) {
			return new CharShape(primitive);
		}
		if (type == int.class || type == Integer.class) {
			return new IntShape(primitive);
		}
		if (type == long.class || type == Long.class) {
			return new LongShape(primitive);
		}
		if (type == float.class || type == Float.class) {
			return new FloatShape(primitive);
		}
		if (type == double.class || type == Double.class) {
			return new DoubleShape(primitive);
		}
		if (type == String.class) {
			return new TextShape();
		}
		if (type == UUID.class) {
			return new UuidShape();
		}
		if (type == URI.class) {
			return new UriShape();
		}
		if (type == BigInteger.class) {
			return new BigIntegerShape();
		}
		if (type == BigDecimal.class) {
			return new BigDecimalShape();
		}
		return type.isEnum() ? new EnumShape(type) : TimeShapes.of(type);
	}

	static final class BooleanShape extends Shape {

		BooleanShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.write((Boolean) value ? 1 : 0);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readByte() != 0;
		}

	}

	static final class ByteShape extends Shape {

		ByteShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.write((Byte) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readByte();
		}

	}

	static final class ShortShape extends Shape {

		ShortShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeShort((Short) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readShort();
		}

	}

	static final class CharShape extends Shape {

		CharShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeShort((short) (char) (Character) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return (char) in.readShort();
		}

	}

	static final class IntShape extends Shape {

		IntShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeVarInt((Integer) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readVarInt();
		}

	}

	static final class LongShape extends Shape {

		LongShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeVarLong((Long) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readVarLong();
		}

	}

	static final class FloatShape extends Shape {

		FloatShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeInt(Float.floatToIntBits((Float) value));
		}

		@Override
		Object read(FlatInput in, int depth) {
			return Float.intBitsToFloat(in.readInt());
		}

	}

	static final class DoubleShape extends Shape {

		DoubleShape(boolean primitive) {
			super(primitive);
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			out.writeLong(Double.doubleToLongBits((Double) value));
		}

		@Override
		Object read(FlatInput in, int depth) {
			return Double.longBitsToDouble(in.readLong());
		}

	}

	static final class TextShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			FlatText.write((String) value, out);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readText();
		}

	}

	static final class UuidShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			UUID uuid = (UUID) value;
			out.writeLong(uuid.getMostSignificantBits());
			out.writeLong(uuid.getLeastSignificantBits());
		}

		@Override
		Object read(FlatInput in, int depth) {
			long most = in.readLong();
			return new UUID(most, in.readLong());
		}

	}

	static final class UriShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			FlatText.write(((URI) value).toString(), out);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return URI.create(in.readText());
		}

	}

	static final class BigIntegerShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			checkClass(value, BigInteger.class);
			writeInteger(out, (BigInteger) value);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return readInteger(in);
		}

	}

	static final class BigDecimalShape extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			checkClass(value, BigDecimal.class);
			BigDecimal decimal = (BigDecimal) value;
			out.writeVarInt(decimal.scale());
			writeInteger(out, decimal.unscaledValue());
		}

		@Override
		Object read(FlatInput in, int depth) {
			int scale = in.readVarInt();
			return new BigDecimal(readInteger(in), scale);
		}

	}

	private static void writeInteger(EncodeBuffer out, BigInteger value) {
		byte[] bytes = value.toByteArray();
		out.writeUnsigned(bytes.length);
		out.write(bytes, 0, bytes.length);
	}

	private static BigInteger readInteger(FlatInput in) {
		return new BigInteger(in.readBytes(in.readSize(1)));
	}

	/** Equal contract hashes guarantee that both sides have the same constants. */
	static final class EnumShape extends Shape {

		private final Class<?> type;

		private final Object[] constants;

		EnumShape(Class<?> type) {
			this.type = type;
			this.constants = type.getEnumConstants();
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Enum<?> constant = (Enum<?>) value;
			if (constant.getDeclaringClass() != this.type) {
				throw wrongClass(value, this.type);
			}
			out.writeUnsigned(constant.ordinal());
		}

		@Override
		Object read(FlatInput in, int depth) {
			int ordinal = in.readUnsigned();
			if (ordinal < 0 || ordinal >= this.constants.length) {
				throw new CodecException("%s has no constant %d".formatted(this.type.getName(), ordinal), null);
			}
			return this.constants[ordinal];
		}

	}

}
