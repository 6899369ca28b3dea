package io.github.vicinal.benchmarks.topic;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/** Aeron's IPC, with a driver in a process of its own and back-off where it waits. */
final class AeronTopics implements TopicSystem {

	private static final String CHANNEL = "aeron:ipc";

	private static final int STREAM = 7;

	private static final int FRAGMENTS = 64;

	private static final int FRAGMENT_BYTES = 65504;

	private static final int TERM_BYTES = 16 << 20;

	private static final long PATIENCE_NANOS = TimeUnit.HOURS.toNanos(1);

	private static String directory(Path directory) {
		return directory.resolve("aeron").toString();
	}

	@Override
	public AutoCloseable driver(Place place) {
		return MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(directory(place.directory()))
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

	private static Aeron aeron(Place place) {
		return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory(place.directory()))
			.driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS)));
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		Aeron aeron = aeron(place);
		Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
		FragmentHandler assembled = new FragmentAssembler((buffer, offset, length, header) -> {
			byte[] message = new byte[length];
			buffer.getBytes(offset, message);
			handler.accept(message);
		});
		Thread thread = new Thread(() -> {
			IdleStrategy idle = new BackoffIdleStrategy();
			while (!Thread.currentThread().isInterrupted()) {
				idle.idle(subscription.poll(assembled, FRAGMENTS));
			}
		}, "aeron-subscriber");
		thread.setDaemon(true);
		thread.start();
		return aeron;
	}

	@Override
	public Publisher publisher(Place place) {
		Aeron aeron = aeron(place);
		Publication publication = aeron.addPublication(CHANNEL, STREAM);
		IdleStrategy blocked = new BackoffIdleStrategy();
		UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
		return new Publisher() {

			@Override
			public void publish(byte[] message) {
				buffer.wrap(message);
				blocked.reset();
				while (publication.offer(buffer) < 0) {
					if (publication.isClosed()) {
						throw new IllegalStateException("The publication has ended");
					}
					blocked.idle();
				}
			}

			@Override
			public void awaitSubscribers(int count) throws InterruptedException {
				while (!publication.isConnected()) {
					Thread.sleep(10);
				}
			}

			@Override
			public void close() {
				aeron.close();
			}

		};
	}

}
