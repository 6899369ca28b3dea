package io.github.vicinal.testing.property;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;

/** Generates arguments of properties by the type and the annotations of parameters. */
final class Arguments {

	private static final int MAX_TEXT = 2000;

	private Arguments() {
	}

	static @Nullable Object of(Parameter parameter, Object instance, Gen gen) {
		ForAll forAll = parameter.getAnnotation(ForAll.class);
		if (!forAll.value().isEmpty()) {
			return generated(forAll.value(), instance, gen);
		}
		Class<?> type = parameter.getType();
		Size size = parameter.getAnnotation(Size.class);
		int min = (size == null) ? 0 : (size.value() >= 0) ? size.value() : size.min();
		int max = (size == null) ? 255 : (size.value() >= 0) ? size.value() : size.max();
		if (type == int.class) {
			IntRange range = parameter.getAnnotation(IntRange.class);
			return (range != null) ? gen.integer(range.min(), range.max())
					: gen.integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
		}
		if (type == long.class) {
			LongRange range = parameter.getAnnotation(LongRange.class);
			return (range != null) ? gen.integer(range.min(), range.max())
					: gen.integer(Long.MIN_VALUE, Long.MAX_VALUE);
		}
		if (type == double.class) {
			DoubleRange range = parameter.getAnnotation(DoubleRange.class);
			return gen.number((range != null) ? range.min() : -1e300, (range != null) ? range.max() : 1e300);
		}
		if (type == byte.class) {
			return (byte) gen.integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
		}
		if (type == char.class) {
			return gen.text(1, 1).charAt(0);
		}
		if (type == boolean.class) {
			return gen.bool();
		}
		if (type == byte[].class) {
			return gen.bytes(min, max);
		}
		if (type == String.class) {
			return gen.text(min, max);
		}
		throw new IllegalArgumentException("No argument of type " + parameter.getParameterizedType()
				+ " can be generated; name a method in @ForAll");
	}

	private static @Nullable Object generated(String name, Object instance, Gen gen) {
		try {
			Method method = instance.getClass().getDeclaredMethod(name, Gen.class);
			method.setAccessible(true);
			return method.invoke(instance, gen);
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException("The method " + name + " could not generate an argument", ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalArgumentException(
					"@ForAll names " + name + ", so " + instance.getClass() + " needs a method " + name + "(Gen)", ex);
		}
	}

	static String describe(Parameter[] parameters, @Nullable Object[] arguments) {
		StringJoiner text = new StringJoiner(", ");
		for (int i = 0; i < parameters.length; i++) {
			String value = (arguments[i] instanceof byte[] bytes) ? Arrays.toString(bytes)
					: String.valueOf(arguments[i]);
			text.add(parameters[i].getName() + "="
					+ ((value.length() > MAX_TEXT) ? value.substring(0, MAX_TEXT) + "..." : value));
		}
		return text.toString();
	}

}
