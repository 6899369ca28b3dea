package io.github.vicinal.codec;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategy;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.ConstructorDetector;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.DeserializationContexts;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.SerializationContexts;
import tools.jackson.databind.deser.BeanDeserializerFactory;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleDeserializers;
import tools.jackson.databind.module.SimpleSerializers;
import tools.jackson.databind.ser.BeanSerializerFactory;

/**
 * Decides whether a mapper treats a set of types as a mapper fresh from its builder does.
 * Settings for other types do not matter. A setting that is not known to be harmless
 * counts as an obstacle.
 */
final class PlainMapper {

	/** Features that may differ: they change the text, or what happens to errors. */
	private static final Set<Enum<?>> HARMLESS_FEATURES = Set.of(SerializationFeature.INDENT_OUTPUT,
			SerializationFeature.WRAP_EXCEPTIONS, SerializationFeature.CLOSE_CLOSEABLE,
			SerializationFeature.FLUSH_AFTER_WRITE_VALUE, SerializationFeature.EAGER_SERIALIZER_FETCH,
			DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
			DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY, DeserializationFeature.WRAP_EXCEPTIONS,
			DeserializationFeature.EAGER_DESERIALIZER_FETCH, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS,
			DeserializationFeature.USE_BIG_INTEGER_FOR_INTS, DeserializationFeature.USE_LONG_FOR_INTS,
			MapperFeature.SORT_PROPERTIES_ALPHABETICALLY, MapperFeature.SORT_CREATOR_PROPERTIES_FIRST,
			MapperFeature.DEFAULT_VIEW_INCLUSION, MapperFeature.INFER_RECORD_GETTERS_FROM_COMPONENTS_ONLY,
			JsonWriteFeature.ESCAPE_NON_ASCII, JsonWriteFeature.ESCAPE_FORWARD_SLASHES,
			JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8);

	private static final Set<JsonInclude.Include> HARMLESS_INCLUSIONS = Set.of(JsonInclude.Include.ALWAYS,
			JsonInclude.Include.USE_DEFAULTS, JsonInclude.Include.NON_NULL);

	private static final Set<JsonInclude.Include> HARMLESS_CONTENT_INCLUSIONS = Set.of(JsonInclude.Include.ALWAYS,
			JsonInclude.Include.USE_DEFAULTS);

	private final JsonMapper mapper;

	private final @Nullable String obstacle;

	private final List<Registration> registrations = new ArrayList<>();

	/** Whether a naming strategy is an obstacle. */
	private final boolean namesMatter;

	PlainMapper(JsonMapper mapper) {
		this(mapper, true);
	}

	/**
	 * Creates the decision for a mapper.
	 * @param mapper the mapper
	 * @param namesMatter whether a naming strategy counts as an obstacle
	 */
	PlainMapper(JsonMapper mapper, boolean namesMatter) {
		this.mapper = mapper;
		this.namesMatter = namesMatter;
		this.obstacle = findObstacle();
	}

