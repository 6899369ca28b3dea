package io.github.vicinal.codec;

import java.lang.reflect.Array;
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
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.TypeClosure;
import tools.jackson.databind.json.JsonMapper;

/** Random values of a type, in whatever classes a caller may use. */
final class RandomValues {

	private final Random random;

	private RandomValues(Random random) {
		this.random = random;
	}

	static Object[] arguments(ContractMethod method, long seed) {
		RandomValues values = new RandomValues(new Random(seed));
		return method.argumentTypes().stream().map((type) -> values.of(type, 0)).toArray();
	}

	private Object of(Type type, int depth) {
		Class<?> raw = (type instanceof Class<?> cls) ? cls : mapperRaw(type);
		if (!raw.isPrimitive() && this.random.nextInt(8) == 0) {
			return null;
		}
		if (raw.isRecord()) {
			return record(type, raw, depth);
		}
		if (raw.isArray()) {
			return array(type, raw, depth);
		}
		if (Collection.class.isAssignableFrom(raw)) {
			List<Object> elements = elements(argument(type, 0), depth, 5);
			if (Set.class.isAssignableFrom(raw) && argument(type, 0) instanceof Class<?> element && element.isEnum()) {
				elements.removeIf((each) -> each == null);
			}
			return collection(raw, elements);
		}
		if (Map.class.isAssignableFrom(raw)) {
			return map(raw, type, depth);
		}
		return scalar(raw);
	}

	private static Class<?> mapperRaw(Type type) {
		return JsonMapper.shared().constructType(type).getRawClass();
	}

	private static Type argument(Type type, int index) {
		Type argument = ((java.lang.reflect.ParameterizedType) type).getActualTypeArguments()[index];
		return (argument instanceof java.lang.reflect.WildcardType wildcard) ? wildcard.getUpperBounds()[0] : argument;
	}

	private List<Object> elements(Type type, int depth, int atMost) {
		List<Object> elements = new ArrayList<>();
		int size = (depth > 4) ? 0 : this.random.nextInt(atMost);
		for (int i = 0; i < size; i++) {
			elements.add(of(type, depth + 1));
		}
		return elements;
	}

