package io.github.vicinal.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.apache.fory.Fory;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.serializer.Serializer;
import org.apache.fory.serializer.StringSerializer;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.contract.TypeClosure;

/**
 * Makes the shapes of one Fory instance. Knows exactly the types that
 * {@link TypeClosure#whyOpaque(Type)} lets through.
 */
final class Shapes {

	/** Final classes for which Fory's own serializer does the same as JSON. */
	private static final Set<Class<?>> FINAL_SCALARS = Set.of(UUID.class, URI.class, Instant.class, LocalDate.class,
			LocalTime.class, LocalDateTime.class, Duration.class);

	private final Map<Type, Shape> known = new HashMap<>();

	private final Fory fory;

	private final int maxDepth;

	private final ForyOutput output;

	Shapes(Fory fory, int maxDepth, ForyOutput output) {
		this.fory = fory;
		this.maxDepth = maxDepth;
		this.output = output;
	}

	Shape of(Type type) {
		Shape shape = this.known.get(type);
		if (shape == null) {
			shape = make(type);
			this.known.put(type, shape);
		}
		return shape;
	}

	private Shape make(Type type) {
		if (type instanceof GenericArrayType array) {
			return new ObjectArrayShape(raw(array.getGenericComponentType()), of(array.getGenericComponentType()));
		}
		Class<?> raw = raw(type);
		Scalar scalar = Scalar.of(raw);
		if (scalar != null) {
			return new ScalarShape(scalar, raw.isPrimitive());
		}
		if (FINAL_SCALARS.contains(raw)) {
			return new ForyShape(this.fory, raw, 0);
		}
		if (raw == BigDecimal.class) {
			return new BigDecimalShape();
		}
		if (raw == BigInteger.class) {
			return new BigIntegerShape();
		}
		if (raw.isEnum()) {
			return new EnumShape(raw);
		}
		if (raw.isArray()) {
			Class<?> component = raw.getComponentType();
			return component.isPrimitive() ? new PrimitiveArrayShape(component)
					: new ObjectArrayShape(component, of(component));
		}
		if (raw.isRecord()) {
			return record(type, raw);
		}
		if (type instanceof ParameterizedType parameterized) {
			Type[] arguments = parameterized.getActualTypeArguments();
			if (Collection.class.isAssignableFrom(raw)) {
				return new CollectionShape(raw, enumOf(arguments[0]), of(bound(arguments[0])));
			}
			if (Map.class.isAssignableFrom(raw)) {
				return new MapShape(raw, enumOf(arguments[0]), of(bound(arguments[0])), of(bound(arguments[1])));
			}
		}
		throw new IllegalArgumentException("Fory is not used for " + type.getTypeName());
	}

	private Shape record(Type type, Class<?> raw) {
		if (flat(raw, new HashSet<>())) {
			return new ForyShape(this.fory, raw, 1);
		}
		RecordShape shape = new RecordShape(raw);
		// Known before its components are: a record may contain itself.
		this.known.put(type, shape);
		List<Type> types = TypeClosure.componentTypes(type);
		for (int i = 0; i < types.size(); i++) {
			shape.components[i] = of(types.get(i));
		}
		return shape;
	}

	/**
	 * Whether a record holds only what Fory's generated code reads without asking the
	 * bytes for a class.
	 */
	private static boolean flat(Class<?> type, Set<Class<?>> parents) {
		if (type.getTypeParameters().length > 0 || type.getRecordComponents().length == 0 || !parents.add(type)) {
			return false;
		}
		for (RecordComponent component : type.getRecordComponents()) {
			Class<?> part = component.getType();
			boolean simple = Scalar.of(part) != null || FINAL_SCALARS.contains(part);
			if (!simple) {
				return false;
			}
		}
		return true;
	}

	private static Type bound(Type type) {
		return (type instanceof java.lang.reflect.WildcardType wildcard) ? wildcard.getUpperBounds()[0] : type;
	}

	private static @Nullable Class<?> enumOf(Type type) {
		return (bound(type) instanceof Class<?> cls && cls.isEnum()) ? cls : null;
	}

	private static Class<?> raw(Type type) {
		if (type instanceof Class<?> cls) {
			return cls;
		}
		if (type instanceof ParameterizedType parameterized) {
			return (Class<?>) parameterized.getRawType();
		}
		if (type instanceof GenericArrayType array) {
			return raw(array.getGenericComponentType()).arrayType();
		}
		throw new IllegalArgumentException("Fory is not used for " + type.getTypeName());
	}

