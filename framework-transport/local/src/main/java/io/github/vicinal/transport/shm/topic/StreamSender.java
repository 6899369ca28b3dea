package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Competes for the messages of a stream on behalf of a subscriber of another host, which
 * holds some of them at the same time, each in a slot. What it holds when the connection
 * ends goes to another subscriber.
 */
final class StreamSender {

	private static final Logger logger = LoggerFactory.getLogger(StreamSender.class);

	private final TopicConnection connection;

	private final TopicLog log;

	private final PairMemory pair;

	private final ShmTopics topics;

	private final boolean drops;

	private final StreamClaim claims;

	private final RemoteLink link;

	private final Runnable onOverwritten;

	private final ThreadBells bells = new ThreadBells();

	/** Slots without a message. Guarded by itself. */
	private final BitSet free = new BitSet();

	private volatile boolean ended;

	private volatile boolean stopped;

	StreamSender(TopicConnection connection, TopicLog log, boolean drops, PairMemory pair, ShmTopics topics,
			RemoteLink link, Runnable onOverwritten) {
		this.link = link;
		this.onOverwritten = onOverwritten;
		this.connection = connection;
		this.log = log;
		this.drops = drops;
		this.pair = pair;
		this.topics = topics;
		this.claims = new StreamClaim(log, pair);
		this.free.set(0, pair.threads());
	}

	/** Returns the other side as its publisher knows it. */
	AttachedSubscriber subscriber(String name, String application) {
		return new AttachedSubscriber(name, application, this.pair, this.bells, this::end, 1, this.link);
	}

	private void end() {
		this.ended = true;
		this.bells.ring();
	}

	/** Sends until the connection ends. */
	void serve() throws WireException {
		Thread sender = this.topics.thread("send", this::send);
		this.bells.wakes(sender);
		sender.start();
		try {
			boolean left = false;
			while (!left) {
				ByteBuffer said = this.connection.receive(Long.MAX_VALUE);
				left = said != null && done(said);
			}
		}
		catch (IOException ex) {
			logger.debug("The connection with {} ended: {}", this.connection.peer(), ex.toString());
			if (!this.ended) {
				this.link.cut();
			}
		}
		finally {
			this.stopped = true;
			this.connection.close();
			this.bells.ring();
			LogSender.joinFully(sender);
		}
	}

	/** Returns whether the other side leaves. */
	private boolean done(ByteBuffer said) throws WireException {
		byte kind = RemoteProtocol.kind(said);
		if (kind == RemoteProtocol.LEAVE) {
			return true;
		}
		if (kind != RemoteProtocol.DONE) {
			throw new WireException(Refusal.MALFORMED, "a piece of kind %d".formatted(kind));
		}
		RemoteProtocol.requireBytes(said, Integer.BYTES);
		int slot = said.getInt();
		boolean starved;
		synchronized (this.free) {
			if (slot < 0 || slot >= this.pair.threads() || this.free.get(slot)) {
				throw new WireException(Refusal.MALFORMED, "done with slot %d, which has no message".formatted(slot));
			}
			this.pair.release(slot);
			starved = this.free.isEmpty();
			this.free.set(slot);
			this.link.confirmed(this.free.cardinality() == this.pair.threads());
		}
		if (starved || this.ended) {
			this.bells.ring();
		}
		return false;
	}

	/** Takes a free slot, or returns a negative number. */
	private int takeSlot() {
		synchronized (this.free) {
			int slot = this.free.nextSetBit(0);
			if (slot >= 0) {
				this.free.clear(slot);
			}
			return slot;
		}
	}

	private void giveSlot(int slot) {
		synchronized (this.free) {
			this.free.set(slot);
		}
	}

	private boolean allFree() {
		synchronized (this.free) {
			return this.free.cardinality() == this.pair.threads();
		}
	}

	private void send() {
		try {
			while (!this.stopped) {
				int slot = takeSlot();
				if (slot < 0) {
					// The other side says when one is free.
					this.bells.await(Bell.FOREVER);
				}
				else if (!sendNext(slot) && !awaitMore()) {
					this.connection.send(RemoteProtocol.word(RemoteProtocol.END));
					return;
				}
			}
		}
		catch (IOException | WireException | RuntimeException | InternalError ex) {
			if (!this.stopped) {
				logger.debug("Nothing more is sent to {}: {}", this.connection.peer(), ex.toString());
				this.connection.close();
			}
		}
	}

	/** Waits for messages, and returns whether there may be some. */
	private boolean awaitMore() {
		if (this.ended && allFree() && !this.claims.hasMore()) {
			return false;
		}
		this.pair.asleep(0, true);
		try {
			// In one order with the word, so that no wake-up is lost.
			if (!this.stopped && !this.claims.hasMore() && !(this.ended && allFree())) {
				this.bells.await(StreamClaim.LOOK_NANOS);
			}
		}
		finally {
			this.pair.asleep(0, false);
		}
		return true;
	}

	private boolean sendNext(int slot) throws IOException, WireException {
		long at = this.claims.take(slot);
		if (at == StreamClaim.NOTHING) {
			giveSlot(slot);
			return false;
		}
		ByteBuffer piece = message(slot, at);
		if (piece == null) {
			this.onOverwritten.run();
			this.pair.release(slot);
			giveSlot(slot);
			return true;
		}
		this.link.sending();
		this.connection.send(piece);
		return true;
	}

	/** Copies a message; {@code null} if it was overwritten meanwhile. */
	private @Nullable ByteBuffer message(int slot, long at) throws WireException {
		try {
			ByteBuffer piece = copy(slot, at);
			return (!this.drops || this.log.isStillThere(at)) ? piece : null;
		}
		catch (WireException ex) {
			if (this.drops && !this.log.isStillThere(at)) {
				return null;
			}
			throw ex;
		}
	}

	private ByteBuffer copy(int slot, long at) throws WireException {
		byte[] headers = this.log.headers(at);
		byte[] payload = this.log.payload(at);
		return ByteBuffer.allocate(RemoteProtocol.MESSAGE_BYTES + headers.length + payload.length)
			.put(RemoteProtocol.MESSAGE)
			.putInt(slot)
			.put((byte) (this.claims.isRedelivered() ? 1 : 0))
			.putLong(this.log.sequence(at))
			.putInt(headers.length)
			.put(headers)
			.put(payload)
			.flip();
	}

}
