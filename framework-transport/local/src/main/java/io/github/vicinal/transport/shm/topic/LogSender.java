package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the log of a topic to one host, record by record as it is, whatever the number of
 * subscribers there. To the publisher it is one subscriber, which has handled what all
 * subscribers of the host have handled.
 */
final class LogSender {

	private static final Logger logger = LoggerFactory.getLogger(LogSender.class);

	/** Maximum bytes of records that are sent in one piece, unless one has more. */
	private static final int BATCH_BYTES = 256 * 1024;

	private final TopicConnection connection;

	private final TopicLog log;

	private final boolean drops;

	private final PairMemory pair;

	private final ShmTopics topics;

	private final RemoteLink link;

	private final ThreadBells bells = new ThreadBells();

	/** Used by the thread that sends. */
	private ByteBuffer piece = ByteBuffer.allocate(RemoteProtocol.RECORDS_BYTES);

	/** Written by the thread that sends, before it sends. */
	private volatile long sent;

	/** The publisher publishes nothing more. */
	private volatile boolean ended;

	private volatile boolean endSent;

	private volatile boolean stopped;

	LogSender(TopicConnection connection, TopicLog log, boolean drops, PairMemory pair, ShmTopics topics,
			RemoteLink link) {
		this.link = link;
		this.connection = connection;
		this.log = log;
		this.drops = drops;
		this.pair = pair;
		this.topics = topics;
	}

	/** Returns the other host as its publisher knows it. */
	AttachedSubscriber subscriber(String name, String application) {
		return new AttachedSubscriber(name, application, this.pair, this.bells, this::end, this.pair.threads(),
				this.link);
	}

	private void end() {
		this.ended = true;
		this.bells.ring();
	}

	boolean isEnded() {
		return this.ended;
	}

	/**
	 * Sends records until the connection ends.
	 * @param from where the first record is that the other side does not have
	 * @return whether the other side wants nothing more; otherwise it may come again
	 */
	boolean serve(long from) throws WireException {
		if (from < this.pair.position() || from > this.log.published() || (from & (Long.BYTES - 1)) != 0) {
			throw new WireException(Refusal.MALFORMED, "a copy up to %d of a log from %d to %d".formatted(from,
					this.pair.position(), this.log.published()));
		}
		this.sent = from;
		Thread sender = this.topics.thread("send", this::send);
		this.bells.wakes(sender);
		sender.start();
		try {
			boolean left = false;
			while (!left) {
				left = listen();
			}
			return true;
		}
		catch (IOException ex) {
			logger.debug("The connection with {} ended: {}", this.connection.peer(), ex.toString());
			if (!this.endSent) {
				this.link.cut();
			}
			return this.endSent;
		}
		finally {
			this.stopped = true;
			this.connection.close();
			this.bells.ring();
			joinFully(sender);
		}
	}

	static void joinFully(Thread thread) {
		join(thread, Long.MAX_VALUE);
	}

	/** Waits for the end of a thread for a time, however often it is interrupted. */
	static void join(Thread thread, long nanos) {
		long began = System.nanoTime();
		long left = nanos;
		boolean interrupted = false;
		while (left > 0 && thread.isAlive()) {
			try {
				TimeUnit.NANOSECONDS.timedJoin(thread, left);
				left = nanos - (System.nanoTime() - began);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Returns whether the other side leaves. */
	private boolean listen() throws IOException, WireException {
		ByteBuffer said = this.connection.receive(Long.MAX_VALUE);
		if (said == null) {
			return false;
		}
		byte kind = RemoteProtocol.kind(said);
		if (kind == RemoteProtocol.LEAVE) {
			return true;
		}
		if (kind != RemoteProtocol.HANDLED) {
			throw new WireException(Refusal.MALFORMED, "a piece of kind %d".formatted(kind));
		}
		RemoteProtocol.requireBytes(said, Long.BYTES);
		long position = said.getLong();
		if (position < this.pair.position() || position > this.sent) {
			throw new WireException(Refusal.MALFORMED,
					"handled up to %d, of what was sent up to %d".formatted(position, this.sent));
		}
		this.pair.position(position);
		this.link.confirmed(position == this.sent);
		return false;
	}

	private void send() {
		try {
			long position = this.sent;
			while (!this.stopped) {
				long next = sendRecords(position);
				if (next == position && this.ended && this.log.publishedInOrder() == position) {
					this.endSent = true;
					this.connection.send(RemoteProtocol.word(RemoteProtocol.END));
					return;
				}
				if (next == position) {
					awaitMore(position);
				}
				position = next;
			}
		}
		catch (IOException | WireException | RuntimeException | InternalError ex) {
			if (!this.stopped) {
				logger.debug("Nothing more is sent to {}: {}", this.connection.peer(), ex.toString());
				this.connection.close();
			}
		}
	}

	private void awaitMore(long position) {
		this.pair.asleep(0, true);
		try {
			// In one order with the word, so that no wake-up is lost.
			if (!this.stopped && !this.ended && this.log.publishedInOrder() <= position) {
				this.bells.await(Bell.FOREVER);
			}
		}
		finally {
			this.pair.asleep(0, false);
		}
	}

	/** Sends some records, and returns where the next ones are. */
	private long sendRecords(long position) throws IOException, WireException {
		long at = this.drops ? Math.max(position, this.log.floor()) : position;
		long published = this.log.publishedInOrder();
		if (published <= at) {
			return at;
		}
		int length = batch(at, published);
		if (length == 0) {
			return this.log.floor();
		}
		ByteBuffer out = room(RemoteProtocol.RECORDS_BYTES + length);
		this.log.copy(at, out.array(), out.arrayOffset() + RemoteProtocol.RECORDS_BYTES, length);
		if (this.drops && !this.log.isStillThere(at)) {
			return this.log.floor();
		}
		out.put(0, RemoteProtocol.RECORDS).putLong(1, at).clear().limit(RemoteProtocol.RECORDS_BYTES + length);
		this.sent = at + length;
		this.link.sending();
		this.connection.send(out);
		return at + length;
	}

	private ByteBuffer room(int bytes) {
		if (this.piece.capacity() < bytes) {
			ByteBuffer larger = ByteBuffer.allocate(bytes);
			if (bytes <= 2 * BATCH_BYTES) {
				this.piece = larger;
			}
			return larger;
		}
		return this.piece;
	}

	/** Returns the bytes of whole records, 0 if they were overwritten meanwhile. */
	private int batch(long at, long published) throws WireException {
		int total = 0;
		int toEnd = this.log.toEnd(at);
		while (total < toEnd && at + total < published) {
			int length = this.log.length(at + total);
			if (this.drops && !this.log.isStillThere(at)) {
				return 0;
			}
			this.log.requireLength(at + total, length);
			if (total > 0 && total + length > BATCH_BYTES) {
				break;
			}
			total += length;
		}
		return total;
	}

}
