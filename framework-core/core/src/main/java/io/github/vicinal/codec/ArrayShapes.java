package io.github.vicinal.codec;

import java.lang.reflect.Array;

import org.jspecify.annotations.Nullable;

/** Shapes of arrays. */
final class ArrayShapes {

	private ArrayShapes() {
	}

	/** Returns the shape of an array of a primitive type. */
	static Shape ofPrimitive(Class<?> component) {
		if (component == byte.class) {
			return new Bytes();
		}
		if (component == int.class) {
			return new Ints();
		}
		if (component == long.class) {
			return new Longs();
		}
		if (component == double.class) {
			return new Doubles();
		}
		Shape element = ScalarShapes.of(component);
		if (element == null) {
			throw new IllegalArgumentException(component.getName());
		}
		return new Others(component, element);
	}

	private static final class Bytes extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			byte[] bytes = (byte[]) value;
			out.writeUnsigned(bytes.length);
			out.write(bytes, 0, bytes.length);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return in.readBytes(in.readSize(1));
		}

	}

	private static final class Ints extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			int[] ints = (int[]) value;
			out.writeUnsigned(ints.length);
			for (int each : ints) {
				out.writeVarInt(each);
			}
		}

		@Override
		Object read(FlatInput in, int depth) {
			int[] ints = new int[in.readSize(1)];
			for (int i = 0; i < ints.length; i++) {
				ints[i] = in.readVarInt();
			}
			return ints;
		}

	}

	private static final class Longs extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			long[] longs = (long[]) value;
			out.writeUnsigned(longs.length);
			for (long each : longs) {
				out.writeVarLong(each);
			}
		}

		@Override
		Object read(FlatInput in, int depth) {
			long[] longs = new long[in.readSize(1)];
			for (int i = 0; i < longs.length; i++) {
				longs[i] = in.readVarLong();
			}
			return longs;
		}

	}

	private static final class Doubles extends Shape {

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			double[] doubles = (double[]) value;
			out.writeUnsigned(doubles.length);
			for (double each : doubles) {
				out.writeLong(Double.doubleToLongBits(each));
			}
		}

		@Override
		Object read(FlatInput in, int depth) {
			double[] doubles = new double[in.readSize(Double.BYTES)];
			for (int i = 0; i < doubles.length; i++) {
				doubles[i] = Double.longBitsToDouble(in.readLong());
			}
			return doubles;
		}

	}

	/** Arrays of types that are rarely sent in bulk. */
	private static final class Others extends Shape {

		private final Class<?> component;

		private final Shape element;

		Others(Class<?> component, Shape element) {
			this.component = component;
			this.element = element;
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			int length = Array.getLength(value);
			out.writeUnsigned(length);
			for (int i = 0; i < length; i++) {
				this.element.write(out, Array.get(value, i), depth);
			}
		}

		@Override
		Object read(FlatInput in, int depth) {
			int length = in.readSize(1);
			Object array = Array.newInstance(this.component, length);
			for (int i = 0; i < length; i++) {
				Array.set(array, i, this.element.read(in, depth));
			}
			return array;
		}

	}

	/** Arrays of references. */
	static final class References extends Shape {

		private final Class<?> component;

		private final Shape element;

		private final int maxDepth;

		References(Class<?> component, Shape element, int maxDepth) {
			this.component = component;
			this.element = element;
			this.maxDepth = maxDepth;
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			@Nullable Object[] array = (@Nullable Object[]) value;
			out.writeUnsigned(array.length);
			for (Object each : array) {
				this.element.writeNullable(out, each, depth + 1);
			}
		}

		@Override
		Object read(FlatInput in, int depth) {
			Shapes.checkDepth(depth, this.maxDepth);
			int length = in.readSize(1);
			@Nullable Object[] array = (@Nullable Object[]) Array.newInstance(this.component, length);
			for (int i = 0; i < length; i++) {
				array[i] = this.element.readNullable(in, depth + 1);
			}
			return array;
		}

	}

}