	/** The same limit that Jackson has. */
	private void checkDepth(int depth) {
		if (depth >= this.maxDepth) {
			throw new CodecException("Nested more deeply than %d".formatted(this.maxDepth), null);
		}
	}

	private static int readSize(MemoryBuffer buffer, int minBytesEach) {
		int size = buffer.readVarUInt32();
		if (size < 0 || (long) size * minBytesEach > buffer.remaining()) {
			throw new CodecException(
					"A size of %d where %d bytes are left".formatted(Integer.toUnsignedLong(size), buffer.remaining()),
					null);
		}
		return size;
	}

	private static CodecException wrongClass(Object value, Class<?> expected) {
		return new CodecException(
				"%s where the contract says %s".formatted(value.getClass().getName(), expected.getName()), null);
	}

	private enum Scalar {

		BOOLEAN(boolean.class, Boolean.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeByte((byte) ((Boolean) value ? 1 : 0));
			}

			@Override
			Object read(ReadContext context) {
				return context.readByte() != 0;
			}
		},
		BYTE(byte.class, Byte.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeByte((Byte) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readByte();
			}
		},
		SHORT(short.class, Short.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeInt16((Short) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readInt16();
			}
		},
		CHAR(char.class, Character.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeChar((Character) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readChar();
			}
		},
		INT(int.class, Integer.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeVarInt32((Integer) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readVarInt32();
			}
		},
		LONG(long.class, Long.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeVarInt64((Long) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readVarInt64();
			}
		},
		FLOAT(float.class, Float.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeInt32(Float.floatToIntBits((Float) value));
			}

