package io.github.vicinal.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Decides for one type whether it is deeply immutable, and whether a round trip through
 * JSON gives back an equal value of the same class. Answers are reasons; {@code null}
 * means yes. An instance is used for one question: it remembers where it has been.
 */
final class TypeTraits {

	/**
	 * Types that {@code TransparentTypesTests} proves transparent by round trips, one at
	 * a time.
	 */
	static final Set<Class<?>> TRANSPARENT_SCALARS = Set.of(boolean.class, byte.class, short.class, int.class,
			long.class, float.class, double.class, char.class, Boolean.class, Byte.class, Short.class, Integer.class,
			Long.class, Float.class, Double.class, Character.class, String.class, BigDecimal.class, BigInteger.class,
			UUID.class, URI.class, Instant.class, LocalDate.class, LocalTime.class, LocalDateTime.class,
			Duration.class);

	static final Set<Class<?>> TRANSPARENT_COLLECTIONS = Set.of(Collection.class, List.class, ArrayList.class,
			Set.class, HashSet.class, LinkedHashSet.class);

	static final Set<Class<?>> TRANSPARENT_MAPS = Set.of(Map.class, HashMap.class, LinkedHashMap.class);

	static final Set<Class<?>> TRANSPARENT_KEYS = Set.of(String.class, Integer.class, Long.class, UUID.class);

	private static final Set<Class<?>> IMMUTABLE_SCALARS = union(TRANSPARENT_SCALARS,
			Set.of(MonthDay.class, OffsetDateTime.class, OffsetTime.class, Period.class, Year.class, YearMonth.class,
					ZonedDateTime.class, ZoneOffset.class));

	/** Others, such as {@link Iterable}, change how Jackson writes a record. */
	private static final Set<String> HARMLESS_INTERFACES = Set.of("java.lang.Comparable", "java.io.Serializable");

	private static final String NAME_ANNOTATION = "com.fasterxml.jackson.annotation.JsonProperty";

	private static final int MAX_DEPTH = 32;

	private final Set<String> visited = new HashSet<>();

	private static Set<Class<?>> union(Set<Class<?>> one, Set<Class<?>> other) {
		Set<Class<?>> union = new HashSet<>(one);
		union.addAll(other);
		return Set.copyOf(union);
	}

	@Nullable String whyMutable(Type type, String where) {
		return whyMutable(type, where, 0);
	}

	private @Nullable String whyMutable(Type type, String where, int depth) {
		Class<?> raw = GenericTypes.raw(type);
		if (raw == void.class || (IMMUTABLE_SCALARS.contains(raw) && !(type instanceof TypeVariable)) || raw.isEnum()) {
			return null;
		}
		if (!raw.isRecord() || type instanceof TypeVariable) {
			return where + ": " + GenericTypes.name(type) + " is not known to be immutable";
		}
		if (depth > MAX_DEPTH) {
			return where + ": " + raw.getName() + " is nested too deeply to be examined";
		}
		if (!this.visited.add(GenericTypes.name(type))) {
			return null;
		}
		return firstComponent(type, raw, (component, name) -> whyMutable(component, name, depth + 1));
	}

	/** For types that are immutable: other members than records' components are not. */
	@Nullable String whyCustom(Type type, String where) {
		Class<?> raw = GenericTypes.raw(type);
		if (!raw.isRecord() || !this.visited.add(GenericTypes.name(type))) {
			return null;
		}
		String custom = RecordCode.whyCustom(raw);
		return (custom != null) ? where + ": " + custom : firstComponent(type, raw, this::whyCustom);
	}

	@Nullable String whyOpaque(Type type, String where) {
		return whyOpaque(type, where, 0);
	}

