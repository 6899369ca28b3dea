package io.github.vicinal.boot.contract;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.format.annotation.DateTimeFormat.ISO;
import org.springframework.format.annotation.NumberFormat;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ValueConstants;

/**
 * The {@link ArgumentRule} of each parameter, by what its Spring annotation makes of it.
 */
final class ArgumentRules {

	/** Types that Spring writes as text and reads back as an equal value. */
	private static final Set<Class<?>> TEXT_IDENTITY = Set.of(boolean.class, Boolean.class, byte.class, Byte.class,
			short.class, Short.class, int.class, Integer.class, long.class, Long.class, float.class, Float.class,
			double.class, Double.class, BigInteger.class, BigDecimal.class, UUID.class, Instant.class);

	private static final Pattern SHARED_SEGMENT = Pattern.compile("\\}[^/]*\\{");

	private static final Pattern ALPHANUMERIC = Pattern.compile("[0-9A-Za-z]+");

	/** Headers of requests that servers act upon, whatever handlers do with them. */
	static final Set<String> MEANINGFUL = Set.of("accept", "accept-charset", "accept-encoding", "accept-language",
			"connection", "content-encoding", "content-length", "content-type", "cookie", "expect", "forwarded", "host",
			"if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "origin", "range",
			"transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port",
			"x-forwarded-prefix", "x-forwarded-proto", "x-http-method-override");

	private ArgumentRules() {
	}

	/** The rule of a parameter, or the reason why its method can only go by HTTP. */
	record RuleOrReason(@Nullable ArgumentRule rule, @Nullable String reason) {

		private static RuleOrReason because(String reason) {
			return new RuleOrReason(null, reason);
		}

		private static RuleOrReason of(ArgumentRule rule) {
			return new RuleOrReason(rule, null);
		}

	}

	static RuleOrReason of(MethodParameter parameter, Type type, String contentType, String path) {
		String name = "argument %d".formatted(parameter.getParameterIndex() + 1);
		RequestBody body = parameter.getParameterAnnotation(RequestBody.class);
		if (body != null) {
			return body(name, type, charset(contentType));
		}
		PathVariable pathVariable = parameter.getParameterAnnotation(PathVariable.class);
		if (pathVariable != null && SHARED_SEGMENT.matcher(path).find()) {
			return (type == String.class) ? RuleOrReason.of(ArgumentRules::partOfSegment)
					: RuleOrReason.because(name + " shares a path segment with another variable");
		}
		if (pathVariable != null) {
			return named(name, parameter, type, pathVariable.required(), null, ArgumentRules::pathText, false);
		}
		RequestParam param = parameter.getParameterAnnotation(RequestParam.class);
		if (param != null) {
			return named(name, parameter, type, param.required(), param.defaultValue(), ArgumentRules::anyText, true);
		}
		RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
		if (header != null && MEANINGFUL.contains(header.name().toLowerCase(Locale.ROOT))) {
			return RuleOrReason.because("the header %s has a meaning to servers".formatted(header.name()));
		}
		if (header != null) {
			return named(name, parameter, type, header.required(), header.defaultValue(), ArgumentRules::headerText,
					false);
		}
		CookieValue cookie = parameter.getParameterAnnotation(CookieValue.class);
		if (cookie != null) {
			return named(name, parameter, type, cookie.required(), cookie.defaultValue(), ArgumentRules::cookieText,
					false);
		}
		return RuleOrReason.because(name + " (" + type.getTypeName() + ") has a meaning to HTTP only");
	}

	/** The character set that texts are sent in; {@code null} for what clients choose. */
	private static @Nullable Charset charset(String contentType) {
		if (contentType.isEmpty()) {
			return null;
		}
		MediaType media = MediaType.parseMediaType(contentType);
		return (media.isCompatibleWith(MediaType.APPLICATION_JSON)) ? StandardCharsets.UTF_8 : media.getCharset();
	}

	private static RuleOrReason body(String name, Type type, @Nullable Charset charset) {
		Class<?> raw = ResolvableType.forType(type).toClass();
		String streaming = StreamingTypes.reason(raw);
		if (streaming != null) {
			return RuleOrReason.because(name + " " + streaming);
		}
		if (raw == Optional.class) {
			return RuleOrReason.because(name + " is an optional body");
		}
		return RuleOrReason.of((value) -> {
			if (value == null) {
				return "a null body is sent as no body";
			}
			if (ResultShape.asOverHttp(value) == null) {
				return "an empty text is sent as no body";
			}
			return (value instanceof String text) ? bodyText(text, charset) : null;
		});
	}

	private interface TextRule {

		@Nullable String onlyHttpBecause(String text);

	}

