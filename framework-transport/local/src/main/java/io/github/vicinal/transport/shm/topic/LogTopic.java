package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.transport.shm.lane.Memory;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publisher's side of a topic.
 * <p>
 * One thread at a time writes. While it waits for room it holds up other threads that
 * publish, but nobody who comes or goes: that takes the lock of the state, which it holds
 * only while it looks and writes. Room is free up to the <em>tail</em>: the first record
 * that a subscriber has yet to handle. It is computed only when the ring seems full, from
 * what the subscribers have written into their pages, so that publishing costs the same
 * whatever their number, but for a look at sleepers.
 * <p>
 * The tail of a stream is the least of the claim, of what is to be delivered again and of
 * what threads hold, read in that order: a thread says what it is about to take before it
 * takes it, so a record that has left one of these places is in the next one already.
 */
final class LogTopic<T> implements Topic<T>, ServedLog {

	private static final Logger logger = LoggerFactory.getLogger(LogTopic.class);

	/** Time to wait for a subscriber that found no memory; it comes again every 2 s. */
	private static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int KEPT_BYTES = 256 * 1024;

	private static final SecureRandom RANDOM = new SecureRandom();

	private final TopicSettings<T> settings;

	private final MessageCodec<T> codec;

	private final MemoryFiles files;

	private final String fileName;

	private final long epoch = RANDOM.nextLong();

	private final TopicObservations observations;

	private final Consumer<LogTopic<T>> onClose;

	/** Held by the thread that publishes. Taken before the lock of the state. */
	private final ReentrantLock publishing = new ReentrantLock();

	/** Guards the state: what subscribers there are, and where the log ends. */
	private final ReentrantLock lock = new ReentrantLock();

	private final List<AttachedSubscriber> subscribers = new CopyOnWriteArrayList<>();

	/** Subscribers of a log whose file was deleted, which are to come again. */
	private final List<AttachedSubscriber> outdated = new CopyOnWriteArrayList<>();

	/** Used by the thread that publishes. */
	private final EncodeBuffer payload = new EncodeBuffer(1024);

	/** Used by the thread that publishes. */
	private final EncodeBuffer headerBytes = new EncodeBuffer(64);

	/**
	 * Messages that ended subscribers held, as far as the log has no room for them.
	 * Guarded by the lock, as all that follows.
	 */
	private final Deque<Long> lost = new ArrayDeque<>();

	private volatile @Nullable TopicLog log;

	/** Written when messages join the lost ones or leave them. */
	private volatile boolean hasLost;

	private long end;

	private long tail;

	private long sequence;

	private int nextToWake;

	/** The link to the last subscriber of another host that has left. */
	private volatile @Nullable RemoteLink lastLink;

	/** A subscriber has come. */
	private boolean awaited;

	/** When the last one came. */
	private long awaitedAt;

	/**
	 * There was no memory when the last one came. Only of interest without subscribers.
	 */
	private boolean starved;

	private long dropped;

	private final LongAdder refused = new LongAdder();

	private volatile boolean closed;

	LogTopic(TopicSettings<T> settings, MessageCodec<T> codec, MemoryFiles files, String fileName,
			TopicObservations observations, Consumer<LogTopic<T>> onClose) {
		this.settings = settings;
		this.codec = codec;
		this.files = files;
		this.fileName = fileName;
		this.observations = observations;
		this.onClose = onClose;
	}

	@Override
	public TopicSettings<T> settings() {
		return this.settings;
	}

	String format() {
		return this.codec.format();
	}

	@Override
	public String fileName() {
		return this.fileName;
	}

	@Override
	public long epoch() {
		return this.epoch;
	}

	@Override
	public boolean drops() {
		return this.settings.whenFull() == WhenFull.DROP_OLDEST;
	}

	@Override
	public void publish(T message, Map<String, String> headers) {
		if (this.observations.isNoop()) {
			send(message, headers);
			return;
		}
		this.observations.publish(this.settings, headers, (all) -> send(message, all));
	}

	@Override
	public void publishWritten(byte[] written, Map<String, String> headers) {
		if (this.observations.isNoop()) {
			send(null, written, headers, true);
			return;
		}
		this.observations.publish(this.settings, headers, (all) -> send(null, written, all, true));
	}

