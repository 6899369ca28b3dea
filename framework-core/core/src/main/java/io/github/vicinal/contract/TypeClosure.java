package io.github.vicinal.contract;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * The types that can travel through the methods of a contract: everything reachable from
 * argument and result types. Immutable and thread-safe.
 * <p>
 * Methods that only HTTP can carry do not count. Types of the Java platform are known by
 * name; the shape of all others is part of the {@linkplain Contract#hash() hash}: names,
 * generic types and order of record components, fields and enum constants.
 *
 * @since 0.1.0
 */
public final class TypeClosure {

	/** A generic type that contains itself with larger arguments never ends. */
	private static final int MAX_NESTED_ARGUMENTS = 16;

	private final List<Class<?>> types;

	private final String shapes;

	private final @Nullable String opaqueReason;

	private TypeClosure(List<Class<?>> types, String shapes, @Nullable String opaqueReason) {
		this.types = List.copyOf(types);
		this.shapes = shapes;
		this.opaqueReason = opaqueReason;
	}

	static TypeClosure of(List<ContractMethod> methods) {
		Walk walk = new Walk();
		String opaque = null;
		for (ContractMethod method : methods) {
			if (method.httpOnlyReason() != null) {
				continue;
			}
			for (int i = 0; i < method.argumentTypes().size(); i++) {
				walk.add(method.argumentTypes().get(i));
				if (opaque == null) {
					opaque = new TypeTraits().whyOpaque(GenericTypes.resolve(method.argumentTypes().get(i), Map.of()),
							"argument %d of %s".formatted(i, method.method().getName()));
				}
			}
			walk.add(method.resultType());
			if (opaque == null) {
				opaque = new TypeTraits().whyOpaque(GenericTypes.resolve(method.resultType(), Map.of()),
						"result of " + method.method().getName());
			}
		}
		walk.run();
		return new TypeClosure(new ArrayList<>(walk.classes.values()), String.join("\n", walk.shapes.values()), opaque);
	}

	/**
	 * Returns the closure of a single type.
	 * @param type an argument or result type
	 * @return everything reachable from it
	 */
	public static TypeClosure of(Type type) {
		Walk walk = new Walk();
		walk.add(type);
		walk.run();
		return new TypeClosure(new ArrayList<>(walk.classes.values()), String.join("\n", walk.shapes.values()),
				whyOpaque(type).orElse(null));
	}

	/**
	 * Returns the classes that can be reached, arrays and primitive types among them.
	 * @return an immutable list, ordered by name
	 */
	public List<Class<?>> types() {
		return this.types;
	}

	/**
	 * Returns why a JSON round trip may change a value that travels through the contract,
	 * or may depend on how Jackson is configured.
	 * @return the type and member at fault and what is wrong with it, or empty if every
	 * value comes back equal and of the same class, so that another codec can replace
	 * JSON unnoticed
	 */
	public Optional<String> opaqueReason() {
		return Optional.ofNullable(this.opaqueReason);
	}

	/**
	 * Returns why a JSON round trip may change values of a type.
	 * @param type a type
	 * @return the reason, or empty if every value comes back equal and of the same class
	 */
	public static Optional<String> whyOpaque(Type type) {
		return Optional
			.ofNullable(new TypeTraits().whyOpaque(GenericTypes.resolve(type, Map.of()), GenericTypes.name(type)));
	}

	/**
	 * Returns why values of a type may change after they were made.
	 * @param type a type
	 * @return the reason, or empty if every value is deeply immutable
	 */
	public static Optional<String> whyMutable(Type type) {
		return Optional
			.ofNullable(new TypeTraits().whyMutable(GenericTypes.resolve(type, Map.of()), GenericTypes.name(type)));
	}

	/**
	 * Returns why a copy of a value may differ from it although the value is immutable: a
	 * record's accessor may return something else than what the record holds, and its
	 * constructor may check or change what it is given.
	 * @param type a type
	 * @return the reason, or empty if the accessors and canonical constructors of all
	 * records that such a value consists of do what the compiler's own do
	 */
	public static Optional<String> whyCustom(Type type) {
		return Optional
			.ofNullable(new TypeTraits().whyCustom(GenericTypes.resolve(type, Map.of()), GenericTypes.name(type)));
	}

	/**
	 * Returns what tells Jackson more of a class than the names of its properties.
	 * @param type a class with properties
	 * @return the annotation or ancestor, or empty if there is none
	 */
	public static Optional<String> whyMoreThanNames(Class<?> type) {
		return Optional.ofNullable(TypeTraits.whyMoreThanNames(type));
	}

	/**
	 * Returns whether JSON brings values of a class back that is one value by itself.
	 * @param type a class
	 * @return whether it is a primitive type, a text, a number or another value type of
	 * the platform whose JSON is known
	 */
	public static boolean isScalar(Class<?> type) {
		return TypeTraits.TRANSPARENT_SCALARS.contains(type);
	}

	/**
	 * Returns the types of the components of a record, with type variables replaced by
	 * the record's type arguments and wildcards by their upper bounds.
	 * @param recordType a record class or a parameterized record type
	 * @return the types in order
	 */
	public static List<Type> componentTypes(Type recordType) {
		Map<TypeVariable<?>, Type> bindings = GenericTypes.bindings(recordType);
		List<Type> types = new ArrayList<>();
		for (RecordComponent component : GenericTypes.raw(recordType).getRecordComponents()) {
			types.add(GenericTypes.resolve(component.getGenericType(), bindings));
		}
		return types;
	}

	/**
	 * Returns a canonical text of the shapes of all types.
	 * @return one line per type, the same in every JVM and class loader
	 */
	@Override
	public String toString() {
		return this.shapes;
	}

	private static final class Walk {

		private final Map<String, Class<?>> classes = new TreeMap<>();

		private final Map<String, String> shapes = new TreeMap<>();

		private final Set<String> seen = new HashSet<>();

		private final Deque<Type> open = new ArrayDeque<>();

		void add(@Nullable Type type) {
			if (type != null && GenericTypes.nesting(type) <= MAX_NESTED_ARGUMENTS
					&& this.seen.add(GenericTypes.name(type))) {
				this.open.add(type);
			}
		}

		void run() {
			for (Type type = this.open.poll(); type != null; type = this.open.poll()) {
				visit(type);
			}
		}

		private void visit(Type type) {
			Class<?> raw = GenericTypes.raw(type);
			this.classes.put(raw.getName(), raw);
			add(GenericTypes.componentOf(type));
			GenericTypes.arguments(type).forEach(this::add);
			if (!raw.isArray() && !TypeTraits.isPlatform(raw)) {
				this.shapes.put(raw.getName(), shape(raw, type));
			}
		}

		private String shape(Class<?> raw, Type type) {
			Map<TypeVariable<?>, Type> bindings = GenericTypes.bindings(type);
			String kind = raw.isRecord() ? "record"
					: raw.isEnum() ? "enum" : raw.isInterface() ? "interface" : abstractOrClass(raw);
			StringJoiner shape = new StringJoiner(",", kind + " " + raw.getName() + "{", "}");
			if (raw.isEnum()) {
				for (Object constant : raw.getEnumConstants()) {
					shape.add(((Enum<?>) constant).name());
				}
				return shape.toString();
			}
			if (raw.isRecord()) {
				for (RecordComponent component : raw.getRecordComponents()) {
					shape.add(member(component.getName(), component.getGenericType(), bindings));
				}
				return shape.toString();
			}
			properties(raw, bindings).forEach(shape::add);
			if (raw.isSealed()) {
				for (Class<?> permitted : raw.getPermittedSubclasses()) {
					shape.add("permits " + permitted.getName());
					add(permitted);
				}
			}
			Type parent = raw.getGenericSuperclass();
			if (parent != null && parent != Object.class) {
				shape.add("extends " + GenericTypes.name(parent));
				add(GenericTypes.resolve(parent, bindings));
			}
			return shape.toString();
		}

		private static String abstractOrClass(Class<?> raw) {
			return Modifier.isAbstract(raw.getModifiers()) ? "abstract" : "class";
		}

		/** Reflection promises no order of fields and methods, hence sorted. */
		private Collection<String> properties(Class<?> raw, Map<TypeVariable<?>, Type> bindings) {
			Set<String> members = new TreeSet<>();
			for (Field field : raw.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
					members.add(member(field.getName(), field.getGenericType(), bindings));
				}
			}
			for (Method method : raw.getDeclaredMethods()) {
				if (Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
						&& !method.isSynthetic() && isProperty(method)) {
					Type type = (method.getParameterCount() == 0) ? method.getGenericReturnType()
							: method.getGenericParameterTypes()[0];
					members.add(member(method.getName() + "()", type, bindings));
				}
			}
			return members;
		}

		private static boolean isProperty(Method method) {
			String name = method.getName();
			return switch (method.getParameterCount()) {
				case 0 -> (name.startsWith("get") || name.startsWith("is")) && method.getReturnType() != void.class;
				case 1 -> name.startsWith("set");
				default -> false;
			};
		}

		private String member(String name, Type type, Map<TypeVariable<?>, Type> bindings) {
			add(GenericTypes.resolve(type, bindings));
			return GenericTypes.name(type) + " " + name;
		}

	}

}
