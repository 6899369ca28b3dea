package io.github.vicinal.transport.shm.topic;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

import io.github.vicinal.topic.Message;
import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.lane.Memory;
import io.github.vicinal.transport.shm.waiting.Condition;
import io.github.vicinal.transport.shm.waiting.Processor;
import io.github.vicinal.transport.shm.waiting.WaitHistory;
import io.github.vicinal.transport.shm.waiting.WaitMode;
import io.github.vicinal.transport.shm.waiting.Waiter;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * One thread that takes messages out of the log of one publisher, and hands them to its
 * subscription, one by one or what is there together.
 * <p>
 * In publish/subscribe it reads one record after the other, and says how far it has come
 * when the handler has returned. In a stream it says which record it is about to take,
 * and takes it if it is the one that moves the claim behind it; what it has taken stays
 * said until the handler has returned. If the handler gives a message back because the
 * subscription is closing, it stays said for good: the publisher gives it to another
 * subscriber when the connection ends, as it does if the process is killed.
 */
final class LogConsumer<T> implements Runnable, Condition {

	private final ShmSubscription<T> subscription;

	private final String publisher;

	private final TopicLog log;

	private final PairMemory pair;

	private final Bells bells;

	private final int thread;

	private final boolean stream;

	private final boolean drops;

	private final int maxBatch;

	/** Messages that were taken and are not handled yet, if batches are. */
	private final List<Message<byte[]>> batch = new ArrayList<>();

	/** Where the messages of the batch end in the log, in publish/subscribe. */
	private final long[] ends;

	/** Number of messages of the batch that are done. */
	private int done;

	private final long epoch;

	private final Waiter waiter;

	private final WaitHistory history = new WaitHistory();

	private final long mode = WaitMode.parse(WaitMode.LEARNED);

	/** The position of the next record, in publish/subscribe. */
	private long position;

	private final long start;

	/**
	 * End of what is known to be published. The publisher writes its word for each
	 * message, so the word is read only when all that was known before is handled.
	 */
	private long published;

	private long nextSequence;

	private final StreamClaim claims;

	private long served;

	/** The publisher publishes nothing more. */
	private volatile boolean ended;

	/** This side takes nothing more. */
	private volatile boolean closed;

	/** The handler has given back the messages that this thread holds. */
	private boolean returned;

	LogConsumer(ShmSubscription<T> subscription, String publisher, TopicLog log, PairMemory pair, Bells bells,
			int thread, boolean stream, Handshake.Grant grant, Handshake.Start start) {
		this.subscription = subscription;
		this.publisher = publisher;
		this.log = log;
		this.pair = pair;
		this.bells = bells;
		this.thread = thread;
		this.stream = stream;
		this.drops = grant.drops();
		this.maxBatch = subscription.maxBatch();
		this.ends = new long[(stream || this.maxBatch == 1) ? 0 : this.maxBatch];
		this.epoch = grant.epoch();
		this.claims = new StreamClaim(log, pair);
		this.start = start.position();
		this.position = start.position();
		this.published = start.position();
		this.nextSequence = start.sequence();
		this.waiter = new Waiter(pair, Processor.REAL, Runtime.getRuntime().availableProcessors(), true);
	}

	/** Lets the thread end when it has handled what was published. */
	void end() {
		this.ended = true;
		wake();
	}

	/** Lets the thread end when it has handled the message that it has. */
	void close() {
		this.closed = true;
		wake();
	}

