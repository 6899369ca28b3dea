package io.github.vicinal.chronicle;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.observation.TopicObservations;

/**
 * The publisher's side of a durable topic: appends, then rings the bell if a subscriber
 * may be asleep.
 */
final class ChronicleTopic<T> implements Topic<T> {

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final TopicSettings<T> settings;

	private final MessageCodec<T> codec;

	private final OpenTopic topic;

	private final String publisher;

	/** How the publisher is written in messages without headers. */
	private final byte[] withoutHeaders;

	private final ChronicleOptions options;

	private final TopicObservations observations;

	private final Bell bell;

	private final Consumer<ChronicleTopic<?>> onClose;

	private final LongAdder published = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	private final LongAdder refused = new LongAdder();

	private volatile boolean closed;

	ChronicleTopic(TopicSettings<T> settings, MessageCodec<T> codec, OpenTopic topic, String publisher,
			ChronicleOptions options, TopicObservations observations, Bell bell, Consumer<ChronicleTopic<?>> onClose) {
		this.settings = settings;
		this.codec = codec;
		this.topic = topic;
		this.publisher = publisher;
		this.withoutHeaders = DurableRecord.names(publisher, Map.of());
		this.options = options;
		this.observations = observations;
		this.bell = bell;
		this.onClose = onClose;
	}

	@Override
	public TopicSettings<T> settings() {
		return this.settings;
	}

	@Override
	public void publish(T payload, Map<String, String> headers) {
		if (this.observations.isNoop()) {
			send(payload, headers);
			return;
		}
		this.observations.publish(this.settings, headers, (all) -> send(payload, all));
	}

	@Override
	public void publishWritten(byte[] written, Map<String, String> headers) {
		if (this.observations.isNoop()) {
			sendWritten(written, headers);
			return;
		}
		this.observations.publish(this.settings, headers, (all) -> sendWritten(written, all));
	}

	private void sendWritten(byte[] written, Map<String, String> headers) {
		requireOpen();
		append(DurableRecord.write(names(headers), micros(), written, written.length));
		wake();
	}

	@Override
	public void publishAll(Iterable<? extends T> payloads, Map<String, String> headers) {
		if (!this.observations.isNoop()) {
			payloads.forEach((payload) -> publish(payload, headers));
			return;
		}
		try {
			for (T payload : payloads) {
				append(payload, headers);
			}
		}
		finally {
			wake();
		}
	}

	private void send(T payload, Map<String, String> headers) {
		append(payload, headers);
		wake();
	}

	private void wake() {
		Sleepers sleepers = this.topic.sleepers();
		// Publishers whose bell reaches somebody are left the announcement.
		if (sleepers.isAnnounced() && this.bell.isHeard()) {
			sleepers.take();
			this.bell.ring();
		}
	}

	private void append(T payload, Map<String, String> headers) {
		requireOpen();
		append(record(payload, headers));
	}

	private void append(byte[] record) {
		int longest = this.options.blockBytes() / 4;
		if (record.length > longest) {
			throw new TopicException(
					"A message of the durable topic '%s' may have %d bytes with its headers, a quarter of a block, and this one has %d: set larger blocks"
						.formatted(this.settings.name(), longest, record.length));
		}
		awaitRoom(record.length);
		this.topic.log().append(record);
		this.published.increment();
	}

	private void requireOpen() {
		if (this.closed) {
			throw new TopicException("Topic '%s' is closed at this publisher".formatted(this.settings.name()));
		}
	}

	private static long micros() {
		Instant now = Instant.now();
		return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
	}

	private byte[] record(T payload, Map<String, String> headers) {
		long micros = micros();
		byte[] bytes = this.codec.bytes(payload);
		if (bytes != null) {
			return DurableRecord.write(names(headers), micros, bytes, bytes.length);
		}
		EncodeBuffer buffer = new EncodeBuffer(256);
		this.codec.encode(payload, buffer);
		return DurableRecord.write(names(headers), micros, buffer.array(), buffer.size());
	}

	private byte[] names(Map<String, String> headers) {
		if (headers.isEmpty()) {
			return this.withoutHeaders;
		}
		MessageCodec.requireHeaders(this.settings.name(), headers);
		return DurableRecord.names(this.publisher, headers);
	}

	private void awaitRoom(int wanted) {
		long deadline = System.nanoTime() + this.settings.patience().toNanos();
		boolean unhandled = this.settings.whenFull() == WhenFull.DROP_OLDEST;
		String reason = this.topic.noRoom(wanted, unhandled, this.dropped::add);
		while (reason != null) {
			if (this.settings.whenFull() != WhenFull.BLOCK || System.nanoTime() - deadline >= 0) {
				this.refused.increment();
				throw new TopicFullException(
						"The durable topic '%s' has no room: %s".formatted(this.settings.name(), reason));
			}
			LockSupport.parkNanos(this, PAUSE_NANOS);
			if (Thread.currentThread().isInterrupted()) {
				throw new TopicException("Interrupted while topic '%s' had no room".formatted(this.settings.name()));
			}
			requireOpen();
			reason = this.topic.noRoom(wanted, unhandled, this.dropped::add);
		}
	}

	@Override
	public TopicReport report() {
		return new TopicReport(this.settings.name(), this.settings.model(), this.published.sum(), this.dropped.sum(),
				this.refused.sum(), this.topic.bytes(), this.options.maxBytes(), this.topic.behind(),
				this.topic.behindBytes(), List.of());
	}

	@Override
	public void close() {
		if (!this.closed) {
			this.closed = true;
			this.onClose.accept(this);
		}
	}

	/** Wakes the subscribers of a topic. */
	interface Bell {

		/** Nobody hears it. */
		Bell NONE = new Bell() {

			@Override
			public boolean isHeard() {
				return false;
			}

			@Override
			public void ring() {
				// There is nobody.
			}

		};

		/** Returns whether a subscriber hears it. */
		boolean isHeard();

		/** Wakes those who hear it. */
		void ring();

	}

}
