package io.github.vicinal.boot.server;

import java.lang.reflect.Field;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Contexts of Spring that a thread hands on to threads that it starts, if it was told to.
 * Spring's holders do not say whether that is so. Where they cannot be looked into, as in
 * a native image, they count as not handed on.
 */
final class InheritedContexts {

	/** The request of {@link RequestContextHolder}. */
	static final InheritedContexts REQUEST = new InheritedContexts(RequestContextHolder.class,
			"inheritableRequestAttributesHolder");

	/** The locale of {@link LocaleContextHolder}. */
	static final InheritedContexts LOCALE = new InheritedContexts(LocaleContextHolder.class,
			"inheritableLocaleContextHolder");

	private final @Nullable ThreadLocal<?> holder;

	private InheritedContexts(Class<?> type, String field) {
		this.holder = holder(type, field);
	}

	private static @Nullable ThreadLocal<?> holder(Class<?> type, String name) {
		try {
			Field field = Arrays.stream(type.getDeclaredFields())
				.filter((each) -> each.getName().equals(name))
				.findFirst()
				.orElse(null);
			if (field == null) {
				return null;
			}
			field.setAccessible(true);
			return (ThreadLocal<?>) field.get(null);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Returns whether the calling thread hands a context on.
	 * @param context its context, {@code null} if it has none
	 */
	boolean holds(@Nullable Object context) {
		return context != null && this.holder != null && this.holder.get() == context;
	}

}
