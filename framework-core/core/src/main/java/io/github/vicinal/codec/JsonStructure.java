package io.github.vicinal.codec;

import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.vicinal.contract.TypeClosure;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

/**
 * Describes the JSON of types as a mapper writes and reads it, without names of classes:
 * properties by name, their types, enums by their constants. Two types of equal structure
 * can stand for each other: what one is written as, the other one reads completely.
 * Thread-safe.
 * <p>
 * Whatever Jackson is told beyond names of properties has no structure: annotations,
 * mix-ins, serializers of the application, polymorphism, properties that are only written
 * or only read.
 *
 * @since 0.1.0
 */
public final class JsonStructure {

	private static final int MAX_DEPTH = 32;

	/** A type that is used in many places is described in each of them. */
	private static final int MAX_CHARS = 64 * 1024;

	private static final Set<Class<?>> LISTS = Set.of(List.class, Collection.class, ArrayList.class);

	private static final Set<Class<?>> SETS = Set.of(Set.class, HashSet.class, LinkedHashSet.class);

	private static final Set<Class<?>> MAPS = Set.of(Map.class, HashMap.class, LinkedHashMap.class);

	private static final Set<Class<?>> KEYS = Set.of(String.class, Integer.class, Long.class, UUID.class);

	private final JsonMapper mapper;

	private final PlainMapper plain;

	/**
	 * Creates the structures of a mapper.
	 * @param mapper the application's own mapper
	 */
	public JsonStructure(JsonMapper mapper) {
		this.mapper = mapper;
		this.plain = new PlainMapper(mapper, false);
	}

	/**
	 * Description of a type.
	 *
	 * @param text the canonical text of its structure, empty if it has none
	 * @param reason why it has none, empty if it has one
	 * @since 0.1.0
	 */
	public record Description(String text, String reason) {

		private static Description because(@Nullable String reason) {
			return new Description("", String.valueOf(reason));
		}

	}

	/**
	 * Describes a type, whatever the order of its properties.
	 * @param type the type, without type variables
	 * @return its structure, or why it has none
	 */
	public Description of(Type type) {
		return of(type, new Walk(false));
	}

	/**
	 * Describes a type with the order in which its properties are written, and whether
	 * {@code null} is, so that values of types of equal structure have the same JSON.
	 * @param type the type, without type variables
	 * @return its structure, or why it has none
	 */
	public Description ofWritten(Type type) {
		Description described = of(type, new Walk(true));
		boolean leavesNullOut = this.mapper.serializationConfig()
			.getDefaultPropertyInclusion()
			.getValueInclusion() == JsonInclude.Include.NON_NULL;
		return (leavesNullOut && !described.text().isEmpty()) ? new Description("without null " + described.text(), "")
				: described;
	}

	private Description of(Type type, Walk walk) {
		try {
			String text = walk.describe(this.mapper.constructType(type), 0);
			String obstacle = this.plain.whyNot(List.copyOf(walk.classes));
			return (obstacle != null) ? Description.because(obstacle) : new Description(text, "");
		}
		catch (NoStructureException ex) {
			return Description.because(ex.getMessage());
		}
		catch (RuntimeException | LinkageError ex) {
			return Description.because("%s cannot be examined: %s".formatted(type.getTypeName(), ex));
		}
	}

	/** Begins where it is asked for a type and follows the types of its properties. */
	private final class Walk {

		private final Set<Class<?>> classes = new LinkedHashSet<>();

		/** Types that contain the one that is being described, outermost first. */
		private final List<JavaType> around = new ArrayList<>();

		private final boolean ordered;

		private int chars;

		Walk(boolean ordered) {
			this.ordered = ordered;
		}

		String describe(JavaType type, int depth) {
			Class<?> raw = type.getRawClass();
			this.classes.add(raw);
			if (depth > MAX_DEPTH) {
				throw new NoStructureException(raw.getName() + " is nested too deeply to be examined");
			}
			String text = text(type, raw, depth);
			this.chars += text.length();
			if (this.chars > MAX_CHARS) {
				throw new NoStructureException("its types are too many to be described");
			}
			return text;
		}

