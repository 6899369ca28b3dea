package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A body that travels as it is: bytes, or text in UTF-8. HTTP's own converters for these
 * types do not ask Jackson either.
 */
enum RawBody {

	BYTES {
		@Override
		void write(Object value, EncodeBuffer out) {
			byte[] bytes = (byte[]) value;
			out.write(bytes, 0, bytes.length);
		}

		@Override
		Object read(byte[] bytes, int offset, int length) {
			return Arrays.copyOfRange(bytes, offset, offset + length);
		}
	},

	BUFFER {
		@Override
		void write(Object value, EncodeBuffer out) {
			ByteBuffer source = ((ByteBuffer) value).duplicate();
			int length = source.remaining();
			out.ensureWritable(length);
			source.get(out.array(), out.size(), length);
			out.size(out.size() + length);
		}

		@Override
		Object read(byte[] bytes, int offset, int length) {
			return ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length));
		}
	},

	TEXT {
		@Override
		void write(Object value, EncodeBuffer out) {
			String text = value.toString();
			// In parts, so that the buffer can refuse a large text before it is copied.
			int to;
			for (int from = 0; from < text.length(); from = to) {
				to = Math.min(text.length(), from + TEXT_PART_CHARS);
				if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
					to--;
				}
				byte[] utf8 = text.substring(from, to).getBytes(StandardCharsets.UTF_8);
				out.write(utf8, 0, utf8.length);
			}
		}

		@Override
		Object read(byte[] bytes, int offset, int length) {
			String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
			if (text.indexOf(REPLACEMENT) >= 0) {
				// Either the text contains it, or the bytes are not UTF-8.
				return strict(bytes, offset, length);
			}
			return text;
		}
	};

	private static final int TEXT_PART_CHARS = 256 * 1024;

	private static final char REPLACEMENT = '\uFFFD';

	private static final int NULL = 0;

	private static final int VALUE = 1;

	/** Returns how values of a type travel alone, or {@code null} for all other types. */
	static @Nullable RawBody of(Type type) {
		if (type == byte[].class) {
			return BYTES;
		}
		if (type == ByteBuffer.class) {
			return BUFFER;
		}
		return (type == String.class || type == CharSequence.class) ? TEXT : null;
	}

	void encode(@Nullable Object value, EncodeBuffer out) {
		if (value == null) {
			out.write(NULL);
			return;
		}
		out.write(VALUE);
		try {
			write(value, out);
		}
		catch (ClassCastException ex) {
			throw new CodecException("%s is not of the contract's type".formatted(value.getClass().getName()), ex);
		}
	}

	@Nullable Object decode(byte[] bytes, int offset, int length) {
		if (length == 1 && bytes[offset] == NULL) {
			return null;
		}
		if (length < 1 || bytes[offset] != VALUE) {
			throw new CodecException("A body must begin with 0 for null or 1 for a value", null);
		}
		return read(bytes, offset + 1, length - 1);
	}

	abstract void write(Object value, EncodeBuffer out);

	abstract Object read(byte[] bytes, int offset, int length);

	private static String strict(byte[] bytes, int offset, int length) {
		try {
			CharBuffer text = StandardCharsets.UTF_8.newDecoder()
				.onMalformedInput(CodingErrorAction.REPORT)
				.onUnmappableCharacter(CodingErrorAction.REPORT)
				.decode(ByteBuffer.wrap(bytes, offset, length));
			return text.toString();
		}
		catch (CharacterCodingException ex) {
			throw new CodecException("A text is not UTF-8", ex);
		}
	}

}