	private void wake() {
		try {
			this.bells.ringHere(this.thread);
		}
		catch (WireException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void run() {
		try {
			while (!this.closed && !this.returned) {
				if (!next() && !awaitMore()) {
					this.subscription.leftOff(this.publisher, new Resume(this.epoch, this.position, this.nextSequence));
					return;
				}
			}
		}
		catch (WireException ex) {
			Memory.discardPending();
			this.subscription.damaged(this.publisher, ex.text());
		}
		catch (InternalError ex) {
			Memory.discardPending();
			this.subscription.damaged(this.publisher, "the shared memory failed: " + ex.getMessage());
		}
		finally {
			Memory.discardPending();
			release();
			Memory.discardPending();
		}
	}

	@Override
	public boolean isMet() {
		return this.closed || this.ended
				|| (this.stream ? this.claims.hasUnclaimed() : this.log.published() > this.position);
	}

	/** Waits for messages, and returns whether there may be some. */
	private boolean awaitMore() {
		if (this.ended) {
			// Published before the end was known.
			return hasMore();
		}
		this.pair.served(this.served);
		if (this.waiter.await(this, this.history, false, this.mode)) {
			return true;
		}
		// A handler may have left it set: the bell would not let this thread sleep.
		Thread.interrupted();
		long since = System.nanoTime();
		this.pair.asleep(this.thread, true);
		try {
			// In one order with the word, so that no wake-up is lost.
			if (!this.closed && !this.ended && !hasMore()) {
				this.bells.lane(this.thread).await(this.stream ? StreamClaim.LOOK_NANOS : Bell.FOREVER);
			}
		}
		finally {
			this.pair.asleep(this.thread, false);
		}
		this.waiter.slept(System.nanoTime() - since);
		return true;
	}

	private boolean hasMore() {
		return this.stream ? this.claims.hasMore() : this.log.publishedInOrder() > this.position;
	}

	private boolean next() throws WireException {
		if (this.maxBatch > 1) {
			return this.stream ? nextBatchOfStream() : nextBatchOfAll();
		}
		return this.stream ? nextOfStream() : nextOfAll();
	}

	private boolean nextOfAll() throws WireException {
		long at = this.position;
		if (this.published <= at) {
			this.published = this.log.published();
			if (this.published <= at) {
				requireNotBefore(this.published);
				return false;
			}
		}
		if (this.drops && at < this.log.floor()) {
			this.position = this.log.floor();
			return true;
		}
		int length = this.log.length(at);
		boolean data = this.log.kind(at) == TopicLog.DATA;
		if (this.drops && !this.log.isStillThere(at)) {
			return true;
		}
		this.log.requireLength(at, length);
		if (data) {
			Received received = read(at);
			if (received == null) {
				return true;
			}
			count(received);
			handle(received);
			if (this.returned) {
				return true;
			}
		}
		this.position = at + length;
		this.pair.position(this.position);
		return true;
	}

	/**
	 * A publisher never takes back what it has published. The copy of a log may begin
	 * behind where this subscriber left off, and it gives up its messages before it
	 * publishes those behind a gap.
	 */
	private void requireNotBefore(long end) throws WireException {
		if (end < this.position && this.position != this.start && !isBehindGap()) {
			throw new WireException(Refusal.MALFORMED,
					"published up to %d after %d had been read".formatted(end, this.position));
		}
	}

	private boolean isBehindGap() {
		return this.drops && this.position <= this.log.floor();
	}

	private boolean nextOfStream() throws WireException {
		long at = this.claims.take(this.thread);
		if (at == StreamClaim.NOTHING) {
			return false;
		}
		try {
			Received received = read(at);
			if (received != null) {
				handle(received);
			}
			else {
				this.subscription.dropped(1);
			}
		}
		finally {
			release();
		}
		return true;
	}

	/**
	 * Records of a batch that are not done stay held: they go to another subscriber when
	 * the connection ends.
	 */
	private void release() {
		if (this.stream && !this.returned && this.maxBatch == 1) {
			this.pair.release(this.thread);
		}
	}

	/** Takes what is there, as far as it may be in a batch. */
	private boolean nextBatchOfAll() throws WireException {
		this.batch.clear();
		long at = this.position;
		WireException damage = null;
		try {
			while (this.batch.size() < this.maxBatch && !this.closed && isPublished(at)) {
				at = takeFrom(at);
			}
		}
		catch (WireException ex) {
			damage = ex;
		}
		if (!this.batch.isEmpty()) {
			handleBatch((count) -> handledUpTo(this.ends[count - 1]));
		}
		else if (at > this.position) {
			handledUpTo(at);
		}
		else if (damage == null) {
			return false;
		}
		requireNo(damage);
		return true;
	}

	private boolean isPublished(long at) throws WireException {
		if (this.published <= at) {
			this.published = this.log.published();
			if (this.published <= at) {
				requireNotBefore(this.published);
				return false;
			}
		}
		return true;
	}

	/** Adds a message to the batch, if there is one, and returns where to go on. */
	private long takeFrom(long at) throws WireException {
		if (this.drops && at < this.log.floor()) {
			return this.log.floor();
		}
		int length = this.log.length(at);
		boolean data = this.log.kind(at) == TopicLog.DATA;
		if (this.drops && !this.log.isStillThere(at)) {
			return at;
		}
		this.log.requireLength(at, length);
		if (data) {
			Received received = read(at);
			if (received == null) {
				return at;
			}
			count(received);
			this.ends[this.batch.size()] = at + length;
			this.batch.add(message(received));
		}
		return at + length;
	}

	/** Counts what is missing before a message. */
	private void count(Received received) {
		if (received.sequence > this.nextSequence) {
			this.subscription.dropped(received.sequence - this.nextSequence);
		}
		this.nextSequence = received.sequence + 1;
	}

	private void handledUpTo(long end) {
		this.position = end;
		this.pair.position(end);
	}

	/** Messages taken before the log turned out to be damaged are handled first. */
	private static void requireNo(@Nullable WireException damage) throws WireException {
		if (damage != null) {
			throw damage;
		}
	}

	private boolean nextBatchOfStream() throws WireException {
		this.batch.clear();
		int first = this.thread * this.maxBatch;
		WireException damage = null;
		try {
			while (this.batch.size() < this.maxBatch && !this.closed && takeInto(first + this.batch.size())) {
				// As long as there is something.
			}
		}
		catch (WireException ex) {
			damage = ex;
		}
		boolean some = !this.batch.isEmpty();
		if (some) {
			this.done = 0;
			handleBatch((count) -> {
				while (this.done < count) {
					this.pair.release(first + this.done);
					this.done++;
				}
			});
		}
		requireNo(damage);
		return some;
	}

	/** Adds a message to the batch, and returns whether there was one. */
	private boolean takeInto(int slot) throws WireException {
		try {
			while (true) {
				long at = this.claims.take(slot);
				if (at == StreamClaim.NOTHING) {
					return false;
				}
				Received received = read(at);
				if (received != null) {
					this.batch.add(message(received));
					return true;
				}
				this.pair.release(slot);
				this.subscription.dropped(1);
			}
		}
		catch (WireException ex) {
			// Nobody else could read it.
			this.pair.release(slot);
			throw ex;
		}
	}

	private void handleBatch(IntConsumer whenDone) {
		this.served += this.batch.size();
		this.returned = !this.subscription.handleAll(List.copyOf(this.batch), whenDone);
	}

	/** Copies a record; {@code null} if it was overwritten meanwhile. */
	private @Nullable Received read(long at) throws WireException {
		long sequence = this.log.sequence(at);
		long time = this.log.time(at);
		byte[] headers;
		byte[] payload;
		try {
			headers = this.log.headers(at);
			payload = this.log.payload(at);
		}
		catch (WireException ex) {
			if (this.drops && !this.log.isStillThere(at)) {
				return null;
			}
			throw ex;
		}
		return (!this.drops || this.log.isStillThere(at)) ? new Received(sequence, time, headers, payload) : null;
	}

	private void handle(Received received) throws WireException {
		this.served++;
		this.returned = !this.subscription.handle(message(received));
	}

	private Message<byte[]> message(Received received) throws WireException {
		return new Message<>(this.subscription.topic(), received.payload, HeaderBytes.read(received.headers),
				this.publisher, received.sequence, received.time, this.claims.isRedelivered());
	}

	/** The copy of a record. */
	private static final class Received {

		private final long sequence;

		private final long time;

		private final byte[] headers;

		private final byte[] payload;

		Received(long sequence, long time, byte[] headers, byte[] payload) {
			this.sequence = sequence;
			this.time = time;
			this.headers = headers;
			this.payload = payload;
		}

	}

}
