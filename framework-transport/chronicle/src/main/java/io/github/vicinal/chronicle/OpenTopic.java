package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.wire.FileStores;
import org.jspecify.annotations.Nullable;

/** One topic in one process: its queue, its positions, and the room that it has. */
final class OpenTopic implements AutoCloseable {

	/** Interval between two looks at the volume, if little is published. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Bytes after which the volume is looked at again, if much is published. */
	private static final long LOOK_BYTES = 1 << 20;

	/** Seconds since 1970 whose microseconds are a number. */
	private static final long FARTHEST_SECOND = TimeUnit.MICROSECONDS.toSeconds(Long.MAX_VALUE) - 1;

	private final String name;

	private final TopicModel model;

	private final TopicDirectory directory;

	private final DurableLog log;

	/** Identifies the directory of the files, of which another one may take the name. */
	private final @Nullable Object place;

	private final ChronicleOptions options;

	private final Alive alive;

	private final Retention retention;

	private final FileStore volume;

	private final @Nullable StreamClaims claims;

	private final Sleepers sleepers;

	/** Bytes that may be appended before the volume is looked at. Guarded by this. */
	private long budget;

	/** Guarded by this. */
	private long looked;

	/** Bytes of all files at the last look. */
	private volatile long bytes;

	/** Bytes of them that some consumer has yet to handle. */
	private volatile long behindBytes;

	OpenTopic(String name, TopicModel model, TopicDirectory directory, ChronicleOptions options, Alive alive) {
		this.name = name;
		this.model = model;
		this.directory = directory;
		this.options = options;
		this.alive = alive;
		this.retention = new Retention(directory.queue(), options);
		ProcessLock publishing;
		try {
			this.volume = FileStores.of(directory.queue());
			this.place = fileKey();
			requireSpace(options.blockBytes());
			this.claims = (model == TopicModel.STREAM)
					? StreamClaims.open(directory.stream(), directory.drafts(), alive) : null;
			this.sleepers = Sleepers.open(directory.sleepers(), directory.drafts());
			publishing = ProcessLock.open(directory.publishing(), directory.drafts(), alive);
		}
		catch (IOException ex) {
			throw new TopicException("The durable topic '%s' cannot be opened: %s".formatted(name, ex), ex);
		}
		this.log = DurableLog.open(directory.queue(), options, publishing);
	}

	private void requireSpace(long wanted) throws IOException {
		long usable = this.volume.getUsableSpace();
		if (usable - wanted < this.options.minFreeBytes()) {
			throw new IOException(space(usable));
		}
	}

	private String space(long usable) {
		return "the volume of %s has %d bytes left, and it keeps %d free: make room on it, or set vicinal.topics.durable.min-free"
			.formatted(this.directory.queue(), usable, this.options.minFreeBytes());
	}

	private @Nullable Object fileKey() throws IOException {
		return Files.readAttributes(this.directory.queue(), BasicFileAttributes.class).fileKey();
	}

	/**
	 * Fails if the directory has been deleted. Files that are open stay usable then, but
	 * no application that opens the topic later sees what is in them.
	 * @throws DeletedTopicException if it is gone, or another one is in its place
	 */
	void requireInPlace() {
		try {
			if (!Objects.equals(this.place, fileKey())) {
				throw new DeletedTopicException(this.name, this.directory.queue());
			}
		}
		catch (NoSuchFileException ex) {
			throw new DeletedTopicException(this.name, this.directory.queue());
		}
		catch (IOException ex) {
			throw new TopicException("The directory %s of the durable topic '%s' cannot be looked at: %s"
				.formatted(this.directory.queue(), this.name, ex), ex);
		}
	}

	DurableLog log() {
		return this.log;
	}

	Sleepers sleepers() {
		return this.sleepers;
	}

	StreamClaims claims() {
		StreamClaims shared = this.claims;
		if (shared == null) {
			throw new IllegalStateException("only streams have claims");
		}
		return shared;
	}

	long bytes() {
		return this.bytes;
	}

	/** Returns bytes that the slowest consumer has yet to handle, as of the last look. */
	long behindBytes() {
		return this.behindBytes;
	}

