package io.github.vicinal.transport.wire;

import java.util.Objects;

import io.github.vicinal.codec.EncodeBuffer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class OutBufferTests {

	private static final byte[] LARGE = new byte[1 << 20];

	private final HeapBudget budget = new HeapBudget(2 << 20);

	private final OutBuffer buffer = new OutBuffer();

	@Test
	void largeFrameIsCoveredUntilTheBufferIsCleared() {
		this.buffer.heap(this.budget);
		this.buffer.begin(64 << 20, 0).write(LARGE, 0, LARGE.length);
		assertThat(this.budget.bytes()).isBetween((long) LARGE.length, LARGE.length + 8192L);
		this.buffer.clear();
		assertThat(this.budget.bytes()).isZero();
		assertThat(this.buffer.bytes().array()).hasSizeLessThanOrEqualTo(FrameChannel.KEEP_BYTES);
	}

	@Test
	void frameThatFindsNoHeapIsRefusedAndTakesNone() {
		this.buffer.heap(this.budget);
		HeapBudget.Lease other = this.budget.lease();
		other.cover(2 << 20);
		EncodeBuffer out = this.buffer.begin(64 << 20, 0);
		assertThatIllegalStateException().isThrownBy(() -> out.write(LARGE, 0, LARGE.length))
			.withMessageContaining("vicinal.shm.max-heap-per-peer");
		assertThat(Objects.requireNonNull(this.buffer.refusal()).refusal()).isEqualTo(Refusal.CONNECTIONS);
		assertThat(out.array()).hasSizeLessThan(LARGE.length);
		assertThat(this.budget.bytes()).isEqualTo(2 << 20);
		other.reduce(0);
		this.buffer.begin(64 << 20, 0).write(LARGE, 0, LARGE.length);
		assertThat(this.buffer.refusal()).isNull();
	}

	@Test
	void frameThatIsTooLargeIsRefusedBeforeItTakesHeap() {
		this.buffer.heap(this.budget);
		EncodeBuffer out = this.buffer.begin(512 << 10, 0);
		assertThatIllegalStateException().isThrownBy(() -> out.write(LARGE, 0, LARGE.length));
		assertThat(Objects.requireNonNull(this.buffer.refusal()).refusal()).isEqualTo(Refusal.TOO_LARGE);
		assertThat(out.array()).hasSizeLessThan(LARGE.length);
		assertThat(this.budget.bytes()).isZero();
	}

	/** A codec that writes piece by piece. */
	@Test
	void bufferStopsGrowingOnceTheFrameIsTooLarge() {
		this.buffer.heap(new HeapBudget(64 << 20));
		EncodeBuffer out = this.buffer.begin(1 << 20, 0);
		assertThatIllegalStateException().isThrownBy(() -> {
			for (int i = 0; i < 64 << 20; i++) {
				out.write(i);
			}
		});
		assertThat(out.array()).hasSizeLessThanOrEqualTo(4 << 20);
	}

}