			@Override
			Object read(ReadContext context) {
				return Float.intBitsToFloat(context.readInt32());
			}
		},
		DOUBLE(double.class, Double.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeInt64(Double.doubleToLongBits((Double) value));
			}

			@Override
			Object read(ReadContext context) {
				return Double.longBitsToDouble(context.readInt64());
			}
		},
		STRING(String.class, String.class) {
			@Override
			void write(WriteContext context, Object value) {
				context.writeString((String) value);
			}

			@Override
			Object read(ReadContext context) {
				return context.readString();
			}
		};

		private final Class<?> primitive;

		private final Class<?> boxed;

		Scalar(Class<?> primitive, Class<?> boxed) {
			this.primitive = primitive;
			this.boxed = boxed;
		}

		static @Nullable Scalar of(Class<?> type) {
			for (Scalar scalar : values()) {
				if (scalar.primitive == type || scalar.boxed == type) {
					return scalar;
				}
			}
			return null;
		}

		abstract void write(WriteContext context, Object value);

		abstract Object read(ReadContext context);

	}

	private static long textBytes(@Nullable Object value) {
		if (!(value instanceof String text)) {
			return 0;
		}
		boolean latin1 = StringSerializer.isLatin1Coder(StringSerializer.getStringCoder(text));
		return latin1 ? text.length() : 2L * text.length();
	}

	private final class ScalarShape extends Shape {

		private final Scalar scalar;

		private final boolean primitive;

		ScalarShape(Scalar scalar, boolean primitive) {
			this.scalar = scalar;
			this.primitive = primitive;
		}

		@Override
		boolean primitive() {
			return this.primitive;
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			Shapes.this.output.ensure(ForyOutput.FEW_BYTES + textBytes(value));
			this.scalar.write(context, value);
		}

		@Override
		Object read(ReadContext context, int depth) {
			return this.scalar.read(context);
		}

	}

	/** Fory's own serializer of a final class. */
	private final class ForyShape extends Shape {

		private final Class<?> type;

		private final Serializer<Object> serializer;

		private final int levels;

		/** Accessors of a record's texts, which may be long. */
		private final MethodHandle[] texts;

		@SuppressWarnings("unchecked")
		ForyShape(Fory fory, Class<?> type, int levels) {
			this.type = type;
			this.texts = type.isRecord() ? Arrays.stream(type.getRecordComponents())
				.filter((component) -> component.getType() == String.class)
				.map((component) -> accessor(type, component))
				.toArray(MethodHandle[]::new) : new MethodHandle[0];
			this.serializer = (Serializer<Object>) fory.getSerializer(type);
			this.levels = levels;
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			if (value.getClass() != this.type) {
				throw wrongClass(value, this.type);
			}
			checkDepth(depth + this.levels - 1);
			long bytes = ForyOutput.FEW_BYTES;
			for (MethodHandle text : this.texts) {
				bytes += textBytes(get(text, value));
			}
			Shapes.this.output.ensure(bytes);
			this.serializer.write(context, value);
		}

		@Override
		Object read(ReadContext context, int depth) {
			checkDepth(depth + this.levels - 1);
			return this.serializer.read(context);
		}

	}

	private final class BigIntegerShape extends Shape {

		@Override
		void write(WriteContext context, Object value, int depth) {
			if (value.getClass() != BigInteger.class) {
				throw wrongClass(value, BigInteger.class);
			}
			writeBytes(Shapes.this.output, context.getBuffer(), (BigInteger) value);
		}

		@Override
		Object read(ReadContext context, int depth) {
			return readBytes(context.getBuffer());
		}

		static void writeBytes(ForyOutput output, MemoryBuffer buffer, BigInteger value) {
			byte[] bytes = value.toByteArray();
			output.ensure(ForyOutput.FEW_BYTES + bytes.length);
			buffer.writeVarUInt32(bytes.length);
			buffer.writeBytes(bytes);
		}

		static BigInteger readBytes(MemoryBuffer buffer) {
			return new BigInteger(buffer.readBytes(readSize(buffer, 1)));
		}

	}

	private final class BigDecimalShape extends Shape {

		@Override
		void write(WriteContext context, Object value, int depth) {
			if (value.getClass() != BigDecimal.class) {
				throw wrongClass(value, BigDecimal.class);
			}
			BigDecimal decimal = (BigDecimal) value;
			Shapes.this.output.ensure(ForyOutput.FEW_BYTES);
			context.writeVarInt32(decimal.scale());
			BigIntegerShape.writeBytes(Shapes.this.output, context.getBuffer(), decimal.unscaledValue());
		}

		@Override
		Object read(ReadContext context, int depth) {
			int scale = context.readVarInt32();
			return new BigDecimal(BigIntegerShape.readBytes(context.getBuffer()), scale);
		}

	}

	private final class EnumShape extends Shape {

		private final Class<?> type;

		private final Object[] constants;

		EnumShape(Class<?> type) {
			this.type = type;
			this.constants = type.getEnumConstants();
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			Enum<?> constant = (Enum<?>) value;
			if (constant.getDeclaringClass() != this.type) {
				throw wrongClass(value, this.type);
			}
			Shapes.this.output.ensure(ForyOutput.FEW_BYTES);
			context.writeVarUInt32(constant.ordinal());
		}

		@Override
		Object read(ReadContext context, int depth) {
			int ordinal = context.readVarUInt32();
			if (ordinal < 0 || ordinal >= this.constants.length) {
				throw new CodecException("%s has no constant %d".formatted(this.type.getName(), ordinal), null);
			}
			return this.constants[ordinal];
		}

	}

	private final class PrimitiveArrayShape extends Shape {

		private final Class<?> component;

		/** Elements between two looks at the room that is left. */
		private static final int BLOCK = 1024;

		private final int elementBytes;

		PrimitiveArrayShape(Class<?> component) {
			this.component = component;
			// A whole number takes a byte more than it has, at most.
			this.elementBytes = (component == int.class) ? 5 : 9;
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			MemoryBuffer buffer = context.getBuffer();
			int length = Array.getLength(value);
			Shapes.this.output.ensure(ForyOutput.FEW_BYTES);
			buffer.writeVarUInt32(length);
			if (value instanceof byte[] bytes) {
				Shapes.this.output.ensure(length);
				buffer.writeBytes(bytes);
				return;
			}
			Scalar scalar = scalar();
			for (int from = 0; from < length; from += BLOCK) {
				int to = Math.min(length, from + BLOCK);
				Shapes.this.output.ensure((long) BLOCK * this.elementBytes);
				write(context, scalar, value, from, to);
			}
		}

		private void write(WriteContext context, Scalar scalar, Object array, int from, int to) {
			MemoryBuffer buffer = context.getBuffer();
			if (array instanceof int[] ints) {
				for (int i = from; i < to; i++) {
					buffer.writeVarInt32(ints[i]);
				}
			}
			else if (array instanceof long[] longs) {
				for (int i = from; i < to; i++) {
					buffer.writeVarInt64(longs[i]);
				}
			}
			else if (array instanceof double[] doubles) {
				for (int i = from; i < to; i++) {
					buffer.writeInt64(Double.doubleToLongBits(doubles[i]));
				}
			}
			else {
				for (int i = from; i < to; i++) {
					scalar.write(context, Array.get(array, i));
				}
			}
		}

		@Override
		Object read(ReadContext context, int depth) {
			MemoryBuffer buffer = context.getBuffer();
			int length = readSize(buffer, 1);
			if (this.component == byte.class) {
				return buffer.readBytes(length);
			}
			Object array = Array.newInstance(this.component, length);
			Scalar scalar = scalar();
			if (array instanceof int[] ints) {
				for (int i = 0; i < length; i++) {
					ints[i] = buffer.readVarInt32();
				}
			}
			else if (array instanceof long[] longs) {
				for (int i = 0; i < length; i++) {
					longs[i] = buffer.readVarInt64();
				}
			}
			else if (array instanceof double[] doubles) {
				for (int i = 0; i < length; i++) {
					doubles[i] = Double.longBitsToDouble(buffer.readInt64());
				}
			}
			else {
				for (int i = 0; i < length; i++) {
					Array.set(array, i, scalar.read(context));
				}
			}
			return array;
		}

		private Scalar scalar() {
			Scalar scalar = Scalar.of(this.component);
			if (scalar == null) {
				throw new IllegalStateException(this.component.getName());
			}
			return scalar;
		}

	}

	private final class ObjectArrayShape extends Shape {

		private final Class<?> component;

		private final Shape element;

		ObjectArrayShape(Class<?> component, Shape element) {
			this.component = component;
			this.element = element;
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			checkDepth(depth);
			@Nullable Object[] array = (@Nullable Object[]) value;
			context.writeVarUInt32(array.length);
			for (Object each : array) {
				this.element.writeNullable(context, each, depth + 1);
			}
		}

		@Override
		Object read(ReadContext context, int depth) {
			checkDepth(depth);
			int length = readSize(context.getBuffer(), 1);
			@Nullable Object[] array = (@Nullable Object[]) Array.newInstance(this.component, length);
			for (int i = 0; i < length; i++) {
				array[i] = this.element.readNullable(context, depth + 1);
			}
			return array;
		}

	}

	/** Comes back as the class that Jackson makes for the declared type. */
	private final class CollectionShape extends Shape {

		private final boolean set;

		private final boolean linked;

		private final @Nullable Class<?> enumType;

		private final Shape element;

		CollectionShape(Class<?> declared, @Nullable Class<?> enumType, Shape element) {
			this.set = Set.class.isAssignableFrom(declared);
			this.linked = declared == LinkedHashSet.class;
			this.enumType = (declared == Set.class) ? enumType : null;
			this.element = element;
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			checkDepth(depth);
			Collection<?> collection = (Collection<?>) value;
			int size = collection.size();
			context.writeVarUInt32(size);
			if (value.getClass() == ArrayList.class) {
				List<?> elements = (List<?>) value;
				for (int i = 0; i < size; i++) {
					this.element.writeNullable(context, elements.get(i), depth + 1);
				}
				return;
			}
			int written = 0;
			for (Object each : collection) {
				if (each == null && this.enumType != null) {
					throw new CodecException("null in a set of enums, which Jackson does not read", null);
				}
				this.element.writeNullable(context, each, depth + 1);
				written++;
			}
			checkCount(size, written);
		}

		@Override
		Object read(ReadContext context, int depth) {
			checkDepth(depth);
			int size = readSize(context.getBuffer(), 1);
			Collection<@Nullable Object> collection = create(size);
			for (int i = 0; i < size; i++) {
				collection.add(this.element.readNullable(context, depth + 1));
			}
			return collection;
		}

		@SuppressWarnings({ "unchecked", "rawtypes", "NullAway" })
		private Collection<@Nullable Object> create(int size) {
			if (!this.set) {
				return new ArrayList<>(size);
			}
			if (this.enumType != null) {
				return (Collection) EnumSet.noneOf((Class<? extends Enum>) this.enumType);
			}
			// No capacity: it would change the order of iteration.
			return this.linked ? new LinkedHashSet<>() : new HashSet<>();
		}

	}

	private final class MapShape extends Shape {

		private final boolean linked;

		private final @Nullable Class<?> enumType;

		private final Shape key;

		private final Shape value;

		MapShape(Class<?> declared, @Nullable Class<?> enumType, Shape key, Shape value) {
			this.linked = declared != HashMap.class;
			this.enumType = (declared == Map.class) ? enumType : null;
			this.key = key;
			this.value = value;
		}

		@Override
		void write(WriteContext context, Object map, int depth) {
			checkDepth(depth);
			Map<?, ?> source = (Map<?, ?>) map;
			int size = source.size();
			context.writeVarUInt32(size);
			int written = 0;
			for (Map.Entry<?, ?> entry : source.entrySet()) {
				Object entryKey = entry.getKey();
				if (entryKey == null) {
					throw new CodecException("A map has a null key, which JSON cannot carry", null);
				}
				this.key.write(context, entryKey, depth + 1);
				this.value.writeNullable(context, entry.getValue(), depth + 1);
				written++;
			}
			checkCount(size, written);
		}

		@Override
		Object read(ReadContext context, int depth) {
			checkDepth(depth);
			int size = readSize(context.getBuffer(), 2);
			Map<Object, @Nullable Object> map = create();
			for (int i = 0; i < size; i++) {
				map.put(this.key.read(context, depth + 1), this.value.readNullable(context, depth + 1));
			}
			return map;
		}

		@SuppressWarnings({ "unchecked", "rawtypes" })
		private Map<Object, @Nullable Object> create() {
			if (this.enumType != null) {
				return (Map) new EnumMap((Class<? extends Enum>) this.enumType);
			}
			return this.linked ? new LinkedHashMap<>() : new HashMap<>();
		}

	}

	private static void checkCount(int size, int written) {
		if (size != written) {
			throw new CodecException("A collection of %d elements changed while it was written".formatted(size), null);
		}
	}

	private static MethodHandle accessor(Class<?> type, RecordComponent component) {
		try {
			return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
				.unreflect(component.getAccessor())
				.asType(MethodType.methodType(Object.class, Object.class));
		}
		catch (ReflectiveOperationException ex) {
			throw unreachable(type, ex);
		}
	}

	private static IllegalArgumentException unreachable(Class<?> type, Exception cause) {
		return new IllegalArgumentException(
				"%s cannot be reached: open its package to this library".formatted(type.getName()), cause);
	}

	private static @Nullable Object get(MethodHandle accessor, Object value) {
		try {
			return (Object) accessor.invokeExact(value);
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new CodecException("An accessor of %s failed".formatted(value.getClass().getName()), ex);
		}
	}

	/** Reads by accessors and makes by the canonical constructor, as Jackson does. */
	private final class RecordShape extends Shape {

		private final Class<?> type;

		private final MethodHandle[] accessors;

		private final MethodHandle constructor;

		final Shape[] components;

		RecordShape(Class<?> type) {
			this.type = type;
			RecordComponent[] parts = type.getRecordComponents();
			this.components = new Shape[parts.length];
			this.accessors = new MethodHandle[parts.length];
			Class<?>[] parameters = new Class<?>[parts.length];
			try {
				MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
				for (int i = 0; i < parts.length; i++) {
					parameters[i] = parts[i].getType();
					this.accessors[i] = accessor(type, parts[i]);
				}
				this.constructor = lookup.findConstructor(type, MethodType.methodType(void.class, parameters))
					.asSpreader(Object[].class, parts.length)
					.asType(MethodType.methodType(Object.class, Object[].class));
			}
			catch (ReflectiveOperationException ex) {
				throw unreachable(type, ex);
			}
		}

		@Override
		void write(WriteContext context, Object value, int depth) {
			if (value.getClass() != this.type) {
				throw wrongClass(value, this.type);
			}
			checkDepth(depth);
			for (int i = 0; i < this.components.length; i++) {
				this.components[i].writeNullable(context, get(this.accessors[i], value), depth + 1);
			}
		}

		@Override
		Object read(ReadContext context, int depth) {
			checkDepth(depth);
			@Nullable Object[] values = new @Nullable Object[this.components.length];
			for (int i = 0; i < values.length; i++) {
				values[i] = this.components[i].readNullable(context, depth + 1);
			}
			try {
				return (Object) this.constructor.invokeExact(values);
			}
			catch (RuntimeException | Error ex) {
				throw ex;
			}
			catch (Throwable ex) {
				throw new CodecException("The constructor of %s failed".formatted(this.type.getName()), ex);
			}
		}

	}

}