	/**
	 * Returns the number of messages that the slowest consumer has yet to handle, 0 if
	 * that is not known; in a stream those that nobody has begun.
	 */
	long behind() {
		try {
			long from = (this.claims != null) ? this.claims.last() : handled();
			return Math.max(0, this.log.count(from, this.log.lastIndex()));
		}
		catch (IOException | RuntimeException ex) {
			return 0;
		}
	}

	/** Opens the position of a consumer, which begins at the end if it is new. */
	ConsumerPosition position(String consumer) {
		try {
			return ConsumerPosition.open(this.directory.consumer(consumer), this.directory.drafts(),
					this.log::lastIndex);
		}
		catch (IOException ex) {
			throw new TopicException("The position of consumer '%s' of topic '%s' cannot be opened: %s"
				.formatted(consumer, this.name, ex), ex);
		}
	}

	/**
	 * Returns why some bytes cannot be appended, or {@code null} if there is room.
	 * @param wanted number of bytes
	 * @param unhandled whether messages go that somebody has yet to handle
	 * @param dropped given the number of those that went
	 */
	synchronized @Nullable String noRoom(int wanted, boolean unhandled, LongConsumer dropped) {
		long now = System.nanoTime();
		if (this.budget >= wanted && now - this.looked < LOOK_NANOS) {
			this.budget -= wanted;
			return null;
		}
		// Channels of files close when their thread is interrupted.
		boolean interrupted = Thread.interrupted();
		try {
			requireInPlace();
			Retention.Result result = retain(wanted, unhandled, false);
			dropped.accept(result.dropped());
			long usable = this.volume.getUsableSpace();
			while (unhandled && usable - wanted < this.options.minFreeBytes()) {
				result = retain(wanted, true, true);
				dropped.accept(result.dropped());
				long before = usable;
				usable = this.volume.getUsableSpace();
				if (result.deleted() == 0 || usable <= before) {
					// Somebody has mapped the file, or there is only the newest one.
					break;
				}
			}
			this.budget = 0;
			if (usable - wanted < this.options.minFreeBytes()) {
				return space(usable);
			}
			if (!unhandled && result.needed() + wanted > this.options.maxBytes()) {
				return "it has %d bytes, and may have %d; the slowest consumer is %s".formatted(result.needed(),
						this.options.maxBytes(), slowest());
			}
			this.looked = now;
			this.budget = Math.min(LOOK_BYTES, Math.min(usable - this.options.minFreeBytes(),
					Math.max(wanted, this.options.maxBytes() - result.needed()))) - wanted;
			return null;
		}
		catch (IOException ex) {
			return "its files cannot be looked at: " + ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private Retention.Result retain(long wanted, boolean unhandled, boolean one) throws IOException {
		long handled = handled();
		Retention.Result result = this.retention.apply(
				(handled == Long.MAX_VALUE) ? Long.MAX_VALUE : this.log.cycle(handled), this.log.newestBehind(handled),
				this.log.newestBytes(), wanted, unhandled, one, (cycle) -> this.log.count((int) cycle, handled));
		this.bytes = result.bytes();
		this.behindBytes = result.behind();
		if (result.deleted() > 0) {
			this.log.refresh();
		}
		return result;
	}

	/** Returns an index such that all consumers have handled all messages up to it. */
	private long handled() throws IOException {
		if (this.claims != null) {
			return this.claims.handled();
		}
		long least = Long.MAX_VALUE;
		for (Path consumer : consumers()) {
			ConsumerPosition position = ConsumerPosition.find(consumer);
			if (position != null) {
				least = Math.min(least, position.handled());
			}
		}
		return least;
	}

	private String slowest() throws IOException {
		StoredPosition slowest = null;
		for (StoredPosition position : positions()) {
			if (slowest == null || position.index() < slowest.index()) {
				slowest = position;
			}
		}
		return (slowest == null) ? "nobody" : "'" + slowest.consumer() + "'";
	}

	private List<Path> consumers() throws IOException {
		List<Path> files = new ArrayList<>();
		try (DirectoryStream<Path> all = Files.newDirectoryStream(this.directory.consumers())) {
			all.forEach(files::add);
		}
		return files;
	}

	List<StoredPosition> positions() throws IOException {
		long end = this.log.lastIndex();
		if (this.claims != null) {
			return List.of(stored("stream", this.claims.handled(), end));
		}
		List<StoredPosition> positions = new ArrayList<>();
		for (Path consumer : consumers()) {
			ConsumerPosition position = ConsumerPosition.find(consumer);
			if (position != null) {
				positions.add(stored(String.valueOf(consumer.getFileName()), position.handled(), end));
			}
		}
		return positions;
	}

	private StoredPosition stored(String consumer, long index, long end) {
		return new StoredPosition(consumer, index, this.log.count(index, end));
	}

	/** Returns the index behind which a subscriber begins. */
	long before(ReplayFrom from) {
		if (from instanceof ReplayFrom.End) {
			return this.log.lastIndex();
		}
		if (from instanceof ReplayFrom.Index place) {
			// Behind the end, a position would leave out what is published from now on.
			return Math.max(0, Math.min(place.index() - 1, this.log.lastIndex()));
		}
		return (from instanceof ReplayFrom.Time place) ? beforeTime(micros(place.time())) : 0;
	}

	/** Times that are too far away are before or after all messages. */
	private static long micros(Instant time) {
		long second = Math.max(-FARTHEST_SECOND, Math.min(FARTHEST_SECOND, time.getEpochSecond()));
		return TimeUnit.SECONDS.toMicros(second) + TimeUnit.NANOSECONDS.toMicros(time.getNano());
	}

	/**
	 * Times grow as indexes do, but for what several publishers write at the same time.
	 */
	private long beforeTime(long micros) {
		long before = 0;
		DurableRecord.Reader reader = new DurableRecord.Reader(this.directory.queue());
		try (DurableLog.Tail tail = this.log.tail()) {
			for (DurableLog.Entry entry = tail.next(); entry != null; entry = tail.next()) {
				if (reader.read(entry).micros() >= micros) {
					return before;
				}
				before = entry.index();
			}
		}
		return before;
	}

	void keepFor(String consumer) {
		if (this.claims == null) {
			position(consumer);
		}
	}

	void seek(String consumer, ReplayFrom from) {
		if (this.claims != null) {
			this.claims.move(before(from));
			return;
		}
		ConsumerPosition position = position(consumer);
		require(position, consumer);
		try {
			position.move(before(from));
		}
		finally {
			position.release(this.alive);
		}
	}

	/** Fails if there is no position of a consumer. */
	void requireKnown(String consumer) {
		if (this.claims == null && !Files.exists(this.directory.consumer(consumer))) {
			throw new TopicException("The durable topic '%s' has no consumer '%s'".formatted(this.name, consumer));
		}
	}

	void forget(String consumer) {
		if (this.claims != null) {
			throw new TopicException(
					"The subscribers of the stream '%s' share one position, which cannot be forgotten: move it to the end (DurableTopics.seek)"
						.formatted(this.name));
		}
		ConsumerPosition position = position(consumer);
		require(position, consumer);
		try {
			Files.deleteIfExists(this.directory.consumer(consumer));
		}
		catch (IOException ex) {
			throw new TopicException("The position of consumer '%s' of topic '%s' cannot be deleted: %s"
				.formatted(consumer, this.name, ex), ex);
		}
	}

	private void require(ConsumerPosition position, String consumer) {
		if (!position.own(this.alive)) {
			throw new TopicException("The consumer '%s' of topic '%s' is subscribed: end its subscription first"
				.formatted(consumer, this.name));
		}
	}

	TopicModel model() {
		return this.model;
	}

	/** Deletes what is too old, and touches what is written next. */
	void maintain() throws IOException {
		requireInPlace();
		synchronized (this) {
			retain(0, false, false);
		}
		if (this.options.preTouch()
				&& this.volume.getUsableSpace() > this.options.minFreeBytes() + 2L * this.options.blockBytes()) {
			this.log.preTouch();
		}
	}

	@Override
	public void close() {
		this.log.close();
	}

}
