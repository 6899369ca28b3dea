package io.github.vicinal.codec;

import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Texts come back as they were, around the lengths at which they are written otherwise.
 */
class FlatTextTests {

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 63, 64, 255, 256, 257, 2047, 2048, 2049, 4096, 5000, 100_000 })
	void textsComeBack(int length) {
		for (int limit : new int[] { 0x80, 0x100, 0x101, 0x10000 }) {
			Random random = new Random(length);
			StringBuilder text = new StringBuilder(length);
			for (int i = 0; i < length; i++) {
				// Also surrogates without their partner.
				text.append((char) random.nextInt(limit));
			}
			check(text.toString());
		}
	}

	@Test
	void oneWideCharAnywhereMakesATextWide() {
		for (int length : new int[] { 1, 100, 300, 2048, 2500, 5000 }) {
			for (int at : new int[] { 0, length / 2, length - 1 }) {
				StringBuilder text = new StringBuilder("\u00e4".repeat(length));
				text.setCharAt(at, '\u20ac');
				check(text.toString());
			}
		}
	}

	private static void check(String text) {
		EncodeBuffer out = new EncodeBuffer(4);
		out.write(42);
		FlatText.write(text, out);
		out.write(43);
		FlatInput in = new FlatInput(out.array(), 1, out.size() - 1);
		assertThat(in.readText()).isEqualTo(text);
		assertThat(in.readByte()).isEqualTo((byte) 43);
		assertThat(in.remaining()).isZero();
	}

}
