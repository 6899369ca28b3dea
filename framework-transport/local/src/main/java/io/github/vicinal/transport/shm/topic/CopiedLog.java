package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of a log of another host, for all subscribers of this one. Each record is at
 * the position that it has at its publisher, and the copy has the same capacity, so the
 * publisher's room is that of the slowest subscriber of any host, and a subscriber that
 * changes from one copy to another goes on at its position.
 * <p>
 * A copy whose connection breaks is continued where it was. It ends if that is not
 * possible any more; its subscribers handle what it has, come again, and count what they
 * have missed.
 */
final class CopiedLog implements ServedLog, Runnable {

	private static final Logger logger = LoggerFactory.getLogger(CopiedLog.class);

	/**
	 * Time in which subscribers come that have left off at another copy, which this one
	 * continues. Until it has passed, nothing is overwritten that they may want.
	 */
	private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** Time without a subscriber after which a copy ends. */
	private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Time for which a copy whose connection broke tries to connect again. */
	private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(60);

	private static final long FIRST_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	private static final long LAST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Part of the capacity that is handled before its publisher is notified, as a
	 * divisor.
	 */
	private static final int HANDLED_SHARE = 8;

	private final Source source;

	private final MemoryFiles files;

	private final String fileName;

	private final RemoteGrant grant;

	private final TopicLog log;

	private final ReentrantLock lock = new ReentrantLock();

	private final List<AttachedSubscriber> subscribers = new CopyOnWriteArrayList<>();

	private final long graceEnd;

	/** First position that this copy has had. */
	private final long began;

	/** Guarded by the lock, as all that follows. Only the thread that receives writes. */
	private long end;

	private long nextSequence;

	/** First position whose record somebody has yet to handle, as the publisher knows. */
	private long handled;

	private long lastSubscriber = System.nanoTime();

	private boolean closed;

	private volatile @Nullable TopicConnection connection;

	/** Used by the thread that receives. */
	private long look = IDLE_LOOK_NANOS;

	/** Used by the thread that receives. */
	private long lastHandled = System.nanoTime();

	/**
	 * Creates a copy.
	 * @param source makes connections
	 * @param connection the first one
	 * @param grant what the publisher has answered
	 * @param continues whether it continues another copy
	 * @param files where the log is
	 * @param fileName its name
	 * @throws IOException if there is no room for it
	 */
	CopiedLog(Source source, TopicConnection connection, RemoteGrant grant, boolean continues, MemoryFiles files,
			String fileName) throws IOException {
		this.graceEnd = System.nanoTime() + (continues ? GRACE_NANOS : 0);
		this.source = source;
		this.connection = connection;
		this.grant = grant;
		this.files = files;
		this.fileName = fileName;
		this.log = TopicLog.create(files, fileName, grant.capacity(), grant.epoch());
		this.began = grant.start().position();
		this.end = this.began;
		this.handled = this.began;
		this.nextSequence = grant.start().sequence();
		this.log.floor(this.began);
		this.log.publish(this.began);
	}

	@Override
	public TopicLog require() {
		return this.log;
	}

	@Override
	public String fileName() {
		return this.fileName;
	}

	@Override
	public long epoch() {
		return this.grant.epoch();
	}

	@Override
	public boolean drops() {
		return this.grant.drops();
	}

