package io.github.vicinal.chronicle.path;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Pieces of frames, also those that no honest process writes. */
class FramePiecesTests {

	private static final int MAX_FRAME_BYTES = 10_000;

	private static final WireLimits LIMITS = new WireLimits(MAX_FRAME_BYTES, 16, 1000);

	private final FramePieces pieces = new FramePieces(LIMITS);

	private static byte[] frame(int body, Random random) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		byte[] bytes = new byte[body];
		random.nextBytes(bytes);
		out.write(bytes, 0, body);
		FrameDescriptor.correlation(out, start, 7);
		FrameDescriptor.end(out, start, FrameType.CALL);
		return Arrays.copyOf(out.array(), out.size());
	}

	@Test
	void framesComeOutAsTheyWere() throws Exception {
		Random random = new Random(1);
		for (int round = 0; round < 500; round++) {
			byte[] frame = frame(random.nextInt(MAX_FRAME_BYTES), random);
			int piece = FrameDescriptor.HEADER_BYTES + random.nextInt(4000);
			List<ReceivedFrame> received = new ArrayList<>();
			for (int from = 0; from < frame.length; from += piece) {
				assertThat(received).isEmpty();
				ReceivedFrame complete = this.pieces
					.add(Arrays.copyOfRange(frame, from, Math.min(frame.length, from + piece)));
				if (complete != null) {
					received.add(complete);
				}
			}
			assertThat(received).singleElement().satisfies((complete) -> {
				assertThat(complete.header().correlation).isEqualTo(7);
				assertThat(Arrays.copyOf(complete.bytes(), frame.length)).isEqualTo(frame);
				assertThat(complete.size()).isEqualTo(frame.length);
			});
		}
	}

	@Test
	void piecesThatDoNotFitAreRefused() throws Exception {
		byte[] frame = frame(5000, new Random(2));
		refused(new byte[0], "a frame begins with 0 bytes");
		refused(Arrays.copyOf(frame, 39), "a frame begins with 39 bytes");
		refused(Arrays.copyOf(frame, frame.length + 1), "that announces 5000");
		refused(frame(MAX_FRAME_BYTES + 1, new Random(3)), "larger than the limit of 10000 bytes");
		assertThat(this.pieces.add(Arrays.copyOf(frame, 1000))).isNull();
		refused(new byte[0], "a piece of 0 bytes where 4040 of a frame of 5040 are missing");
		refused(new byte[4041], "a piece of 4041 bytes");
	}

	private void refused(byte[] piece, String reason) {
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> this.pieces.add(piece))
			.withMessageContaining(reason);
	}

	@Test
	void piecesOfAnyBytesAreAFrameOrRefused() {
		Random random = new Random(4);
		int complete = 0;
		int refused = 0;
		for (int round = 0; round < 20_000; round++) {
			FramePieces fresh = new FramePieces(LIMITS);
			byte[] frame = frame(random.nextInt(300), random);
			for (int changes = random.nextInt(3); changes > 0; changes--) {
				frame[random.nextInt(FrameDescriptor.HEADER_BYTES)] ^= (byte) (1 + random.nextInt(255));
			}
			try {
				for (int from = 0; from < frame.length;) {
					int length = Math.min(frame.length - from, random.nextInt(200));
					ReceivedFrame received = fresh.add(Arrays.copyOfRange(frame, from, from + length));
					from += length;
					if (received != null) {
						assertThat(received.header().length).isBetween(0, MAX_FRAME_BYTES);
						assertThat(received.bytes().length).isGreaterThanOrEqualTo(received.size());
						complete++;
					}
				}
			}
			catch (WireException ex) {
				refused++;
			}
		}
		assertThat(complete).isPositive();
		assertThat(refused).isPositive();
	}

}