	private @Nullable String whyOpaque(Type type, String where, int depth) {
		String name = GenericTypes.name(type);
		if (type instanceof TypeVariable) {
			return where + ": the type variable " + name + " can stand for any type";
		}
		Class<?> raw = GenericTypes.raw(type);
		if (raw == void.class || TRANSPARENT_SCALARS.contains(raw)) {
			return null;
		}
		if (depth > MAX_DEPTH) {
			return where + ": " + name + " is nested too deeply to be examined";
		}
		Type component = GenericTypes.componentOf(type);
		if (component != null) {
			return whyOpaque(component, where, depth + 1);
		}
		List<Type> arguments = GenericTypes.arguments(type);
		boolean collection = TRANSPARENT_COLLECTIONS.contains(raw);
		boolean map = TRANSPARENT_MAPS.contains(raw);
		if ((collection || map) && arguments.isEmpty()) {
			return where + ": " + name + " has no type argument";
		}
		if (collection) {
			return whyOpaque(GenericTypes.resolve(arguments.get(0), Map.of()), where, depth + 1);
		}
		if (map) {
			String key = whyOpaqueKey(GenericTypes.resolve(arguments.get(0), Map.of()), where);
			return (key != null) ? key : whyOpaque(GenericTypes.resolve(arguments.get(1), Map.of()), where, depth + 1);
		}
		if (raw.isEnum()) {
			return whyOpaqueEnum(raw, where);
		}
		if (raw.isRecord()) {
			if (!this.visited.add(name)) {
				return null;
			}
			String record = whyOpaqueRecord(raw, where);
			return (record != null) ? record : firstComponent(type, raw,
					(componentType, componentName) -> whyOpaque(componentType, componentName, depth + 1));
		}
		if (raw == Object.class) {
			return where + ": java.lang.Object can hold anything";
		}
		if (raw.isInterface() || Modifier.isAbstract(raw.getModifiers())) {
			return where + ": " + raw.getName() + " is open to other implementations";
		}
		return where + ": " + raw.getName() + " is a class, not a record, enum, or known value type";
	}

	private static @Nullable String whyOpaqueKey(Type type, String where) {
		if (type instanceof Class<?> cls && TRANSPARENT_KEYS.contains(cls)) {
			return null;
		}
		if (type instanceof Class<?> cls && cls.isEnum()) {
			return whyOpaqueEnum(cls, where);
		}
		return where + ": " + GenericTypes.name(type) + " as the key of a map is text in JSON";
	}

	private static @Nullable String whyOpaqueEnum(Class<?> type, String where) {
		String annotated = annotated(type);
		if (annotated != null) {
			return where + ": " + annotated;
		}
		for (Object constant : type.getEnumConstants()) {
			if (declares(constant.getClass(), "toString")) {
				return where + ": " + type.getName() + " overrides toString(), which Jackson writes";
			}
		}
		return whyOpaqueInterfaces(type, where);
	}

	private static boolean declares(Class<?> type, String method) {
		try {
			return type.getMethod(method).getDeclaringClass() != Enum.class;
		}
		catch (NoSuchMethodException ex) {
			return true;
		}
	}

