package io.github.vicinal.boot.contract;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractJacksonHttpMessageConverter;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.ResourceHttpMessageConverter;
import org.springframework.http.converter.ResourceRegionHttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.util.ReflectionUtils;

/**
 * Decides whether message converters treat a body as typed paths do: bytes and texts as
 * they are, all else as JSON of the application's own mapper. The first converter that
 * can convert a body does, so that all in front of the one for JSON have to be known.
 */
public final class BodyConverters {

	/** In front of that for JSON they take only what typed paths do not carry. */
	private static final Set<String> INDIFFERENT = Set.of(ResourceHttpMessageConverter.class.getName(),
			ResourceRegionHttpMessageConverter.class.getName(),
			"org.springframework.http.converter.FormHttpMessageConverter",
			"org.springframework.http.converter.support.AllEncompassingFormHttpMessageConverter",
			"org.springframework.http.converter.multipart.MultipartHttpMessageConverter");

	private BodyConverters() {
	}

	/**
	 * Finds a difference from the conversion of typed paths.
	 * @param converters message converters, in their order
	 * @param mapper the mapper that typed paths use
	 * @return what is different, or {@code null}
	 */
	public static @Nullable String difference(List<? extends HttpMessageConverter<?>> converters, JsonMapper mapper) {
		boolean bytes = false;
		boolean text = false;
		for (HttpMessageConverter<?> converter : converters) {
			Class<?> type = converter.getClass();
			if (type == JacksonJsonHttpMessageConverter.class) {
				return (bytes && text) ? json((JacksonJsonHttpMessageConverter) converter, mapper)
						: "a message converter for JSON in front of those for bytes and texts";
			}
			if (type == ByteArrayHttpMessageConverter.class || type == StringHttpMessageConverter.class) {
				if (!converter.getSupportedMediaTypes().contains(MediaType.ALL)) {
					return "a %s with media types of its own".formatted(type.getSimpleName());
				}
				bytes |= type == ByteArrayHttpMessageConverter.class;
				text |= type == StringHttpMessageConverter.class;
			}
			else if (!INDIFFERENT.contains(type.getName())) {
				return "message converter " + type.getName();
			}
		}
		return "no message converter of Jackson for JSON";
	}

	private static @Nullable String json(JacksonJsonHttpMessageConverter converter, JsonMapper mapper) {
		if (converter.getMapper() != mapper) {
			return "a message converter with another JsonMapper than the application's";
		}
		if (!converter.getSupportedMediaTypes().contains(MediaType.APPLICATION_JSON)) {
			return "a message converter for JSON with media types of its own";
		}
		Object registrations = field(AbstractJacksonHttpMessageConverter.class, "mapperRegistrations", converter);
		if (registrations instanceof Map<?, ?> known && !known.keySet().stream().allMatch(BodyConverters::isOfBoot)) {
			return "a message converter with another JsonMapper for some types";
		}
		if (field(JacksonJsonHttpMessageConverter.class, "jsonPrefix", converter) != null) {
			return "a message converter with a prefix before JSON";
		}
		return null;
	}

	/** Actuator has a mapper of its own for what its endpoints return. */
	private static boolean isOfBoot(Object type) {
		return type instanceof Class<?> known && known.getName().startsWith("org.springframework.boot.");
	}

	/** A converter that cannot be inspected counts as different. */
	private static @Nullable Object field(Class<?> type, String name, Object target) {
		Field field = ReflectionUtils.findField(type, name);
		if (field == null) {
			return Map.of(name, "unknown");
		}
		ReflectionUtils.makeAccessible(field);
		return ReflectionUtils.getField(field, target);
	}

}