	@Override
	public void attach(AttachedSubscriber subscriber, Resume resume) throws IOException {
		this.lock.lock();
		try {
			if (this.closed) {
				throw new IOException("the copy has ended");
			}
			long oldest = Math.max(this.began, this.drops() ? this.log.floor() : this.handled);
			boolean resumed = resume.isFor(epoch()) && resume.position() >= oldest
					&& resume.position() <= this.end + this.log.capacity();
			long start = resumed ? resume.position() : this.end;
			subscriber.pair().position(start);
			subscriber.started(start, resumed ? resume.sequence() : this.nextSequence);
			this.subscribers.add(subscriber);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void detach(AttachedSubscriber subscriber) {
		this.lock.lock();
		try {
			this.subscribers.remove(subscriber);
			this.lastSubscriber = System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void run() {
		try {
			TopicConnection open = this.connection;
			while (open != null) {
				try {
					if (!receive(open)) {
						return;
					}
				}
				catch (IOException ex) {
					logger.debug("The connection with {} ended: {}", open.peer(), ex.toString());
				}
				open.close();
				open = reconnect();
			}
		}
		catch (WireException ex) {
			logger.warn("The copy of a topic is left: {}", WireException.printable(ex.text()));
		}
		catch (RuntimeException | InternalError | OutOfMemoryError ex) {
			logger.warn("The copy of a topic failed", ex);
		}
		finally {
			close();
		}
	}

	/** Returns whether the connection is still there. */
	private boolean receive(TopicConnection open) throws IOException, WireException {
		while (!isClosed()) {
			ByteBuffer piece = open.receive(this.look);
			if (piece != null) {
				byte kind = RemoteProtocol.kind(piece);
				if (kind == RemoteProtocol.END) {
					return false;
				}
				if (kind != RemoteProtocol.RECORDS || piece.remaining() <= Long.BYTES) {
					throw new WireException(Refusal.MALFORMED,
							"a piece of kind %d with %d bytes".formatted(kind, piece.remaining()));
				}
				records(piece.getLong(), piece);
			}
			sayHandled(open);
			if (isUnused()) {
				open.send(RemoteProtocol.word(RemoteProtocol.LEAVE));
				awaitEnd(open);
				return false;
			}
		}
		return false;
	}

	/**
	 * Waits until the publisher ends the connection, since it may lose what it has not
	 * read if this side does.
	 */
	private void awaitEnd(TopicConnection open) {
		long sent = System.nanoTime();
		try {
			long left = RemoteProtocol.LEAVE_NANOS;
			while (left > 0 && !isClosed()) {
				open.receive(Math.min(left, IDLE_LOOK_NANOS));
				left = RemoteProtocol.LEAVE_NANOS - (System.nanoTime() - sent);
			}
		}
		catch (IOException ex) {
			logger.debug("{} ended the connection: {}", open.peer(), ex.toString());
		}
	}

	private void records(long position, ByteBuffer records) throws WireException {
		int length = records.remaining();
		this.lock.lock();
		try {
			boolean gap = drops() && position > this.end;
			if ((position != this.end && !gap) || (position & (Long.BYTES - 1)) != 0
					|| length > this.log.toEnd(position)) {
				throw new WireException(Refusal.MALFORMED,
						"%d bytes at position %d, but %d is next".formatted(length, position, this.end));
			}
			long sequence = check(position, records);
			if (drops()) {
				makeRoom(position, length, gap);
			}
			else if (position + length - this.log.capacity() > this.handled) {
				throw new WireException(Refusal.MALFORMED, "more messages than there is room for");
			}
			this.log.paste(position, records.array(), records.arrayOffset() + records.position(), length);
			this.end = position + length;
			this.nextSequence = (sequence >= 0) ? sequence + 1 : this.nextSequence;
			this.log.publish(this.end);
			this.look = FIRST_LOOK_NANOS;
		}
		finally {
			this.lock.unlock();
		}
		this.subscribers.forEach((subscriber) -> subscriber.wake(0));
	}

	/**
	 * Checks that these are whole records, and says when they arrived: the clocks of two
	 * hosts have nothing in common.
	 * @return the number of the last message, negative if there is none
	 */
	private long check(long position, ByteBuffer records) throws WireException {
		ByteBuffer all = records.slice().order(ByteOrder.nativeOrder());
		long now = System.nanoTime();
		long sequence = -1;
		int at = 0;
		while (at < all.limit()) {
			int length = (all.limit() - at >= Long.BYTES) ? all.getInt(at + TopicLog.LENGTH) : 0;
			this.log.requireLength(position + at, length);
			int kind = all.getInt(at + TopicLog.KIND);
			boolean data = kind == TopicLog.DATA && length >= TopicLog.RECORD_BYTES;
			if (at + length > all.limit() || (!data && kind != TopicLog.PADDING)) {
				throw new WireException(Refusal.MALFORMED, "a record of kind %d with %d bytes".formatted(kind, length));
			}
			if (data) {
				sequence = all.getLong(at + TopicLog.SEQUENCE);
				all.putLong(at + TopicLog.TIME, now);
			}
			at += length;
		}
		return sequence;
	}

	/** Gives up records that are overwritten next. */
	private void makeRoom(long position, int length, boolean gap) {
		long floor = Math.max(this.began, this.log.floor());
		if (gap) {
			floor = position;
		}
		while (floor < position + length - this.log.capacity()) {
			floor += this.log.length(floor);
		}
		this.log.floor(floor);
	}

	private void sayHandled(TopicConnection open) throws IOException {
		long least;
		this.lock.lock();
		try {
			least = this.end;
			for (AttachedSubscriber subscriber : this.subscribers) {
				least = Math.min(least, subscriber.pair().position());
			}
			boolean grace = System.nanoTime() - this.graceEnd < 0;
			// A subscriber may have written anything into its page.
			least = grace ? this.handled : Math.max(this.handled, least);
			long progress = least - this.handled;
			boolean due = progress >= this.log.capacity() / HANDLED_SHARE
					|| (progress > 0 && System.nanoTime() - this.lastHandled >= LAST_LOOK_NANOS);
			this.look = (this.handled + progress == this.end) ? IDLE_LOOK_NANOS
					: (progress > 0) ? FIRST_LOOK_NANOS : Math.min(2 * this.look, LAST_LOOK_NANOS);
			if (progress > 0 && !due) {
				this.look = Math.min(this.look, LAST_LOOK_NANOS);
			}
			if (!due) {
				return;
			}
			this.handled = least;
			this.lastHandled = System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
		open.send(RemoteProtocol.handled(least));
	}

	private boolean isUnused() {
		this.lock.lock();
		try {
			return this.subscribers.isEmpty() && System.nanoTime() - this.lastSubscriber >= UNUSED_NANOS;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns a connection that goes on where the last one ended. */
	private @Nullable TopicConnection reconnect() throws WireException {
		RemoteBackOff backOff = new RemoteBackOff();
		long gone = System.nanoTime();
		while (!isClosed() && System.nanoTime() - gone < GONE_NANOS) {
			TopicConnection made = null;
			boolean continued = false;
			try {
				made = this.source.connect();
				this.connection = made;
				// Only this thread moves either.
				Resume resume = new Resume(epoch(), drops() ? this.end : this.handled, this.nextSequence);
				RemoteGrant again = this.source.ask(made, resume, this.end);
				continued = again.epoch() == resume.epoch() && again.start().position() == resume.position()
						&& again.capacity() == this.grant.capacity();
				return continued ? made : null;
			}
			catch (Handshake.RefusedException ex) {
				logger.warn("The copy of a topic is not continued: {}", ex.getMessage());
				return null;
			}
			catch (IOException ex) {
				logger.debug("The copy of a topic waits for its publisher: {}", ex.toString());
			}
			finally {
				if (made != null && !continued) {
					made.close();
				}
			}
			backOff.pause(this, isClosed());
		}
		return null;
	}

	/** Ends the copy. Subscribers handle what it has. */
	void close() {
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.closed = true;
			Files.deleteIfExists(this.files.directory().resolve(this.fileName));
			this.files.ended(this.log.bytes());
		}
		catch (IOException ex) {
			// The next process that starts deletes it.
		}
		finally {
			this.lock.unlock();
		}
		TopicConnection open = this.connection;
		if (open != null) {
			open.close();
		}
		this.subscribers.forEach(AttachedSubscriber::close);
	}

	/** Makes connections for a copy. */
	interface Source {

		TopicConnection connect() throws IOException;

		RemoteGrant ask(TopicConnection connection, Resume resume, long from)
				throws IOException, WireException, Handshake.RefusedException;

	}

}
