package io.github.vicinal.benchmarks.topic;

import java.util.Objects;
import java.util.function.Consumer;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;

/** Chronicle Queue alone, whose subscribers poll with its balanced pauser. */
final class ChronicleQueueTopics implements TopicSystem {

	private static SingleChronicleQueue queue(Place place) {
		return SingleChronicleQueueBuilder.single(place.directory().resolve("queue").toFile()).build();
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		SingleChronicleQueue queue = queue(place);
		ExcerptTailer tailer = queue.createTailer().toEnd();
		tailer.singleThreadedCheckDisabled(true);
		Thread thread = new Thread(() -> {
			Pauser pauser = Pauser.balanced();
			while (!Thread.currentThread().isInterrupted()) {
				if (read(tailer, handler)) {
					pauser.reset();
				}
				else {
					pauser.pause();
				}
			}
		}, "chronicle-subscriber");
		thread.setDaemon(true);
		thread.start();
		return queue;
	}

	private static boolean read(ExcerptTailer tailer, Consumer<byte[]> handler) {
		byte[] message;
		try (DocumentContext document = tailer.readingDocument()) {
			if (!document.isPresent()) {
				return false;
			}
			Bytes<?> bytes = Objects.requireNonNull(document.wire()).bytes();
			message = new byte[(int) bytes.readRemaining()];
			bytes.read(message);
		}
		handler.accept(message);
		return true;
	}

	@Override
	public Publisher publisher(Place place) {
		SingleChronicleQueue queue = queue(place);
		ExcerptAppender appender = queue.createAppender();
		appender.singleThreadedCheckDisabled(true);
		Bytes<byte[]> bytes = Bytes.allocateElasticOnHeap(1024);
		return new Publisher() {

			@Override
			public void publish(byte[] message) {
				bytes.clear();
				bytes.write(message);
				appender.writeBytes(bytes);
			}

			@Override
			public void close() {
				appender.close();
				queue.close();
			}

		};
	}

}