	@Override
	public void publishAll(Iterable<? extends T> messages, Map<String, String> headers) {
		if (!this.observations.isNoop()) {
			messages.forEach((message) -> publish(message, headers));
			return;
		}
		for (T message : messages) {
			send(message, headers, false);
		}
		wakeAfter();
	}

	/** Wakes those who may sleep although something was published. */
	private void wakeAfter() {
		this.lock.lock();
		try {
			if (this.settings.model() == TopicModel.STREAM) {
				// There may be a message for each of them.
				this.subscribers.forEach(AttachedSubscriber::wakeAll);
			}
			else {
				wake();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void send(T message, Map<String, String> headers) {
		send(message, headers, true);
	}

	private void send(T message, Map<String, String> headers, boolean wake) {
		send(message, null, headers, wake);
	}

	/** Sends a message, or bytes that are written already. */
	@SuppressWarnings("NullAway") // One of both is there.
	private void send(@Nullable T message, byte @Nullable [] written, Map<String, String> headers, boolean wake) {
		long patience = this.settings.patience().toNanos();
		if (!this.publishing.tryLock()) {
			patience = lockWithin(patience);
		}
		try {
			if (this.closed) {
				throw new TopicException("Topic '%s' is closed at this publisher".formatted(this.settings.name()));
			}
			byte[] bytes = (written != null) ? written : this.codec.bytes(message);
			int length = (bytes != null) ? bytes.length : encode(message);
			write(headers, (bytes != null) ? bytes : this.payload.array(), length, patience, wake);
		}
		catch (RuntimeException ex) {
			if (!wake) {
				wakeAfter();
			}
			throw ex;
		}
		finally {
			this.payload.clear(KEPT_BYTES);
			this.publishing.unlock();
		}
	}

	private int encode(T message) {
		this.payload.size(0);
		this.codec.encode(message, this.payload);
		return this.payload.size();
	}

	/** Waits for other threads, and returns what is left of the time. */
	private long lockWithin(long nanos) {
		long since = System.nanoTime();
		try {
			if (this.publishing.tryLock(nanos, TimeUnit.NANOSECONDS)) {
				return nanos - (System.nanoTime() - since);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new TopicException(
					"Interrupted while other threads publish to topic '%s'".formatted(this.settings.name()), ex);
		}
		throw full();
	}

	private void write(Map<String, String> headers, byte[] bytes, int length, long patience, boolean wake) {
		byte[] names = HeaderBytes.NONE;
		int namesLength = 0;
		if (!headers.isEmpty()) {
			MessageCodec.requireHeaders(this.settings.name(), headers);
			this.headerBytes.size(0);
			HeaderBytes.write(headers, this.headerBytes);
			names = this.headerBytes.array();
			namesLength = this.headerBytes.size();
		}
		int longest = this.settings.capacityBytes() / 2 - TopicLog.RECORD_BYTES;
		if ((long) namesLength + length > longest) {
			throw new TopicException(
					"A message of topic '%s' may have %d bytes with its headers, half of the topic's capacity, and this one has %d: set a larger capacity"
						.formatted(this.settings.name(), longest, (long) namesLength + length));
		}
		this.lock.lock();
		try {
			if (this.log == null && this.settings.model() == TopicModel.PUB_SUB && !isAwaited()) {
				// Nobody has ever subscribed.
				this.sequence++;
				return;
			}
			TopicLog open = requiredToPublish();
			int recordBytes = TopicLog.recordBytes(namesLength, length);
			long next = open.endOf(this.end, recordBytes);
			if (this.tail < next - this.settings.capacityBytes()) {
				awaitRoom(open, next - this.settings.capacityBytes(), System.nanoTime() + patience);
			}
			open.write(this.end, next, ++this.sequence, names, namesLength, bytes, length);
			this.end = next;
			open.publish(next);
			if (open.sequence(next - recordBytes) != this.sequence) {
				// The memory is gone, and the error would come later in the caller's
				// code.
				Memory.settle();
			}
			if (wake) {
				wake();
			}
		}
		catch (InternalError ex) {
			throw new TopicException(
					"The shared memory of topic '%s' failed: %s".formatted(this.settings.name(), ex.getMessage()), ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Fails also for a moment after memory has come back, until a subscriber has, too.
	 */
	private TopicLog requiredToPublish() {
		TopicLog open = this.log;
		boolean isStarved = this.starved && this.subscribers.isEmpty() && isAwaited();
		if (open != null && !isStarved) {
			return required();
		}
		try {
			open = required();
		}
		catch (TopicException ex) {
			this.refused.increment();
			throw ex;
		}
		if (isStarved) {
			this.refused.increment();
			throw new TopicException(
					"Nobody would get a message of topic '%s': there was no shared memory for its subscriber, which comes again within 2 s: publish again then"
						.formatted(this.settings.name()));
		}
		return open;
	}

	private TopicLog required() {
		if (this.closed) {
			throw new TopicException("Topic '%s' is closed at this publisher".formatted(this.settings.name()));
		}
		TopicLog open = this.log;
		return (open != null) ? open : open();
	}

	/**
	 * Makes the file of the log anew if it was deleted with the directory or cut off, so
	 * that subscribers can come. Those that are there come again when they hold nothing:
	 * in the log that they map, nothing more happens. To be called from time to time.
	 * @param nanos maximum time to wait for threads that publish
	 */
	void keep(long nanos) throws IOException, InterruptedException {
		TopicLog open = this.log;
		if (open != null && fileBytes() < open.bytes() && this.publishing.tryLock(nanos, TimeUnit.NANOSECONDS)) {
			try {
				renew();
			}
			finally {
				this.publishing.unlock();
			}
		}
		for (AttachedSubscriber subscriber : List.copyOf(this.outdated)) {
			if (subscriber.holdsNothing()) {
				this.outdated.remove(subscriber);
				subscriber.close();
			}
		}
	}

	/** Returns the size of the file of the log, or -1 if there is none. */
	private long fileBytes() throws IOException {
		try {
			return Files.size(this.files.directory().resolve(this.fileName));
		}
		catch (NoSuchFileException ex) {
			return -1;
		}
	}

	/** Called by a thread that may publish. */
	private void renew() throws IOException {
		this.lock.lock();
		try {
			TopicLog open = this.log;
			if (open == null) {
				return;
			}
			boolean isCutOff = fileBytes() >= 0;
			this.log = isCutOff ? replaced() : open.renewed(this.files, this.fileName, this.end);
			this.files.ended(open.bytes());
			this.outdated.addAll(this.subscribers);
			if (isCutOff) {
				logger.warn(
						"The file of topic '{}' was cut off by another process and has been made again; messages that were in it and not yet handled are lost",
						this.settings.name());
			}
			else {
				logger.info("The file of topic '{}' was deleted, and has been made again", this.settings.name());
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Makes an empty log that goes on where one ends whose memory is gone. */
	private TopicLog replaced() throws IOException {
		Files.deleteIfExists(this.files.directory().resolve(this.fileName));
		TopicLog made = TopicLog.create(this.files, this.fileName, this.settings.capacityBytes(), this.epoch);
		made.goOnAt(this.end);
		this.tail = this.end;
		this.lost.clear();
		this.hasLost = false;
		return made;
	}

	private TopicLog open() {
		// Channels of files close when their thread is interrupted.
		boolean interrupted = Thread.interrupted();
		try {
			TopicLog made = TopicLog.create(this.files, this.fileName, this.settings.capacityBytes(), this.epoch);
			this.log = made;
			return made;
		}
		catch (IOException ex) {
			throw new TopicException(
					"Topic '%s' has no shared memory: %s".formatted(this.settings.name(), ex.getMessage()), ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Gives the lock away while it waits; only this thread moves the end meanwhile. */
	private void awaitRoom(TopicLog open, long wanted, long deadline) {
		long pause = FIRST_PAUSE_NANOS;
		while (!makeRoom(open, wanted)) {
			if (this.settings.whenFull() != WhenFull.BLOCK || System.nanoTime() - deadline >= 0) {
				throw full();
			}
			// Those for whom a batch has not yet rung.
			this.subscribers.forEach(AttachedSubscriber::wakeAll);
			this.lock.unlock();
			try {
				// A ring that is full holds enough for subscribers to go on meanwhile.
				LockSupport.parkNanos(this, pause);
			}
			finally {
				this.lock.lock();
			}
			pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
			if (Thread.currentThread().isInterrupted()) {
				throw new TopicException("Interrupted while topic '%s' had no room".formatted(this.settings.name()));
			}
			required();
		}
	}

	private TopicFullException full() {
		this.refused.increment();
		return new TopicFullException("Topic '%s' has no room in its %d bytes: %s".formatted(this.settings.name(),
				this.settings.capacityBytes(), whyFull()));
	}

	private String whyFull() {
		AttachedSubscriber slowest = slowest();
		if (slowest == null) {
			RemoteLink left = this.lastLink;
			String cut = (left != null) ? left.cutSince() : null;
			return (cut != null)
					? "it has no subscriber, since %s: start one, or restore the link to that host".formatted(cut)
					: "it has no subscriber";
		}
		RemoteLink link = slowest.link();
		String trouble = (link != null) ? link.trouble() : null;
		if (trouble != null) {
			return trouble;
		}
		return (this.settings.model() == TopicModel.STREAM) ? "its subscribers are slower than its publisher"
				: "subscriber '%s' is slower than its publisher".formatted(slowest.name());
	}

	/** Returns the subscriber that has the oldest message, or in a stream any. */
	private @Nullable AttachedSubscriber slowest() {
		AttachedSubscriber slowest = null;
		long oldest = Long.MAX_VALUE;
		for (AttachedSubscriber subscriber : this.subscribers) {
			long position = (this.settings.model() == TopicModel.STREAM) ? oldestHeld(subscriber)
					: subscriber.pair().position();
			if (slowest == null || position < oldest) {
				slowest = subscriber;
				oldest = position;
			}
		}
		return slowest;
	}

	private static long oldestHeld(AttachedSubscriber subscriber) {
		long oldest = Long.MAX_VALUE;
		for (int slot = 0; slot < subscriber.pair().slots(); slot++) {
			long position = subscriber.pair().held(slot);
			if (position >= 0) {
				oldest = Math.min(oldest, position);
			}
		}
		return oldest;
	}

	private boolean makeRoom(TopicLog open, long wanted) {
		boolean stream = this.settings.model() == TopicModel.STREAM;
		if (this.settings.whenFull() != WhenFull.DROP_OLDEST) {
			this.tail = Math.max(this.tail, stream ? tailOfStream(open) : tailOfAll());
			return this.tail >= wanted;
		}
		if (stream) {
			dropUnclaimed(open, wanted);
			this.tail = Math.max(this.tail, tailOfStream(open));
			if (this.tail < wanted) {
				dropHeld(open, wanted);
			}
			return true;
		}
		long oldest = tailOfAll();
		long floor = Math.max(this.tail, open.floor());
		while (floor < wanted) {
			if (floor >= oldest && open.kind(floor) == TopicLog.DATA) {
				this.dropped++;
			}
			floor += open.length(floor);
		}
		open.floor(floor);
		this.tail = floor;
		return true;
	}

	/** Returns the first position that some subscriber has yet to handle. */
	private long tailOfAll() {
		long least = this.end;
		for (AttachedSubscriber subscriber : this.subscribers) {
			// Whatever the other side has written: never back, and never beyond the end.
			least = Math.min(least, subscriber.pair().position());
		}
		return least;
	}

	private long tailOfStream(TopicLog open) {
		moveLost(open);
		long least = Math.min(this.end, open.claim());
		for (int slot = 0; slot < TopicLog.REDELIVERIES; slot++) {
			least = leastOf(least, open.redelivery(slot));
		}
		for (Long position : this.lost) {
			least = leastOf(least, position);
		}
		for (AttachedSubscriber subscriber : this.subscribers) {
			for (int slot = 0; slot < subscriber.pair().slots(); slot++) {
				least = leastOf(least, subscriber.pair().held(slot));
			}
		}
		return least;
	}

	/** A thread that came late may say that it takes what is long gone: it does not. */
	private long leastOf(long least, long position) {
		return (position >= this.tail) ? Math.min(least, position) : least;
	}

	private void dropUnclaimed(TopicLog open, long wanted) {
		long claim = open.claim();
		while (claim < wanted && claim < this.end) {
			boolean data = open.kind(claim) == TopicLog.DATA;
			int length = open.length(claim);
			if (length < Long.BYTES) {
				throw new TopicException(
						"The log of topic '%s' was damaged by a subscriber: close the topic and make it anew"
							.formatted(this.settings.name()));
			}
			if (open.claim(claim, claim + length) && data) {
				this.dropped++;
			}
			claim = open.claim();
		}
	}

	/**
	 * Gives up messages that subscribers hold or that are to be delivered again. A
	 * subscriber that has copied its message handles it; others find that it is gone.
	 */
	private void dropHeld(TopicLog open, long wanted) {
		open.floor(wanted);
		this.tail = wanted;
		for (int slot = 0; slot < TopicLog.REDELIVERIES; slot++) {
			long position = open.redelivery(slot);
			if (position >= 0 && position < wanted && open.takeRedelivery(slot, position)) {
				this.dropped++;
			}
		}
		int before = this.lost.size();
		this.lost.removeIf((position) -> position < wanted);
		this.dropped += before - this.lost.size();
	}

	/**
	 * Counts a message that was taken on behalf of another host and made room before it
	 * was sent.
	 */
	void overwritten() {
		this.lock.lock();
		try {
			this.dropped++;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void moveLost(TopicLog open) {
		while (!this.lost.isEmpty() && open.redeliver(this.lost.peek())) {
			this.lost.remove();
		}
		this.hasLost = !this.lost.isEmpty();
	}

	/**
	 * Has more messages of ended subscribers delivered again, if there is room for them
	 * now. To be called from time to time.
	 * @return whether some are left
	 */
	boolean redeliverLost() {
		if (!this.hasLost) {
			return false;
		}
		this.lock.lock();
		try {
			TopicLog open = this.log;
			int before = this.lost.size();
			if (open != null) {
				moveLost(open);
			}
			if (this.lost.size() < before) {
				this.subscribers.forEach(AttachedSubscriber::wakeAll);
			}
			return this.hasLost;
		}
		catch (InternalError ex) {
			Memory.discardPending();
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Wakes each subscriber that sleeps or, in a stream, one thread. */
	private void wake() {
		if (this.settings.model() == TopicModel.PUB_SUB) {
			for (AttachedSubscriber subscriber : this.subscribers) {
				subscriber.wake(0);
			}
			return;
		}
		int count = this.subscribers.size();
		for (int i = 0; i < count; i++) {
			AttachedSubscriber subscriber = this.subscribers.get((this.nextToWake + i) % count);
			for (int thread = 0; thread < subscriber.sleepers(); thread++) {
				if (subscriber.wake(thread)) {
					this.nextToWake = (this.nextToWake + i + 1) % count;
					return;
				}
			}
		}
	}

	/** Returns whether a subscriber would be there if there had been memory for it. */
	private boolean isAwaited() {
		return this.awaited && System.nanoTime() - this.awaitedAt < AWAITED_NANOS;
	}

	@Override
	public TopicLog require() {
		this.lock.lock();
		try {
			this.awaited = true;
			this.awaitedAt = System.nanoTime();
			return required();
		}
		catch (TopicException ex) {
			this.starved = this.settings.model() == TopicModel.PUB_SUB;
			throw ex;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void attach(AttachedSubscriber subscriber, Resume resume) throws IOException {
		this.lock.lock();
		try {
			if (this.closed) {
				throw new IOException("the topic is closed");
			}
			boolean resumed = this.settings.model() == TopicModel.PUB_SUB && resume.isFor(this.epoch)
					&& resume.position() >= this.tail && resume.position() <= this.end;
			long start = resumed ? resume.position() : this.end;
			subscriber.pair().position(start);
			subscriber.started(start, resumed ? resume.sequence() : this.sequence + 1);
			this.subscribers.add(subscriber);
			this.starved = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Gives what a subscriber held to others, if it has taken part. */
	@Override
	public void detach(AttachedSubscriber subscriber) {
		this.lock.lock();
		try {
			TopicLog open = this.log;
			RemoteLink link = subscriber.link();
			if (link != null) {
				this.lastLink = link;
			}
			this.outdated.remove(subscriber);
			if (!this.subscribers.remove(subscriber) || open == null || this.settings.model() != TopicModel.STREAM) {
				return;
			}
			long claim = open.claim();
			for (int slot = 0; slot < subscriber.pair().slots(); slot++) {
				long position = subscriber.pair().held(slot);
				if (position >= this.tail && position < claim && open.kind(position) == TopicLog.DATA) {
					this.lost.add(position);
				}
				else if (position >= 0 && position < open.floor()) {
					this.dropped++;
				}
			}
			moveLost(open);
			// A thread that was woken may have ended before it took anything.
			this.subscribers.forEach(AttachedSubscriber::wakeAll);
		}
		catch (InternalError ex) {
			Memory.discardPending();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public TopicReport report() {
		this.lock.lock();
		try {
			TopicLog open = this.log;
			boolean stream = this.settings.model() == TopicModel.STREAM;
			long last = this.end;
			long unclaimed = (open != null && stream) ? bytesFrom(open.claim()) : 0;
			long used = (open == null) ? 0 : last - Math.max(this.tail, stream ? tailOfStream(open) : tailOfAll());
			long backlog = stream ? Math.max(0, Math.min(used, unclaimed)) : used;
			return new TopicReport(this.settings.name(), this.settings.model(), this.sequence, this.dropped,
					this.refused.sum(), used, this.settings.capacityBytes(), messagesFrom(open, last - backlog),
					backlog,
					this.subscribers.stream()
						.map((subscriber) -> new TopicReport.Subscriber(subscriber.name(), subscriber.application(),
								stream ? unclaimed : bytesFrom(subscriber.pair().position())))
						.toList());
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns the number of bytes from a position, which may be any, to the end. */
	private long bytesFrom(long position) {
		return this.end - Math.max(0, Math.min(this.end, position));
	}

	/**
	 * Returns the number of messages from a position to the end. Subscribers may have
	 * written anything: the number is always one that is possible.
	 */
	private long messagesFrom(@Nullable TopicLog open, long position) {
		if (open == null || position >= this.end) {
			return 0;
		}
		long first = position & -Long.BYTES;
		int toEnd = this.settings.capacityBytes() - ((int) first & (this.settings.capacityBytes() - 1));
		if (toEnd < TopicLog.RECORD_BYTES || open.kind(first) == TopicLog.PADDING) {
			// The message that did not fit is at the beginning of the ring.
			first += toEnd;
		}
		return (first < this.end) ? Math.max(0, Math.min(this.sequence, this.sequence - open.sequence(first) + 1)) : 0;
	}

	/** Messages of a stream go with their publisher if no subscriber is there. */
	private void countLost(@Nullable TopicLog open) {
		if (open == null || this.settings.model() != TopicModel.STREAM) {
			return;
		}
		moveLost(open);
		long unclaimed = this.lost.size();
		this.lost.clear();
		this.hasLost = false;
		if (this.subscribers.isEmpty()) {
			unclaimed += messagesFrom(open, open.claim());
		}
		if (unclaimed > 0) {
			this.dropped += unclaimed;
			logger.warn("Topic '{}' is closed with {} messages that no subscriber has taken, which are lost",
					this.settings.name(), unclaimed);
		}
	}

	@Override
	public void close() {
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.closed = true;
			TopicLog open = this.log;
			this.log = null;
			countLost(open);
			Files.deleteIfExists(this.files.directory().resolve(this.fileName));
			if (open != null) {
				this.files.ended(open.bytes());
			}
		}
		catch (IOException ex) {
			// The next process that starts deletes it.
		}
		finally {
			this.lock.unlock();
		}
		this.onClose.accept(this);
		this.subscribers.forEach(AttachedSubscriber::close);
	}

}
