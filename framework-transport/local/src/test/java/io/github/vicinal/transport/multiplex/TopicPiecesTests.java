package io.github.vicinal.transport.multiplex;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class TopicPiecesTests {

	private static final int LARGE = 1 << 19;

	private static final long LONG_NANOS = 60_000_000_000L;

	private final AtomicInteger resumed = new AtomicInteger();

	private final TopicPieces pieces = new TopicPieces(this.resumed::incrementAndGet);

	private int receive(long nanos) throws IOException {
		ByteBuffer piece = this.pieces.receive(nanos, "peer");
		return (piece != null) ? piece.remaining() : -1;
	}

	@Test
	void piecesComeInTheirOrder() throws IOException {
		assertThat(receive(0)).isEqualTo(-1);
		assertThat(receive(1000)).isEqualTo(-1);
		assertThat(this.pieces.add(new byte[1])).isFalse();
		assertThat(this.pieces.add(new byte[2])).isFalse();
		assertThat(receive(0)).isEqualTo(1);
		assertThat(receive(0)).isEqualTo(2);
		assertThat(receive(0)).isEqualTo(-1);
		assertThat(this.resumed).hasValue(0);
	}

	@Test
	void aReceiverIsWokenByAPiece() throws Exception {
		CompletableFuture<Integer> received = Async.call(() -> receive(LONG_NANOS));
		Async.await(() -> Async.isSomebodyIn("TopicPieces.receive", "ConditionObject.awaitNanos"));
		this.pieces.add(new byte[5]);
		assertThat(received.get()).isEqualTo(5);
	}

	/**
	 * Not for each piece: a connection that stops and reads by turns does little else.
	 */
	@Test
	void aConnectionReadsAgainWhenHalfIsLeft() throws IOException {
		assertThat(this.pieces.add(new byte[LARGE])).isFalse();
		assertThat(this.pieces.add(new byte[LARGE])).isFalse();
		assertThat(this.pieces.isFull()).isFalse();
		assertThat(this.pieces.add(new byte[LARGE])).isTrue();
		assertThat(this.pieces.add(new byte[1])).as("said once").isFalse();
		assertThat(receive(0)).isEqualTo(LARGE);
		assertThat(receive(0)).isEqualTo(LARGE);
		assertThat(this.pieces.isFull()).as("one byte more than half").isTrue();
		assertThat(this.resumed).hasValue(0);
		assertThat(receive(0)).isEqualTo(LARGE);
		assertThat(this.pieces.isFull()).isFalse();
		assertThat(this.resumed).hasValue(1);
		assertThat(receive(0)).isEqualTo(1);
		assertThat(this.resumed).hasValue(1);
	}

	@Test
	void whatHasArrivedComesBeforeTheEnd() throws IOException {
		this.pieces.add(new byte[3]);
		this.pieces.end("is gone");
		this.pieces.end("was left");
		assertThat(this.pieces.isOpen()).isFalse();
		assertThat(receive(0)).isEqualTo(3);
		assertThatExceptionOfType(EOFException.class).isThrownBy(() -> receive(LONG_NANOS)).withMessage("peer is gone");
	}

	@Test
	void sendersWaitForRoom() throws Exception {
		AtomicBoolean room = new AtomicBoolean(true);
		this.pieces.awaitRoom(room::get, "peer");
		room.set(false);
		CompletableFuture<Boolean> first = sender(room);
		CompletableFuture<Boolean> second = sender(room);
		Async.await(() -> Async.isSomebodyIn("TopicPieces.awaitRoom", "ConditionObject.await"));
		this.pieces.roomChanged();
		assertThat(first).isNotDone();
		room.set(true);
		this.pieces.roomChanged();
		assertThat(first.get()).isTrue();
		assertThat(second.get()).isTrue();
	}

	private CompletableFuture<Boolean> sender(AtomicBoolean room) {
		return Async.call(() -> {
			this.pieces.awaitRoom(room::get, "peer");
			return true;
		});
	}

	@Test
	void theEndReleasesThoseWhoWait() throws Exception {
		CompletableFuture<Boolean> sender = sender(new AtomicBoolean());
		CompletableFuture<Integer> receiver = Async.call(() -> receive(LONG_NANOS));
		Async.await(() -> Async.isSomebodyIn("TopicPieces.awaitRoom", "ConditionObject.await")
				&& Async.isSomebodyIn("TopicPieces.receive", "ConditionObject.awaitNanos"));
		this.pieces.end("was left");
		assertThatThrownBy(sender::get).cause().isInstanceOf(EOFException.class).hasMessage("peer was left");
		assertThatThrownBy(receiver::get).cause().isInstanceOf(EOFException.class).hasMessage("peer was left");
	}

	@Test
	void interruptsAreKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> receive(LONG_NANOS)).withMessage("interrupted");
		assertThat(Thread.interrupted()).isTrue();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.pieces.awaitRoom(() -> false, "peer"))
			.withMessage("interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

}
