package io.github.vicinal.transport.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import io.github.vicinal.codec.EncodeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FrameCompressionTests {

	private static final WireLimits LIMITS = new WireLimits(1 << 20, 100, 4096);

	private static final int SEED = 7;

	private static EncodeBuffer frame(byte[] body, int headerBlock) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(body, 0, body.length);
		FrameDescriptor.headerBlockLength(out, start, headerBlock);
		FrameDescriptor.correlation(out, start, 11);
		FrameDescriptor.binding(out, start, 12);
		FrameDescriptor.code(out, start, 13);
		FrameDescriptor.flags(out, start, FrameDescriptor.FLAG_TIMED);
		FrameDescriptor.end(out, start, FrameType.CALL);
		return out;
	}

	private static byte[] text(int length) {
		byte[] text = new byte[length];
		Random random = new Random(SEED);
		for (int i = 0; i < length; i++) {
			text[i] = (byte) ('a' + random.nextInt(4));
		}
		return text;
	}

	private static byte[] expand(byte[] frame, FrameHeader header) throws WireException {
		FrameDescriptor.read(frame, frame.length, header, LIMITS);
		return FrameCompression.expand(header, frame, LIMITS);
	}

	private static byte[] bytes(EncodeBuffer out) {
		return Arrays.copyOf(out.array(), out.size());
	}

	@ParameterizedTest
	@ValueSource(ints = { 100, 1024, 100_000, 1 << 20 })
	void compressedFramesComeBack(int length) throws WireException {
		byte[] body = text(length);
		EncodeBuffer frame = frame(body, 50);
		byte[] before = bytes(frame);
		EncodeBuffer compressed = FrameCompression.compress(frame);
		assertThat(compressed).isNotSameAs(frame);
		assertThat(compressed.size()).isLessThan(frame.size());
		assertThat(bytes(frame)).isEqualTo(before);
		FrameHeader header = new FrameHeader();
		assertThat(expand(bytes(compressed), header)).isEqualTo(body);
		assertThat(header.type).isEqualTo(FrameType.CALL);
		assertThat(header.length).isEqualTo(length);
		assertThat(header.headerBlockLength).isEqualTo(50);
		assertThat(header.bodyOffset).isZero();
		assertThat(header.correlation).isEqualTo(11);
		assertThat(header.binding).isEqualTo(12);
		assertThat(header.code).isEqualTo(13);
		assertThat(header.has(FrameDescriptor.FLAG_TIMED)).isTrue();
		assertThat(header.has(FrameDescriptor.FLAG_COMPRESSED)).isFalse();
	}

	/** They expand so far that the receiver's memory grows several times. */
	@Test
	void bodiesOfAnyLengthThatAreAllTheSameComeBack() throws WireException {
		for (int length = 20; length < 12_000; length++) {
			byte[] body = new byte[length];
			EncodeBuffer compressed = FrameCompression.compress(frame(body, 0));
			assertThat(compressed.array()).as("length %d", length).hasSize(compressed.size());
			assertThat(expand(bytes(compressed), new FrameHeader())).as("length %d", length).isEqualTo(body);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 8, 9, 5000 })
	void aFrameThatDoesNotGetShorterStaysAsItIs(int length) {
		byte[] noise = new byte[length];
		new Random(SEED).nextBytes(noise);
		EncodeBuffer frame = frame(noise, 0);
		assertThat(FrameCompression.compress(frame)).isSameAs(frame);
	}

	/** A side that has agreed on nothing can read a refusal. */
	@Test
	void refusalsStayAsTheyAre() {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		Payload.writeReason(out, "x".repeat(2000));
		FrameDescriptor.end(out, start, FrameType.REFUSED);
		assertThat(out.size()).isGreaterThan(1024);
		assertThat(FrameCompression.compress(out)).isSameAs(out);
	}

	@Test
	void lengthBeyondTheLimitIsRefusedBeforeMemoryIsTaken() {
		byte[] frame = bytes(FrameCompression.compress(frame(text(4096), 0)));
		frame[FrameDescriptor.HEADER_BYTES] = 0x7F;
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> expand(frame, new FrameHeader()))
			.returns(Refusal.TOO_LARGE, WireException::refusal);
	}

	@Test
	void longStreamBehindAShortLengthIsRefused() {
		byte[] frame = bytes(FrameCompression.compress(frame(new byte[1 << 20], 0)));
		frame[FrameDescriptor.HEADER_BYTES + 1] = 0;
		frame[FrameDescriptor.HEADER_BYTES + 2] = 1;
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> expand(frame, new FrameHeader()))
			.returns(Refusal.MALFORMED, WireException::refusal);
	}

	@Test
	void changedBytesAreRefusedOrExpandToTheAnnouncedLength() {
		byte[] frame = bytes(FrameCompression.compress(frame(text(3000), 20)));
		Random random = new Random(SEED);
		int refused = 0;
		for (int i = 0; i < 20_000; i++) {
			byte[] changed = frame.clone();
			for (int change = random.nextInt(3); change >= 0; change--) {
				changed[FrameDescriptor.HEADER_BYTES
						+ random.nextInt(changed.length - FrameDescriptor.HEADER_BYTES)] = (byte) random.nextInt(256);
			}
			FrameHeader header = new FrameHeader();
			try {
				assertThat(expand(changed, header)).hasSize(header.length);
				assertThat(header.headerBlockLength).isBetween(0, header.length);
			}
			catch (WireException ex) {
				refused++;
			}
		}
		assertThat(refused).isGreaterThan(1000);
	}

	@Test
	void cutOffAndLengthenedFramesAreRefused() {
		byte[] frame = bytes(FrameCompression.compress(frame(text(3000), 20)));
		for (int length = FrameDescriptor.HEADER_BYTES; length < frame.length + 5; length++) {
			byte[] other = Arrays.copyOf(frame, length);
			ByteBuffer.wrap(other).putInt(FrameDescriptor.LENGTH_OFFSET, length - FrameDescriptor.HEADER_BYTES);
			if (length != frame.length) {
				assertThatExceptionOfType(WireException.class).as("length %d", length)
					.isThrownBy(() -> expand(other, new FrameHeader()))
					.returns(Refusal.MALFORMED, WireException::refusal);
			}
		}
	}

}
