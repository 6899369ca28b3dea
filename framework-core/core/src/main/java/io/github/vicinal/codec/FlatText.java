package io.github.vicinal.codec;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Texts of the flat format. A header holds the number of chars and whether each takes one
 * byte, as in Latin-1, or two, as in UTF-16. Unlike UTF-8, this keeps unpaired
 * surrogates, and the JVM copies Latin-1 into a string as it is.
 */
final class FlatText {

	/** The header's lowest bit: one byte per char. */
	static final int LATIN1 = 0;

	/** The header's lowest bit: two bytes per char, the lower one first. */
	static final int UTF16 = 1;

	/** Maximum number of chars for which preparing an encoder does not pay. */
	private static final int SHORT_CHARS = 256;

	/** Number of chars that are encoded at a time. */
	private static final int PART_CHARS = 2048;

	private static final int MAX_LATIN1 = 0xFF;

	private FlatText() {
	}

	static void write(String text, EncodeBuffer out) {
		int length = text.length();
		int start = out.size();
		out.writeUnsigned(length << 1 | LATIN1);
		out.ensureWritable(length);
		if (length > SHORT_CHARS) {
			writeLong(text, start, out);
			return;
		}
		byte[] bytes = out.array();
		int from = out.size();
		for (int i = 0; i < length; i++) {
			char character = text.charAt(i);
			if (character > MAX_LATIN1) {
				out.size(start);
				writeUtf16(text, out);
				return;
			}
			bytes[from + i] = (byte) character;
		}
		out.size(from + length);
	}

	/** The JVM has an instruction sequence for the encoder's loop over an array. */
	private static void writeLong(String text, int start, EncodeBuffer out) {
		int length = text.length();
		char[] part = new char[Math.min(length, PART_CHARS)];
		CharBuffer source = CharBuffer.wrap(part);
		ByteBuffer target = ByteBuffer.wrap(out.array(), out.size(), length);
		CharsetEncoder encoder = StandardCharsets.ISO_8859_1.newEncoder();
		for (int from = 0; from < length; from += part.length) {
			int to = Math.min(length, from + part.length);
			text.getChars(from, to, part, 0);
			source.position(0).limit(to - from);
			if (!encoder.encode(source, target, to == length).isUnderflow()) {
				out.size(start);
				writeUtf16(text, out);
				return;
			}
		}
		out.size(target.position());
	}

	private static void writeUtf16(String text, EncodeBuffer out) {
		int length = text.length();
		out.writeUnsigned(length << 1 | UTF16);
		if (length > Integer.MAX_VALUE / Character.BYTES) {
			throw EncodeBuffer.tooLarge();
		}
		out.ensureWritable(Character.BYTES * length);
		byte[] bytes = out.array();
		int from = out.size();
		for (int i = 0; i < length; i++) {
			char character = text.charAt(i);
			bytes[from + 2 * i] = (byte) character;
			bytes[from + 2 * i + 1] = (byte) (character >>> Byte.SIZE);
		}
		out.size(from + Character.BYTES * length);
	}

	static String latin1(byte[] bytes, int offset, int length) {
		return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
	}

	static String utf16(byte[] bytes, int offset, int length) {
		char[] characters = new char[length];
		for (int i = 0; i < length; i++) {
			characters[i] = (char) ((bytes[offset + 2 * i] & 0xFF) | bytes[offset + 2 * i + 1] << Byte.SIZE);
		}
		return new String(characters);
	}

}