	private Object record(Type type, Class<?> raw, int depth) {
		if (depth > 5) {
			return null;
		}
		try {
			List<Type> types = TypeClosure.componentTypes(type);
			Object[] values = new Object[types.size()];
			Class<?>[] parameters = new Class<?>[values.length];
			for (int i = 0; i < values.length; i++) {
				values[i] = of(types.get(i), depth + 1);
				parameters[i] = raw.getRecordComponents()[i].getType();
			}
			var constructor = raw.getDeclaredConstructor(parameters);
			constructor.setAccessible(true);
			if (raw == Transparent.Normalising.class && values[0] instanceof List<?> list) {
				values[0] = new ArrayList<>(list.stream().filter((each) -> each != null).toList());
			}
			return constructor.newInstance(values);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Object array(Type type, Class<?> raw, int depth) {
		Type component = (type instanceof java.lang.reflect.GenericArrayType array) ? array.getGenericComponentType()
				: raw.getComponentType();
		int length = this.random.nextInt(6);
		Object array = Array.newInstance(raw.getComponentType(), length);
		for (int i = 0; i < length; i++) {
			Array.set(array, i, of(component, depth + 1));
		}
		return array;
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private Object collection(Class<?> declared, List<Object> elements) {
		boolean nulls = elements.contains(null);
		int way = this.random.nextInt(5);
		if (declared == ArrayList.class) {
			return (way == 0) ? new ArrayList<>(elements) {
			} : new ArrayList<>(elements);
		}
		if (declared == LinkedHashSet.class || declared == HashSet.class) {
			return (declared == HashSet.class && way > 2) ? new HashSet<>(elements) : new LinkedHashSet<>(elements);
		}
		if (Set.class.isAssignableFrom(declared)) {
			Set<Object> distinct = new LinkedHashSet<>(elements);
			return switch (way) {
				case 0 -> nulls ? distinct : Set.copyOf(distinct);
				case 1 -> nulls ? distinct : new TreeSet<>(distinct);
				case 2 -> (!nulls && !distinct.isEmpty() && elements.get(0) instanceof Enum)
						? EnumSet.copyOf((Set) distinct) : new HashSet<>(distinct);
				case 3 -> Collections.unmodifiableSet(distinct);
				default -> distinct;
			};
		}
		return switch (way) {
			case 0 -> nulls ? Collections.unmodifiableList(elements) : List.copyOf(elements);
			case 1 -> Arrays.asList(elements.toArray());
			case 2 -> new ArrayList<>(elements).subList(0, elements.size());
			case 3 -> new LinkedList<>(elements);
			default -> elements;
		};
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private Object map(Class<?> declared, Type type, int depth) {
		Map<Object, Object> map = new LinkedHashMap<>();
		for (Object key : elements(argument(type, 0), depth, 5)) {
			if (key != null) {
				map.put(key, of(argument(type, 1), depth + 1));
			}
		}
		if (declared == HashMap.class) {
			return new HashMap<>(map);
		}
		if (declared == LinkedHashMap.class) {
			return map;
		}
		return switch (this.random.nextInt(5)) {
			case 0 -> map.containsValue(null) ? map : Map.copyOf(map);
			case 1 -> new TreeMap<>(map);
			case 2 -> (!map.isEmpty() && map.keySet().iterator().next() instanceof Enum) ? new EnumMap(map)
					: new HashMap<>(map);
			case 3 -> Collections.unmodifiableMap(map);
			default -> map;
		};
	}

	private Object scalar(Class<?> raw) {
		if (raw.isEnum()) {
			return raw.getEnumConstants()[this.random.nextInt(raw.getEnumConstants().length)];
		}
		boolean edge = this.random.nextInt(4) == 0;
		int shift = this.random.nextInt(64);
		if (raw == boolean.class || raw == Boolean.class) {
			return this.random.nextBoolean();
		}
		if (raw == byte.class || raw == Byte.class) {
			return (byte) this.random.nextInt();
		}
		if (raw == short.class || raw == Short.class) {
			return (short) this.random.nextInt();
		}
		if (raw == int.class || raw == Integer.class) {
			return edge ? pick(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) (this.random.nextLong() >> shift);
		}
		if (raw == long.class || raw == Long.class) {
			return edge ? pick(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE) : this.random.nextLong() >> shift;
		}
		if (raw == float.class || raw == Float.class) {
			return edge
					? pick(Float.NaN, -0.0f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NEGATIVE_INFINITY,
							Float.POSITIVE_INFINITY, Float.MIN_NORMAL)
					: canonical(Float.intBitsToFloat(this.random.nextInt()));
		}
		if (raw == double.class || raw == Double.class) {
			return edge
					? pick(Double.NaN, -0.0, Double.MIN_VALUE, Double.MAX_VALUE, Double.NEGATIVE_INFINITY,
							Double.POSITIVE_INFINITY, Double.MIN_NORMAL, 2e23)
					: canonical(Double.longBitsToDouble(this.random.nextLong()));
		}
		if (raw == char.class || raw == Character.class) {
			return text(1).charAt(0);
		}
		if (raw == String.class) {
			return edge ? pick("", "\u0000", "\uD83D\uDE00", "null", "\uFFFD", "\"\\/\b\f\n\r\t", "\u2028", "\uFEFF")
					: text(this.random.nextInt(40));
		}
		if (raw == BigInteger.class) {
			return new BigInteger(this.random.nextInt(300), this.random).multiply(BigInteger.valueOf(pick(-1, 1)));
		}
		if (raw == BigDecimal.class) {
			return edge
					? pick(new BigDecimal("0.00"), new BigDecimal("0E+7"), new BigDecimal("1E+3"),
							new BigDecimal("12.500"), new BigDecimal("-0.0"), new BigDecimal("1E-400"))
					: new BigDecimal(new BigInteger(this.random.nextInt(300), this.random),
							this.random.nextInt(400) - 200);
		}
		if (raw == UUID.class) {
			return new UUID(this.random.nextLong(), this.random.nextLong());
		}
		if (raw == URI.class) {
			return edge ? URI.create("") : URI.create(pick("http://h/p?q=%20#f", "urn:isbn:1", "a/b", "//h:80",
					"mailto:a@b", "http://\u00e4.example/\u4e2d?x"));
		}
		if (raw == Duration.class) {
			return edge
					? pick(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
							Duration.ofSeconds(Long.MIN_VALUE))
					: Duration.ofSeconds(this.random.nextLong() >> shift, this.random.nextInt(1_000_000_000));
		}
		LocalDate date = edge ? pick(LocalDate.MIN, LocalDate.MAX, LocalDate.EPOCH, LocalDate.of(0, 1, 1))
				: LocalDate.ofEpochDay(this.random.nextInt(8_000_000) - 4_000_000);
		LocalTime time = edge ? pick(LocalTime.MIN, LocalTime.MAX, LocalTime.NOON, LocalTime.of(1, 2))
				: LocalTime.ofNanoOfDay((this.random.nextLong() >>> 1) % 86_400_000_000_000L);
		if (raw == LocalDate.class) {
			return date;
		}
		if (raw == LocalTime.class) {
			return time;
		}
		if (raw == LocalDateTime.class) {
			return LocalDateTime.of(date, time);
		}
		if (raw == Instant.class) {
			return edge ? pick(Instant.MIN, Instant.MAX, Instant.EPOCH, Instant.ofEpochSecond(-1, 1))
					: Instant.ofEpochSecond(this.random.nextLong() >> 30, this.random.nextInt(1_000_000_000));
		}
		throw new IllegalArgumentException(raw.getName());
	}

	/** NaN has many bit patterns, which neither equals() nor JSON distinguishes. */
	private static float canonical(float value) {
		return Float.isNaN(value) ? Float.NaN : value;
	}

	private static double canonical(double value) {
		return Double.isNaN(value) ? Double.NaN : value;
	}

	@SafeVarargs
	private <T> T pick(T... values) {
		return values[this.random.nextInt(values.length)];
	}

	/** No surrogates except in pairs: JSON carries no others. */
	private String text(int length) {
		int limit = pick(128, 256, 0xD800);
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			text.append((char) this.random.nextInt(limit));
		}
		return text.toString();
	}

}