	/**
	 * Returns what about the mapper may change values of some types.
	 * @param types the types
	 * @return the reason, or {@code null} if they are written and read as by default
	 */
	@Nullable String whyNot(List<Class<?>> types) {
		if (this.obstacle != null) {
			return this.obstacle;
		}
		for (Class<?> type : types) {
			String reason = whyNot(type);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

	private @Nullable String whyNot(Class<?> type) {
		SerializationConfig config = this.mapper.serializationConfig();
		for (Class<?> ancestor : ancestors(type)) {
			if (config.findMixInClassFor(ancestor) != null) {
				return "the application's JsonMapper has a mix-in for " + ancestor.getName();
			}
			if (config.findConfigOverride(ancestor) != null) {
				return "the application's JsonMapper has a configuration override for " + ancestor.getName();
			}
		}
		if (config.getDefaultPropertyInclusion().getValueInclusion() == JsonInclude.Include.NON_NULL
				&& hasDefaults(type)) {
			return "the application's JsonMapper does not write null, where %s may have another default"
				.formatted(type.getName());
		}
		for (Registration registration : this.registrations) {
			if (registration.handles.test(type)) {
				return "module %s of the application's JsonMapper changes how %s is read or written"
					.formatted(registration.module, type.getName());
			}
		}
		return null;
	}

	/**
	 * A property that the JSON leaves out keeps the value that the constructor gave it.
	 */
	private static boolean hasDefaults(Class<?> type) {
		return !type.isRecord() && !type.isEnum() && !type.isPrimitive() && !type.isArray()
				&& !type.getName().startsWith("java.");
	}

	private static Set<Class<?>> ancestors(Class<?> type) {
		Set<Class<?>> ancestors = new HashSet<>();
		for (Class<?> cls = type; cls != null; cls = cls.getSuperclass()) {
			ancestors.add(cls);
			for (Class<?> direct : cls.getInterfaces()) {
				ancestors.addAll(ancestors(direct));
			}
		}
		return ancestors;
	}

	private @Nullable String findObstacle() {
		if (this.mapper.getClass() != JsonMapper.class) {
			return "the application's JsonMapper is a subclass, " + this.mapper.getClass().getName();
		}
		String feature = findFeature();
		if (feature != null) {
			return "%s of the application's JsonMapper is not at its default".formatted(feature);
		}
		String setting = findSetting();
		if (setting != null) {
			return "the application's JsonMapper has " + setting;
		}
		for (JacksonModule module : this.mapper.registeredModules()) {
			String reason = replay(module);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

	private @Nullable String findFeature() {
		JsonMapper fresh = JsonMapper.builder().build();
		Set<Enum<?>> changed = new HashSet<>();
		compare(SerializationFeature.values(), (feature) -> this.mapper.isEnabled(feature),
				(feature) -> fresh.isEnabled(feature), changed);
		compare(DeserializationFeature.values(), (feature) -> this.mapper.isEnabled(feature),
				(feature) -> fresh.isEnabled(feature), changed);
		compare(MapperFeature.values(), (feature) -> this.mapper.isEnabled(feature),
				(feature) -> fresh.isEnabled(feature), changed);
		compare(JsonReadFeature.values(), (feature) -> this.mapper.isEnabled(feature),
				(feature) -> fresh.isEnabled(feature), changed);
		compare(JsonWriteFeature.values(), (feature) -> this.mapper.isEnabled(feature),
				(feature) -> fresh.isEnabled(feature), changed);
		SerializationConfig config = this.mapper.serializationConfig();
		SerializationConfig freshConfig = fresh.serializationConfig();
		compare(DateTimeFeature.values(), config::isEnabled, freshConfig::isEnabled, changed);
		compare(EnumFeature.values(), config::isEnabled, freshConfig::isEnabled, changed);
		changed.removeIf((feature) -> feature instanceof JsonReadFeature);
		changed.removeAll(HARMLESS_FEATURES);
		return changed.stream()
			.map((feature) -> feature.getDeclaringClass().getSimpleName() + "." + feature.name())
			.sorted()
			.findFirst()
			.orElse(null);
	}

	private static <F extends Enum<F>> void compare(F[] features, Predicate<F> one, Predicate<F> other,
			Set<Enum<?>> changed) {
		for (F feature : features) {
			if (one.test(feature) != other.test(feature)) {
				changed.add(feature);
			}
		}
	}

	private @Nullable String findSetting() {
		SerializationConfig writing = this.mapper.serializationConfig();
		DeserializationConfig reading = this.mapper.deserializationConfig();
		JsonMapper.Builder state = this.mapper.rebuild();
		JsonInclude.Value inclusion = writing.getDefaultPropertyInclusion();
		PropertyNamingStrategy naming = writing.getPropertyNamingStrategy();
		if (!HARMLESS_INCLUSIONS.contains(inclusion.getValueInclusion())
				|| !HARMLESS_CONTENT_INCLUSIONS.contains(inclusion.getContentInclusion())) {
			return "the property inclusion " + inclusion.getValueInclusion().name().toLowerCase(Locale.ROOT);
		}
		if (writing.getDefaultTyper(this.mapper.constructType(Object.class)) != null) {
			return "default typing";
		}
		// The peer may have another one, or none.
		if (naming != null && this.namesMatter) {
			return "the naming strategy " + naming.getClass().getName();
		}
		if (writing.getAnnotationIntrospector().getClass() != JacksonAnnotationIntrospector.class) {
			return "the annotation introspector " + writing.getAnnotationIntrospector().getClass().getName();
		}
		if (reading.getProblemHandlers() != null) {
			return "a problem handler";
		}
		if (writing.getActiveView() != null || reading.getActiveView() != null) {
			return "a default view";
		}
		if (reading.getConstructorDetector() != ConstructorDetector.DEFAULT) {
			return "a constructor detector";
		}
		JsonMapper fresh = JsonMapper.builder().build();
		if (!writing.getDefaultVisibilityChecker()
			.toString()
			.equals(fresh.serializationConfig().getDefaultVisibilityChecker().toString())) {
			return "its own visibility rules";
		}
		if (!reading.getDefaultNullHandling().equals(fresh.deserializationConfig().getDefaultNullHandling())
				|| Boolean.TRUE.equals(reading.getDefaultMergeable())) {
			return "its own handling of null or of merging";
		}
		if (state.serializerFactory() != BeanSerializerFactory.instance
				|| state.deserializerFactory() != BeanDeserializerFactory.instance
				|| state.serializationContexts().getClass() != SerializationContexts.DefaultImpl.class
				|| state.deserializationContexts().getClass() != DeserializationContexts.DefaultImpl.class) {
			return "its own serializer or deserializer factory";
		}
		return null;
	}

	/**
	 * Jackson does not report what a module has added, so the module adds it once more,
	 * to a recorder.
	 */
	private @Nullable String replay(JacksonModule module) {
		String name = module.getClass().getName();
		List<String> unknown = new ArrayList<>();
		JacksonModule.SetupContext context = (JacksonModule.SetupContext) Proxy.newProxyInstance(
				JacksonModule.SetupContext.class.getClassLoader(), new Class<?>[] { JacksonModule.SetupContext.class },
				(proxy, method, arguments) -> record(name, proxy, method, arguments, unknown));
		try {
			module.setupModule(context);
		}
		catch (RuntimeException | LinkageError ex) {
			return "module %s of the application's JsonMapper cannot be examined: %s".formatted(name, ex);
		}
		return unknown.isEmpty() ? null
				: "module %s of the application's JsonMapper uses %s".formatted(name, unknown.get(0));
	}

	private @Nullable Object record(String module, Object proxy, Method method, @Nullable Object @Nullable [] arguments,
			List<String> unknown) {
		Object first = (arguments != null && arguments.length > 0) ? arguments[0] : null;
		switch (method.getName()) {
			case "addSerializers" -> {
				if (first instanceof SimpleSerializers serializers && first.getClass() == SimpleSerializers.class) {
					this.registrations.add(new Registration(module, (type) -> handles(serializers, type)));
				}
				else {
					unknown.add(method.getName());
				}
			}
			case "addDeserializers" -> {
				if (first instanceof SimpleDeserializers deserializers
						&& first.getClass() == SimpleDeserializers.class) {
					this.registrations.add(new Registration(module,
							(type) -> deserializers.hasDeserializerFor(this.mapper.deserializationConfig(), type)));
				}
				else {
					unknown.add(method.getName());
				}
			}
			// Mix-ins are looked up per type; subtypes matter to polymorphic types only.
			case "setMixIn", "registerSubtypes" -> {
			}
			case "getMapperVersion" -> {
				return this.mapper.version();
			}
			case "getFormatName" -> {
				return this.mapper.tokenStreamFactory().getFormatName();
			}
			case "getOwner" -> {
				return this.mapper.rebuild();
			}
			case "typeFactory" -> {
				return this.mapper.getTypeFactory();
			}
			case "tokenStreamFactory" -> {
				return this.mapper.tokenStreamFactory();
			}
			case "isEnabled", "datatypeFeatures" -> throw new IllegalStateException("it depends on features");
			case "toString" -> {
				return "SetupContext";
			}
			case "hashCode" -> {
				return 0;
			}
			case "equals" -> {
				return proxy == first;
			}
			default -> unknown.add(method.getName());
		}
		return method.getReturnType().isInstance(proxy) ? proxy : null;
	}

	/** {@link SimpleSerializers} looks at nothing but the class. */
	private boolean handles(SimpleSerializers serializers, Class<?> type) {
		return serializers.findSerializer(this.mapper.serializationConfig(), this.mapper.constructType(type), null,
				null) != null;
	}

	private record Registration(String module, Predicate<Class<?>> handles) {
	}

}