		private String text(JavaType type, Class<?> raw, int depth) {
			if (TypeClosure.isScalar(raw)) {
				return raw.getName();
			}
			if (raw.isEnum()) {
				return constants(raw);
			}
			if (type.isArrayType()) {
				return "array(" + describe(type.getContentType(), depth + 1) + ")";
			}
			if (LISTS.contains(raw)) {
				return "list(" + describe(type.getContentType(), depth + 1) + ")";
			}
			if (SETS.contains(raw)) {
				return "set(" + describe(type.getContentType(), depth + 1) + ")";
			}
			if (MAPS.contains(raw)) {
				return "map(" + key(type.getKeyType()) + "," + describe(type.getContentType(), depth + 1) + ")";
			}
			int outer = this.around.lastIndexOf(type);
			if (outer >= 0) {
				return "^" + (this.around.size() - outer);
			}
			String reason = whyNoObject(type, raw);
			if (reason != null) {
				throw new NoStructureException(reason);
			}
			this.around.add(type);
			String object = object(type, depth);
			this.around.remove(this.around.size() - 1);
			return object;
		}

		private String key(JavaType type) {
			Class<?> raw = type.getRawClass();
			this.classes.add(raw);
			if (raw.isEnum()) {
				return constants(raw);
			}
			if (!KEYS.contains(raw)) {
				throw new NoStructureException("%s as the key of a map is text in JSON".formatted(raw.getName()));
			}
			return raw.getName();
		}

		/** In their order, which the flat format relies on. */
		private static String constants(Class<?> type) {
			Optional<String> opaque = TypeClosure.whyOpaque(type);
			if (opaque.isPresent()) {
				throw new NoStructureException(opaque.get());
			}
			StringBuilder text = new StringBuilder("enum(");
			for (Object constant : type.getEnumConstants()) {
				text.append(((Enum<?>) constant).name()).append(',');
			}
			return text.append(')').toString();
		}

		private static @Nullable String whyNoObject(JavaType type, Class<?> raw) {
			if (raw == Object.class) {
				return "java.lang.Object can hold anything";
			}
			if (raw.isInterface() || Modifier.isAbstract(raw.getModifiers())) {
				return "%s is open to other implementations".formatted(raw.getName());
			}
			if (type.isContainerType() || type.isReferenceType() || raw.isAnonymousClass()
					|| (raw.getEnclosingClass() != null && !Modifier.isStatic(raw.getModifiers()))) {
				return "%s is no class with properties of its own".formatted(raw.getName());
			}
			return TypeClosure.whyMoreThanNames(raw).orElse(null);
		}

		private String object(JavaType type, int depth) {
			Map<String, JavaType> written = properties(type, true);
			Map<String, JavaType> read = properties(type, false);
			if (!written.equals(read)) {
				throw new NoStructureException("%s has properties that are only written or only read: %s".formatted(
						type.getRawClass().getName(),
						written.keySet().equals(read.keySet()) ? "their types differ" : difference(written, read)));
			}
			StringBuilder text = new StringBuilder("{");
			(this.ordered ? written : new TreeMap<>(written)).forEach((name, property) -> text.append(name.length())
				.append(':')
				.append(name)
				.append('=')
				.append(describe(property, depth + 1))
				.append(';'));
			return text.append('}').toString();
		}

		private static String difference(Map<String, JavaType> written, Map<String, JavaType> read) {
			Map<String, JavaType> different = new TreeMap<>(written);
			read.forEach((name, type) -> {
				if (different.remove(name) == null) {
					different.put(name, type);
				}
			});
			return different.keySet().stream().collect(Collectors.joining(", "));
		}

		/** Returns the types of properties by name, in the mapper's order. */
		private Map<String, JavaType> properties(JavaType type, boolean writing) {
			MapperConfig<?> config = writing ? JsonStructure.this.mapper.serializationConfig()
					: JsonStructure.this.mapper.deserializationConfig();
			ClassIntrospector introspector = config.classIntrospectorInstance().forOperation(config);
			BeanDescription bean = writing
					? introspector.introspectForSerialization(type, introspector.introspectClassAnnotations(type))
					: introspector.introspectForDeserialization(type, introspector.introspectClassAnnotations(type));
			Map<String, JavaType> properties = new LinkedHashMap<>();
			for (BeanPropertyDefinition property : bean.findProperties()) {
				if (writing ? property.couldSerialize() : property.couldDeserialize()) {
					properties.put(property.getName(), property.getPrimaryType());
				}
			}
			return properties;
		}

	}

	/** A type has no structure. */
	private static final class NoStructureException extends RuntimeException {

		private static final long serialVersionUID = 1;

		NoStructureException(String reason) {
			super(reason, null, false, false);
		}

	}

}
