package io.github.vicinal.exchange;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class BodyPipeTests {

	private static final long LONG = TimeUnit.SECONDS.toNanos(30);

	private final BodyPipe pipe = new BodyPipe();

	private static ByteBuffer bytes(int length) {
		return ByteBuffer.wrap(new byte[length]);
	}

	@Test
	void writtenValuesAreRead() throws Exception {
		this.pipe.write(ByteBuffer.wrap(new byte[] { 1, 2, 3 }), LONG);
		this.pipe.end(null);
		byte[] target = new byte[5];
		assertThat(this.pipe.read(target, 1, 4, LONG)).isEqualTo(3);
		assertThat(target).containsExactly(0, 1, 2, 3, 0);
		assertThat(this.pipe.read(target, 0, 5, LONG)).isEqualTo(-1);
		assertThat(this.pipe.isDrained()).isTrue();
	}

	@Test
	void aContentHasEnded() throws Exception {
		ByteBuffer content = ByteBuffer.wrap(new byte[] { 9, 8, 7, 6 }, 1, 2);
		BodyPipe whole = BodyPipe.of(content);
		byte[] target = new byte[5];
		assertThat(whole.read(target, 0, 5, LONG)).isEqualTo(2);
		assertThat(target).startsWith(8, 7);
		assertThat(whole.isDrained()).isTrue();
		assertThat(content.remaining()).isEqualTo(2);
	}

	@Test
	void aWriterWaitsForRoom() throws Exception {
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			try {
				this.pipe.write(bytes(3 * BodyPipe.LIMIT_BYTES), LONG);
				this.pipe.end(null);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
		long read = 0;
		while (!this.pipe.isDrained()) {
			assertThat(this.pipe.awaitPart(LONG)).isTrue();
			assertThat(this.pipe.available()).isLessThanOrEqualTo(BodyPipe.LIMIT_BYTES);
			read += this.pipe.take().remaining();
		}
		writer.get(30, TimeUnit.SECONDS);
		assertThat(read).isEqualTo(3 * BodyPipe.LIMIT_BYTES);
	}

	/** A socket sends a full buffer, whether it was flushed or not. */
	@Test
	void whatWasSentComesWhenNothingFollows() throws Exception {
		this.pipe.write(bytes(100), LONG);
		assertThat(this.pipe.awaitPart(1_000_000)).isFalse();
		this.pipe.sent();
		assertThat(this.pipe.awaitPart(0)).isFalse();
		assertThat(this.pipe.awaitPart(LONG)).isTrue();
		assertThat(this.pipe.take().remaining()).isEqualTo(100);
		this.pipe.write(bytes(100), LONG);
		assertThat(this.pipe.awaitPart(10_000_000)).isFalse();
	}

	/** Those who look now and then see it, too. */
	@Test
	void whatWasSentIsThereALittleLaterWhoeverWaits() throws Exception {
		this.pipe.write(bytes(100), LONG);
		this.pipe.sent();
		await().until(() -> this.pipe.awaitPart(0));
		assertThat(this.pipe.take().remaining()).isEqualTo(100);
		assertThat(this.pipe.awaitPart(0)).isFalse();
	}

	@Test
	void whatFollowsDoesNotHoldItBack() throws Exception {
		this.pipe.write(bytes(100), LONG);
		this.pipe.sent();
		AtomicBoolean done = new AtomicBoolean();
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			while (!done.get()) {
				put(bytes(1));
				LockSupport.parkNanos(100_000);
			}
		});
		assertThat(this.pipe.awaitPart(LONG)).isTrue();
		assertThat(this.pipe.available()).isLessThan(BodyPipe.LIMIT_BYTES);
		done.set(true);
		writer.join();
	}

	private void put(ByteBuffer bytes) {
		assertThat(this.pipe.put(bytes)).isTrue();
	}

	@Test
	void whatWasSentIsNotWaitedForWithoutBytes() throws Exception {
		this.pipe.sent();
		assertThat(this.pipe.awaitPart(10_000_000)).isFalse();
		this.pipe.write(bytes(1), LONG);
		assertThat(this.pipe.awaitPart(LONG)).isTrue();
	}

	@Test
	void aWriterThatNobodyReadsFailsInTime() throws Exception {
		this.pipe.write(bytes(BodyPipe.LIMIT_BYTES), LONG);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> this.pipe.write(bytes(1), 1_000_000));
	}

	@Test
	void aReaderThatGetsNothingFailsInTime() {
		assertThatExceptionOfType(SocketTimeoutException.class)
			.isThrownBy(() -> this.pipe.read(new byte[1], 0, 1, 1_000_000));
	}

	@Test
	void aWriterLearnsThatNobodyReadsAnyMore() throws Exception {
		this.pipe.write(bytes(BodyPipe.LIMIT_BYTES), LONG);
		CompletableFuture<String> writer = CompletableFuture.supplyAsync(() -> {
			try {
				this.pipe.write(bytes(1), LONG);
				return "written";
			}
			catch (IOException ex) {
				return String.valueOf(ex.getMessage());
			}
		});
		this.pipe.stopReading();
		assertThat(writer.get(30, TimeUnit.SECONDS)).startsWith("Broken pipe");
		assertThat(this.pipe.put(bytes(10))).isTrue();
		assertThat(this.pipe.available()).isZero();
	}

	@Test
	void aReaderLearnsWhyTheBodyEnds() throws Exception {
		this.pipe.write(bytes(1), LONG);
		this.pipe.end(new IOException("lost"));
		assertThat(this.pipe.read(new byte[4], 0, 4, LONG)).isEqualTo(1);
		assertThatIOException().isThrownBy(() -> this.pipe.read(new byte[4], 0, 4, LONG)).withMessage("lost");
	}

	@Test
	void aPartThatWasNotAskedForIsNotTaken() {
		assertThat(this.pipe.put(bytes(BodyPipe.LIMIT_BYTES))).isTrue();
		assertThat(this.pipe.hasRoom()).isFalse();
		assertThat(this.pipe.put(bytes(1))).isFalse();
		assertThat(this.pipe.available()).isEqualTo(BodyPipe.LIMIT_BYTES);
		this.pipe.take();
		assertThat(this.pipe.hasRoom()).isTrue();
		this.pipe.end(null);
		assertThat(this.pipe.put(bytes(1))).isFalse();
	}

	@Test
	void aWaitingReaderIsNotifiedOnce() throws Exception {
		AtomicInteger readable = new AtomicInteger();
		this.pipe.whenReadable(readable::incrementAndGet);
		assertThat(readable).hasValue(0);
		this.pipe.write(bytes(BodyPipe.LIMIT_BYTES), LONG);
		assertThat(readable).hasValue(1);
		AtomicInteger writable = new AtomicInteger();
		assertThat(this.pipe.isWritable(writable::incrementAndGet)).isFalse();
		this.pipe.read(new byte[10], 0, 10, LONG);
		this.pipe.read(new byte[10], 0, 10, LONG);
		assertThat(writable).hasValue(1);
		assertThat(this.pipe.isWritable(writable::incrementAndGet)).isTrue();
	}

	/** The limit falls when the thread that hands the body on has returned. */
	@Test
	void aWriterWithoutRoomIsNotifiedWhenThereIsSome() throws Exception {
		AtomicInteger writable = new AtomicInteger();
		this.pipe.limit(Integer.MAX_VALUE);
		assertThat(this.pipe.put(bytes(BodyPipe.LIMIT_BYTES), writable::incrementAndGet)).isTrue();
		this.pipe.limit(BodyPipe.LIMIT_BYTES);
		assertThat(this.pipe.put(bytes(1), writable::incrementAndGet)).isFalse();
		assertThat(this.pipe.awaitPart(0)).isTrue();
		assertThat(writable).hasValue(0);
		this.pipe.take();
		assertThat(writable).hasValue(1);
		assertThat(this.pipe.put(bytes(1), writable::incrementAndGet)).isTrue();
		assertThat(writable).hasValue(1);
	}

	@Test
	void aFlushShowsWhatIsThere() throws Exception {
		this.pipe.write(bytes(3), LONG);
		assertThat(this.pipe.awaitPart(0)).isFalse();
		this.pipe.flush();
		assertThat(this.pipe.awaitPart(0)).isTrue();
		assertThat(this.pipe.take().remaining()).isEqualTo(3);
		assertThat(this.pipe.awaitPart(0)).isFalse();
	}

	/** Two threads, parts of any size: the reader gets what the writer wrote. */
	@Test
	void nothingIsLostBetweenTwoThreads() throws Exception {
		int total = 20 << 20;
		CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
			Random random = new Random(1);
			try {
				int written = 0;
				while (written < total) {
					byte[] part = new byte[Math.min(total - written, 1 + random.nextInt(100_000))];
					for (int i = 0; i < part.length; i++) {
						part[i] = (byte) ((written + i) * 31 >> 3);
					}
					this.pipe.write(ByteBuffer.wrap(part), LONG);
					written += part.length;
				}
				this.pipe.end(null);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
		Random random = new Random(2);
		int read = 0;
		while (true) {
			ByteBuffer part;
			if (random.nextBoolean()) {
				byte[] target = new byte[1 + random.nextInt(50_000)];
				int count = this.pipe.read(target, 0, target.length, LONG);
				if (count < 0) {
					break;
				}
				part = ByteBuffer.wrap(target, 0, count);
			}
			else {
				part = this.pipe.take();
			}
			while (part.hasRemaining()) {
				int expected = (byte) (read * 31 >> 3);
				if (part.get() != expected) {
					throw new AssertionError("another byte at " + read);
				}
				read++;
			}
		}
		writer.get(30, TimeUnit.SECONDS);
		assertThat(read).isEqualTo(total);
	}

}
