package io.github.vicinal.boot.client;

import java.lang.reflect.Field;
import java.util.regex.Pattern;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;

/** Decides whether arguments become the texts that typed paths assume. */
final class Conversions {

	private static final String FIELD = "conversionService";

	/** State that distinguishes one object of a class from another. */
	private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]+");

	private Conversions() {
	}

	/**
	 * Compares how a resolver of arguments makes texts of them.
	 * @param resolver one of Spring's
	 * @return what is different from typed paths, or {@code null}
	 */
	static @Nullable String difference(Object resolver) throws UnknownLayoutException {
		Object service = has(resolver.getClass()) ? Fields.get(resolver, FIELD) : null;
		if (service == null) {
			return null;
		}
		boolean standard = service.getClass() == DefaultFormattingConversionService.class
				&& content((ConversionService) service).equals(Standard.CONTENT);
		return standard ? null : "conversion service of its own";
	}

	/** A conversion service lists its converters, but for the order of some. */
	private static String content(ConversionService service) {
		return IDENTITY.matcher(service.toString()).replaceAll("");
	}

	private static boolean has(Class<?> resolver) {
		for (Class<?> type = resolver; type != null; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (field.getName().equals(FIELD)) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Converters of a service as Spring makes it. To make one takes milliseconds, and
	 * each channel looks at several resolvers.
	 */
	private static final class Standard {

		static final String CONTENT = content(new DefaultFormattingConversionService());

	}

}
