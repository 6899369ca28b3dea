package io.github.vicinal.contract;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;

/**
 * Resolves and names generic types. Names depend neither on the class loader nor on the
 * Java version, as {@link Type#getTypeName()} might.
 */
final class GenericTypes {

	private GenericTypes() {
	}

	/** A type variable that cannot be resolved is its bound, as Jackson sees it. */
	static Class<?> raw(Type type) {
		if (type instanceof Class<?> cls) {
			return cls;
		}
		if (type instanceof ParameterizedType parameterized) {
			return (Class<?>) parameterized.getRawType();
		}
		if (type instanceof GenericArrayType array) {
			return Array.newInstance(raw(array.getGenericComponentType()), 0).getClass();
		}
		if (type instanceof WildcardType wildcard) {
			return raw(wildcard.getUpperBounds()[0]);
		}
		if (type instanceof TypeVariable<?> variable) {
			Type bound = variable.getBounds()[0];
			return (bound instanceof TypeVariable || bound instanceof ParameterizedType) ? Object.class : raw(bound);
		}
		throw new IllegalArgumentException("Not a type that a method can carry: " + type);
	}

	static List<Type> arguments(Type type) {
		return (type instanceof ParameterizedType parameterized) ? List.of(parameterized.getActualTypeArguments())
				: List.of();
	}

	/** Depth of nested type arguments; 0 for a class. */
	static int nesting(Type type) {
		if (type instanceof GenericArrayType array) {
			return nesting(array.getGenericComponentType());
		}
		int deepest = -1;
		for (Type argument : arguments(type)) {
			deepest = Math.max(deepest, nesting(argument));
		}
		return deepest + 1;
	}

	static @Nullable Type componentOf(Type type) {
		if (type instanceof GenericArrayType array) {
			return array.getGenericComponentType();
		}
		return (type instanceof Class<?> cls) ? cls.getComponentType() : null;
	}

	static Map<TypeVariable<?>, Type> bindings(Type type) {
		Map<TypeVariable<?>, Type> bindings = new HashMap<>();
		if (type instanceof ParameterizedType parameterized) {
			TypeVariable<?>[] variables = raw(type).getTypeParameters();
			Type[] arguments = parameterized.getActualTypeArguments();
			for (int i = 0; i < variables.length; i++) {
				bindings.put(variables[i], arguments[i]);
			}
		}
		return bindings;
	}

	/** Replaces variables by what they are bound to, and wildcards by upper bounds. */
	static Type resolve(Type type, Map<TypeVariable<?>, Type> bindings) {
		if (type instanceof TypeVariable<?> variable) {
			return bindings.getOrDefault(variable, variable);
		}
		if (type instanceof WildcardType wildcard) {
			return resolve(wildcard.getUpperBounds()[0], bindings);
		}
		if (type instanceof GenericArrayType array) {
			Type component = resolve(array.getGenericComponentType(), bindings);
			return (component instanceof Class<?> cls) ? cls.arrayType() : new ArrayOf(component);
		}
		if (type instanceof ParameterizedType parameterized) {
			List<Type> arguments = new ArrayList<>();
			for (Type argument : parameterized.getActualTypeArguments()) {
				arguments.add(resolve(argument, bindings));
			}
			return new Parameterized(raw(type), List.copyOf(arguments));
		}
		return type;
	}

	static String name(Type type) {
		if (type instanceof Class<?> cls) {
			return cls.isArray() ? name(cls.getComponentType()) + "[]" : cls.getName();
		}
		if (type instanceof GenericArrayType array) {
			return name(array.getGenericComponentType()) + "[]";
		}
		if (type instanceof WildcardType wildcard) {
			return (wildcard.getLowerBounds().length > 0) ? "? super " + name(wildcard.getLowerBounds()[0])
					: "? extends " + name(wildcard.getUpperBounds()[0]);
		}
		if (type instanceof TypeVariable<?> variable) {
			return variable.getName();
		}
		StringJoiner arguments = new StringJoiner(",", "<", ">");
		arguments(type).forEach((argument) -> arguments.add(name(argument)));
		return raw(type).getName() + arguments;
	}

	private record Parameterized(Class<?> rawType, List<Type> arguments) implements ParameterizedType {

		@Override
		public Type[] getActualTypeArguments() {
			return this.arguments.toArray(Type[]::new);
		}

		@Override
		public Type getRawType() {
			return this.rawType;
		}

		@Override
		public @Nullable Type getOwnerType() {
			return this.rawType.getDeclaringClass();
		}

		@Override
		public String getTypeName() {
			return name(this);
		}

		@Override
		public String toString() {
			return name(this);
		}

	}

	private record ArrayOf(Type component) implements GenericArrayType {

		@Override
		public Type getGenericComponentType() {
			return this.component;
		}

		@Override
		public String getTypeName() {
			return name(this);
		}

		@Override
		public String toString() {
			return name(this);
		}

	}

}
