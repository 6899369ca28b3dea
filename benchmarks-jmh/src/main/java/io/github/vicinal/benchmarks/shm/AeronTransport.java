package io.github.vicinal.benchmarks.shm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron IPC with a media driver of its own: one stream of requests and one of answers,
 * everybody idles with Aeron's back-off. Fragments are as large as they can be, because
 * messages are.
 */
final class AeronTransport implements Transport {

	private static final String CHANNEL = "aeron:ipc";

	private static final int REQUESTS = 1;

	private static final int ANSWERS = 2;

	private static final int HEADER_BYTES = 16;

	private static final int CALLER_OFFSET = 8;

	private static final int FRAGMENT_BYTES = 65504;

	private static final int TERM_BYTES = 16 << 20;

	private static final int FRAGMENTS = 16;

	private static final int BUFFER_BYTES = (1 << 20) + HEADER_BYTES;

	/** All processes are halted while others are measured: nobody may miss them. */
	private static final long PATIENCE_NANOS = TimeUnit.HOURS.toNanos(1);

	/** Runs the driver until it is closed. */
	static AutoCloseable driver(Path directory) {
		return MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(aeronDirectory(directory))
			.threadingMode(ThreadingMode.SHARED)
			.sharedIdleStrategy(new BackoffIdleStrategy())
			.ipcMtuLength(FRAGMENT_BYTES)
			.ipcTermBufferLength(TERM_BYTES)
			.termBufferSparseFile(false)
			.clientLivenessTimeoutNs(PATIENCE_NANOS)
			.publicationUnblockTimeoutNs(2 * PATIENCE_NANOS)
			.dirDeleteOnStart(true)
			.dirDeleteOnShutdown(true));
	}

	private static String aeronDirectory(Path directory) {
		return directory.resolve("aeron").toString();
	}

	private static Aeron aeron(Path directory) {
		return Aeron.connect(new Aeron.Context().aeronDirectoryName(aeronDirectory(directory))
			.driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS)));
	}

	@Override
	public AutoCloseable serve(Path directory) {
		Aeron aeron = aeron(directory);
		Subscription requests = aeron.addSubscription(CHANNEL, REQUESTS);
		Publication answers = aeron.addPublication(CHANNEL, ANSWERS);
		Thread thread = new Thread(() -> {
			IdleStrategy idle = new BackoffIdleStrategy();
			IdleStrategy blocked = new BackoffIdleStrategy();
			FragmentHandler handler = new FragmentAssembler((buffer, offset, length, header) -> {
				Work.run(buffer.getInt(offset + HEADER_BYTES, ByteOrder.BIG_ENDIAN));
				offer(answers, buffer, offset, length, blocked);
			});
			while (!Thread.currentThread().isInterrupted()) {
				idle.idle(requests.poll(handler, FRAGMENTS));
			}
		}, "aeron-echo");
		thread.setDaemon(true);
		thread.start();
		return aeron;
	}

	private static void offer(Publication publication, DirectBuffer buffer, int offset, int length,
			IdleStrategy blocked) {
		blocked.reset();
		long position = publication.offer(buffer, offset, length);
		while (position < 0) {
			if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
				throw new IllegalStateException("The publication has ended: " + Publication.errorString(position));
			}
			blocked.idle();
			position = publication.offer(buffer, offset, length);
		}
	}

	@Override
	public Client connect(Path directory) {
		Aeron aeron = aeron(directory);
		return new AeronClient(aeron);
	}

	private static final class AeronClient extends SharedPoll implements Client {

		private final Aeron aeron;

		private final Publication requests;

		private final Subscription answers;

		private final byte[] latest = new byte[BUFFER_BYTES];

		private final FragmentHandler handler = new FragmentAssembler(
				(buffer, offset, length, header) -> receive(buffer, offset, length));

		AeronClient(Aeron aeron) {
			this.aeron = aeron;
			this.requests = aeron.addPublication(CHANNEL, REQUESTS);
			this.answers = aeron.addSubscription(CHANNEL, ANSWERS);
		}

		private void receive(DirectBuffer buffer, int offset, int length) {
			buffer.getBytes(offset + HEADER_BYTES, this.latest, 0, length - HEADER_BYTES);
			answered(buffer.getInt(offset + CALLER_OFFSET), buffer.getLong(offset), length - HEADER_BYTES);
		}

		@Override
		int poll() {
			return this.answers.poll(this.handler, FRAGMENTS);
		}

		@Override
		public Caller caller(int number) {
			UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(BUFFER_BYTES));
			buffer.putInt(CALLER_OFFSET, number);
			IdleStrategy blocked = new BackoffIdleStrategy();
			IdleStrategy idle = new BackoffIdleStrategy();
			return (body) -> {
				long sequence = buffer.getLong(0) + 1;
				buffer.putLong(0, sequence);
				buffer.putBytes(HEADER_BYTES, body);
				offer(this.requests, buffer, 0, HEADER_BYTES + body.length, blocked);
				idle.reset();
				return await(number, sequence, idle::idle);
			};
		}

		@Override
		public void close() {
			this.aeron.close();
		}

	}

}