	private static RuleOrReason named(String name, MethodParameter parameter, Type type, boolean required,
			@Nullable String defaultValue, TextRule text, boolean collections) {
		boolean hasDefault = defaultValue != null && !defaultValue.equals(ValueConstants.DEFAULT_NONE);
		ResolvableType resolvable = ResolvableType.forType(type);
		Class<?> raw = resolvable.toClass();
		boolean optional = raw == Optional.class;
		boolean many = Collection.class.isAssignableFrom(raw) || raw.isArray();
		Class<?> element = raw;
		if (optional) {
			element = resolvable.getGeneric(0).toClass();
		}
		else if (many) {
			if (!collections) {
				return RuleOrReason.because(name + " has several values");
			}
			element = raw.isArray() ? raw.getComponentType() : resolvable.getGeneric(0).toClass();
			if (raw.isArray() && element.isPrimitive()) {
				return RuleOrReason.because(name + " (" + type.getTypeName() + ") is converted by Spring");
			}
			// A Collection is a set or a list, depending on how many values there are.
			if (!raw.isArray() && raw != List.class) {
				return RuleOrReason.because(name + " (" + type.getTypeName() + ") is converted by Spring");
			}
		}
		if (!isTextIdentity(parameter, element)) {
			return RuleOrReason.because(name + " (" + type.getTypeName() + ") is converted by Spring");
		}
		ArgumentRule one = element(element, text);
		return RuleOrReason.of((value) -> {
			if (value == null || (optional && ((Optional<?>) value).isEmpty())) {
				return (hasDefault || (required && !optional)) ? "a missing value is replaced or rejected by Spring"
						: (optional && value == null) ? "a missing Optional is replaced by Spring" : null;
			}
			if (optional) {
				Object present = ((Optional<?>) value).get();
				return (present instanceof String empty && empty.isEmpty()) ? "an empty text is converted by Spring"
						: one.onlyHttpBecause(present);
			}
			if (many) {
				return many(value, one);
			}
			if (hasDefault && value instanceof String empty && empty.isEmpty()) {
				return "an empty text is replaced by Spring";
			}
			return one.onlyHttpBecause(value);
		});
	}

	private static @Nullable String many(Object value, ArgumentRule one) {
		Collection<?> elements = (value instanceof Collection<?> collection) ? collection
				: Arrays.asList((Object[]) value);
		if (elements.isEmpty()) {
			return "an empty list is sent as no value";
		}
		if (elements.size() == 1 && elements.iterator().next() instanceof String text && !text.equals(text.trim())) {
			return "Spring trims a text that is alone in a list";
		}
		for (Object element : elements) {
			if (element == null) {
				return "a missing element is dropped by Spring";
			}
			if (element instanceof String text && (text.isEmpty() || text.indexOf(',') >= 0)) {
				return "a text with a comma in a list is split by Spring";
			}
			String reason = one.onlyHttpBecause(element);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

	private static boolean isTextIdentity(MethodParameter parameter, Class<?> element) {
		if (parameter.hasParameterAnnotation(NumberFormat.class)) {
			return false;
		}
		DateTimeFormat format = parameter.getParameterAnnotation(DateTimeFormat.class);
		if (format != null) {
			return (element == LocalDate.class && format.iso() == ISO.DATE)
					|| (element == LocalDateTime.class && format.iso() == ISO.DATE_TIME);
		}
		return element == String.class || element.isEnum() || TEXT_IDENTITY.contains(element);
	}

	private static ArgumentRule element(Class<?> element, TextRule text) {
		if (element == String.class) {
			return (value) -> (value != null) ? text.onlyHttpBecause((String) value) : null;
		}
		if (element == BigDecimal.class || element == BigInteger.class) {
			return (value) -> (value != null && value.getClass() != element)
					? "a subclass of " + element.getSimpleName() : null;
		}
		if (element.isEnum() && element.getEnumConstants() != null && hasUnsafeNames(element, text)) {
			return (value) -> (value != null) ? text.onlyHttpBecause(((Enum<?>) value).name()) : null;
		}
		return ArgumentRule.ANY;
	}

	private static boolean hasUnsafeNames(Class<?> type, TextRule text) {
		for (Object constant : type.getEnumConstants()) {
			if (text.onlyHttpBecause(((Enum<?>) constant).name()) != null) {
				return true;
			}
		}
		return false;
	}

	/**
	 * {@code RestClient} sends ISO-8859-1 and {@code WebClient} UTF-8 if nothing is said.
	 */
	private static @Nullable String bodyText(String text, @Nullable Charset charset) {
		if (StandardCharsets.UTF_8.equals(charset)) {
			return anyText(text);
		}
		for (int i = 0; i < text.length(); i++) {
			if (text.charAt(i) > '~') {
				return "a text body whose character set is not said to be UTF-8 holds ASCII only";
			}
		}
		return null;
	}

	private static @Nullable String anyText(String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (Character.isSurrogate(c)) {
				if (!Character.isHighSurrogate(c) || i + 1 == text.length()
						|| !Character.isLowSurrogate(text.charAt(i + 1))) {
					return "half a surrogate pair has no encoding";
				}
				i++;
			}
			else if (c == 0) {
				return "a NUL character is rejected by servers";
			}
		}
		return null;
	}

	/** If a segment holds two variables, the pattern decides where the first one ends. */
	private static @Nullable String partOfSegment(@Nullable Object value) {
		return (value instanceof String text && ALPHANUMERIC.matcher(text).matches()) ? null
				: "two path variables in one segment are separated by the server";
	}

	private static @Nullable String pathText(String text) {
		if (text.isEmpty() || text.equals(".") || text.equals("..")) {
			return "an empty or dotted path segment changes the path";
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
					|| c == '_' || c == '.' || c == '~' || (c == ' ' && i > 0 && i < text.length() - 1) || c == '@'
					|| c == ':' || c == '+' || c == ','
					|| (c > 0xBF && !Character.isSurrogate(c) && Character.isLetter(c));
			if (!plain) {
				return "a path segment with '%s' is treated specially by servers".formatted(c);
			}
		}
		return null;
	}

	private static @Nullable String headerText(String text) {
		if (text.isEmpty() || text.charAt(0) == ' ' || text.charAt(text.length() - 1) == ' ') {
			return "blanks around a header are dropped";
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c < ' ' || c > '~') {
				return "a header holds printable ASCII only";
			}
		}
		return null;
	}

	private static @Nullable String cookieText(String text) {
		if (text.isEmpty()) {
			return "an empty cookie is dropped by some servers";
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
					|| c == '_' || c == '.';
			if (!plain) {
				return "a cookie with '%s' is treated specially by servers".formatted(c);
			}
		}
		return null;
	}

}