	private static @Nullable String whyOpaqueRecord(Class<?> type, String where) {
		String annotated = annotated(type);
		if (annotated != null) {
			return where + ": " + annotated;
		}
		String interfaces = whyOpaqueInterfaces(type, where);
		if (interfaces != null) {
			return interfaces;
		}
		Set<String> components = new HashSet<>();
		for (RecordComponent component : type.getRecordComponents()) {
			components.add(component.getName());
		}
		for (Method method : type.getMethods()) {
			if (method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers())
					&& !components.contains(method.getName()) && looksLikeProperty(method)) {
				return where + ": Jackson takes " + type.getName() + "." + method.getName() + "() for a property";
			}
		}
		for (Method method : type.getDeclaredMethods()) {
			if (!Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 1
					&& method.getName().startsWith("set")) {
				return where + ": Jackson takes " + type.getName() + "." + method.getName() + "() for a setter";
			}
		}
		return null;
	}

	private static boolean looksLikeProperty(Method method) {
		String name = method.getName();
		if (method.getParameterCount() == 1) {
			return name.startsWith("set");
		}
		boolean bool = method.getReturnType() == boolean.class || method.getReturnType() == Boolean.class;
		return method.getParameterCount() == 0 && method.getReturnType() != void.class
				&& (name.startsWith("get") || (name.startsWith("is") && bool));
	}

	private static @Nullable String whyOpaqueInterfaces(Class<?> type, String where) {
		for (Class<?> ancestor : interfacesOf(type)) {
			if (isPlatform(ancestor) && !HARMLESS_INTERFACES.contains(ancestor.getName())
					&& !ancestor.getName().startsWith("java.lang.constant.")) {
				return where + ": " + type.getName() + " implements " + ancestor.getName()
						+ ", which can change how Jackson writes it";
			}
			if (ancestor.getName().startsWith("tools.jackson.")) {
				return where + ": " + type.getName() + " implements " + ancestor.getName();
			}
			String annotated = annotated(ancestor);
			if (annotated != null) {
				return where + ": " + annotated;
			}
		}
		return null;
	}

	static Set<Class<?>> interfacesOf(Class<?> type) {
		Set<Class<?>> interfaces = new LinkedHashSet<>();
		for (Class<?> cls = type; cls != null; cls = cls.getSuperclass()) {
			for (Class<?> direct : cls.getInterfaces()) {
				interfaces.add(direct);
				interfaces.addAll(interfacesOf(direct));
			}
		}
		return interfaces;
	}

	static boolean isPlatform(Class<?> type) {
		ClassLoader loader = type.getClassLoader();
		return loader == null || loader == ClassLoader.getPlatformClassLoader();
	}

	/**
	 * Returns what tells Jackson more of a class than names of properties: an annotation
	 * on the class, on an ancestor or on a member, or an ancestor of the platform that
	 * Jackson may know.
	 */
	static @Nullable String whyMoreThanNames(Class<?> type) {
		for (Class<?> cls = type; cls != null && cls != Object.class
				&& cls != Record.class; cls = cls.getSuperclass()) {
			if (isPlatform(cls)) {
				return (cls == type) ? "%s is a class of the platform that is no known value".formatted(type.getName())
						: "%s extends %s, which can change how Jackson writes it".formatted(type.getName(),
								cls.getName());
			}
			String found = annotated(cls, TypeTraits::isName);
			if (found != null) {
				return found;
			}
		}
		for (Class<?> ancestor : interfacesOf(type)) {
			if (isPlatform(ancestor) && !HARMLESS_INTERFACES.contains(ancestor.getName())) {
				return "%s implements %s, which can change how Jackson writes it".formatted(type.getName(),
						ancestor.getName());
			}
			if (ancestor.getName().startsWith("tools.jackson.")) {
				return "%s implements %s".formatted(type.getName(), ancestor.getName());
			}
			String found = annotated(ancestor, TypeTraits::isName);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/** Returns whether an annotation says the name of a property and nothing else. */
	private static boolean isName(Annotation annotation) {
		Class<? extends Annotation> type = annotation.annotationType();
		if (!type.getName().equals(NAME_ANNOTATION)) {
			return false;
		}
		try {
			for (Method attribute : type.getDeclaredMethods()) {
				if (!attribute.getName().equals("value")
						&& !Objects.deepEquals(attribute.invoke(annotation), attribute.getDefaultValue())) {
					return false;
				}
			}
			return true;
		}
		catch (ReflectiveOperationException ex) {
			return false;
		}
	}

	/** Returns which Jackson annotation a class bears on itself or on a member. */
	private static @Nullable String annotated(Class<?> type) {
		return annotated(type, (annotation) -> false);
	}

	private static @Nullable String annotated(Class<?> type, Predicate<Annotation> harmless) {
		String found = annotated(type, type.getName(), harmless);
		for (Field field : type.getDeclaredFields()) {
			found = (found != null) ? found : annotated(field, type.getName() + "." + field.getName(), harmless);
		}
		for (Method method : type.getDeclaredMethods()) {
			found = (found != null) ? found
					: annotatedExecutable(method, type.getName() + "." + method.getName(), harmless);
		}
		for (Constructor<?> constructor : type.getDeclaredConstructors()) {
			found = (found != null) ? found : annotatedExecutable(constructor, type.getName() + "()", harmless);
		}
		if (type.isRecord()) {
			for (RecordComponent component : type.getRecordComponents()) {
				found = (found != null) ? found
						: annotated(component, type.getName() + "." + component.getName(), harmless);
			}
		}
		return found;
	}

	private static @Nullable String annotatedExecutable(Executable executable, String name,
			Predicate<Annotation> harmless) {
		String found = annotated(executable, name, harmless);
		for (Parameter parameter : executable.getParameters()) {
			found = (found != null) ? found : annotated(parameter, name, harmless);
		}
		return found;
	}

	private static @Nullable String annotated(AnnotatedElement element, String name, Predicate<Annotation> harmless) {
		for (Annotation annotation : element.getAnnotations()) {
			Class<? extends Annotation> type = annotation.annotationType();
			boolean bundle = Arrays.stream(type.getAnnotations())
				.anyMatch((meta) -> isJackson(meta.annotationType().getName()));
			if ((bundle || isJackson(type.getName())) && !harmless.test(annotation)) {
				return name + " is annotated with @" + type.getSimpleName();
			}
		}
		return null;
	}

	/** Jackson reads two annotations of {@code java.beans} as well. */
	private static boolean isJackson(String annotation) {
		return annotation.startsWith("com.fasterxml.jackson.") || annotation.startsWith("tools.jackson.")
				|| annotation.startsWith("java.beans.");
	}

	private static @Nullable String firstComponent(Type type, Class<?> raw, ComponentCheck check) {
		List<Type> types = TypeClosure.componentTypes(type);
		RecordComponent[] components = raw.getRecordComponents();
		for (int i = 0; i < components.length; i++) {
			String reason = check.why(types.get(i), raw.getName() + "." + components[i].getName());
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

	@FunctionalInterface
	private interface ComponentCheck {

		@Nullable String why(Type type, String name);

	}

}
