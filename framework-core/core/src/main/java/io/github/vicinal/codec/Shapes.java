package io.github.vicinal.codec;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.codec.ContainerShapes.CollectionShape;
import io.github.vicinal.codec.ContainerShapes.MapShape;
import io.github.vicinal.contract.TypeClosure;
import org.jspecify.annotations.Nullable;

/**
 * Makes the shapes of one contract. Knows exactly the types that
 * {@link TypeClosure#whyOpaque(Type)} lets through.
 */
final class Shapes {

	private final Map<Type, Shape> known = new HashMap<>();

	private final int maxDepth;

	/**
	 * Whether the components of records are laid out by name instead of in the order of
	 * their declaration, which may differ between two records of equal structure.
	 */
	private final boolean byName;

	Shapes(int maxDepth, boolean byName) {
		this.maxDepth = maxDepth;
		this.byName = byName;
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
			Type component = array.getGenericComponentType();
			return new ArrayShapes.References(raw(component), of(component), this.maxDepth);
		}
		Class<?> raw = raw(type);
		Shape scalar = ScalarShapes.of(raw);
		if (scalar != null) {
			return scalar;
		}
		if (raw.isArray()) {
			Class<?> component = raw.getComponentType();
			return component.isPrimitive() ? ArrayShapes.ofPrimitive(component)
					: new ArrayShapes.References(component, of(component), this.maxDepth);
		}
		if (raw.isRecord()) {
			return record(type, raw);
		}
		if (type instanceof ParameterizedType parameterized) {
			Type[] arguments = parameterized.getActualTypeArguments();
			Type first = bound(arguments[0]);
			if (Collection.class.isAssignableFrom(raw)) {
				return new CollectionShape(raw, enumOf(first), of(first), this.maxDepth);
			}
			if (Map.class.isAssignableFrom(raw)) {
				return new MapShape(raw, enumOf(first), of(first), of(bound(arguments[1])), this.maxDepth);
			}
		}
		throw new IllegalArgumentException("The flat format does not know " + type.getTypeName());
	}

	private Shape record(Type type, Class<?> raw) {
		// Known before its components are: a record may contain itself.
		LaterShape itself = new LaterShape();
		this.known.put(type, itself);
		List<Type> types = TypeClosure.componentTypes(type);
		int[] order = order(raw);
		Shape[] components = Arrays.stream(order).mapToObj((i) -> of(types.get(i))).toArray(Shape[]::new);
		Shape shape = RecordPlan.of(raw, order, components, this.maxDepth).shape();
		itself.become(shape);
		return shape;
	}

	/** Returns the positions of a record's components in the order of their layout. */
	private int[] order(Class<?> raw) {
		RecordComponent[] parts = raw.getRecordComponents();
		Stream<Integer> positions = IntStream.range(0, parts.length).boxed();
		return (this.byName ? positions.sorted(Comparator.comparing((i) -> parts[i].getName())) : positions)
			.mapToInt(Integer::intValue)
			.toArray();
	}

	private static Type bound(Type type) {
		return (type instanceof WildcardType wildcard) ? wildcard.getUpperBounds()[0] : type;
	}

	private static @Nullable Class<?> enumOf(Type type) {
		return (type instanceof Class<?> cls && cls.isEnum()) ? cls : null;
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
		throw new IllegalArgumentException("The flat format does not know " + type.getTypeName());
	}

	/** The same limit that Jackson has. */
	static void checkDepth(int depth, int maxDepth) {
		if (depth >= maxDepth) {
			throw new CodecException("Values are nested more deeply than %d".formatted(maxDepth), null);
		}
	}

	/** Shape of a record within itself. */
	private static final class LaterShape extends Shape {

		private @Nullable Shape shape;

		void become(Shape known) {
			this.shape = known;
		}

		@Override
		void write(EncodeBuffer out, Object value, int depth) {
			Objects.requireNonNull(this.shape).write(out, value, depth);
		}

		@Override
		Object read(FlatInput in, int depth) {
			return Objects.requireNonNull(this.shape).read(in, depth);
		}

	}

}
