package io.github.vicinal.stream;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.util.MimeType;

/** Types of headers that travel. A content type arrives as text, as elsewhere. */
enum HeaderType {

	TEXT(String.class, Function.identity()), BOOLEAN(Boolean.class, HeaderType::bool), BYTE(Byte.class, Byte::valueOf),
	SHORT(Short.class, Short::valueOf), INTEGER(Integer.class, Integer::valueOf), LONG(Long.class, Long::valueOf),
	FLOAT(Float.class, Float::valueOf), DOUBLE(Double.class, Double::valueOf),
	BIG_INTEGER(BigInteger.class, BigInteger::new), BIG_DECIMAL(BigDecimal.class, BigDecimal::new),
	UUID(UUID.class, java.util.UUID::fromString), BYTES(byte[].class, Base64.getDecoder()::decode);

	private final Class<?> type;

	@SuppressWarnings("ImmutableEnumChecker") // references to methods without state
	private final Function<String, Object> reader;

	HeaderType(Class<?> type, Function<String, ?> reader) {
		this.type = type;
		this.reader = reader::apply;
	}

	private static Object bool(String value) {
		if (!value.equals("true") && !value.equals("false")) {
			throw new IllegalArgumentException(value);
		}
		return Boolean.valueOf(value);
	}

	/** Returns the type of a value, {@code null} if it does not travel. */
	static @Nullable HeaderType of(Object value) {
		if (value instanceof MimeType || value instanceof Charset || value instanceof Enum<?>) {
			return TEXT;
		}
		for (HeaderType each : values()) {
			if (each.type.isInstance(value)) {
				return each;
			}
		}
		return null;
	}

	/** Returns the type of a name, text if there is none. */
	static HeaderType named(@Nullable String word) {
		for (HeaderType each : values()) {
			if (each.word().equals(word)) {
				return each;
			}
		}
		return TEXT;
	}

	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

	String write(Object value) {
		return (value instanceof byte[] bytes) ? Base64.getEncoder().encodeToString(bytes) : value.toString();
	}

	Object read(String value) {
		return this.reader.apply(value);
	}

}
