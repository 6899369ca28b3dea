package io.github.vicinal.benchmarks.shm;

import java.nio.file.Path;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

/**
 * Two Chronicle queues, one of requests and one of answers, polled with its balanced
 * pauser. The files are on a file system in memory.
 */
final class ChronicleTransport implements Transport {

	private static final int MAX_BYTES = 1 << 20;

	private static ChronicleQueue queue(Path directory, String name) {
		return SingleChronicleQueueBuilder.binary(directory.resolve("chronicle-" + name)).build();
	}

	@Override
	public AutoCloseable serve(Path directory) {
		ChronicleQueue requests = queue(directory, "requests");
		ChronicleQueue answers = queue(directory, "answers");
		Thread thread = new Thread(() -> echo(requests, answers), "chronicle-echo");
		thread.setDaemon(true);
		thread.start();
		return () -> {
			thread.interrupt();
			thread.join();
			requests.close();
			answers.close();
		};
	}

	private static void echo(ChronicleQueue requests, ChronicleQueue answers) {
		ExcerptTailer tailer = requests.createTailer().toEnd();
		ExcerptAppender appender = answers.createAppender();
		Pauser pauser = Pauser.balanced();
		byte[] body = new byte[MAX_BYTES];
		while (!Thread.currentThread().isInterrupted()) {
			int caller;
			long sequence;
			int length;
			try (DocumentContext document = tailer.readingDocument()) {
				Wire wire = document.wire();
				if (!document.isPresent() || wire == null) {
					pauser.pause();
					continue;
				}
				Bytes<?> bytes = wire.bytes();
				caller = bytes.readInt();
				sequence = bytes.readLong();
				length = bytes.readInt();
				bytes.read(body, 0, length);
			}
			pauser.reset();
			Work.run(body);
			write(appender, caller, sequence, body, length);
		}
	}

	private static void write(ExcerptAppender appender, int caller, long sequence, byte[] body, int length) {
		try (DocumentContext document = appender.writingDocument()) {
			Wire wire = document.wire();
			if (wire == null) {
				throw new IllegalStateException("There is no document to write to");
			}
			wire.bytes().writeInt(caller).writeLong(sequence).writeInt(length).write(body, 0, length);
		}
	}

	@Override
	public Client connect(Path directory) {
		return new ChronicleClient(queue(directory, "requests"), queue(directory, "answers"));
	}

	private static final class ChronicleClient extends SharedPoll implements Client {

		private final ChronicleQueue requests;

		private final ChronicleQueue answers;

		private final ExcerptTailer tailer;

		private final byte[] latest = new byte[MAX_BYTES];

		ChronicleClient(ChronicleQueue requests, ChronicleQueue answers) {
			this.requests = requests;
			this.answers = answers;
			this.tailer = answers.createTailer().toEnd();
			this.tailer.singleThreadedCheckDisabled(true);
		}

		@Override
		int poll() {
			try (DocumentContext document = this.tailer.readingDocument()) {
				Wire wire = document.wire();
				if (!document.isPresent() || wire == null) {
					return 0;
				}
				Bytes<?> bytes = wire.bytes();
				int caller = bytes.readInt();
				long sequence = bytes.readLong();
				int length = bytes.readInt();
				bytes.read(this.latest, 0, length);
				answered(caller, sequence, length);
				return 1;
			}
		}

		@Override
		public Caller caller(int number) {
			ExcerptAppender appender = this.requests.createAppender();
			appender.singleThreadedCheckDisabled(true);
			Pauser pauser = Pauser.balanced();
			long[] sequence = new long[1];
			return (body) -> {
				write(appender, number, ++sequence[0], body, body.length);
				pauser.reset();
				return await(number, sequence[0], (work) -> {
					if (work > 0) {
						pauser.reset();
					}
					else {
						pauser.pause();
					}
				});
			};
		}

		@Override
		public void close() {
			this.requests.close();
			this.answers.close();
		}

	}

}
