package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Further segments that are shared with one peer, for calls that find all lanes in use.
 * Handlers may take long, and as many calls should run as over HTTP. Each has a
 * connection of its own and is like the first. It is closed when it was not needed for a
 * while. Thread-safe.
 */
final class MoreLanes implements Watchdog.Watched {

	private static final Logger logger = LoggerFactory.getLogger(MoreLanes.class);

	/** Time for which a failure keeps calls from trying again. */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Interval between two looks for a lane while a segment is being made. */
	private static final long LOOK_MILLIS = 1;

	private static final Segment[] NONE = {};

	private final LaneClient first;

	private final Opener opener;

	private final int most;

	private final Watchdog watchdog;

	private final long idleNanos;

	/** Replaced under this object's monitor. */
	private volatile Segment[] segments = NONE;

	/** Done when the segment that is being made is there, or cannot be had. */
	private @Nullable CountDownLatch opening;

	private @Nullable ShmPeer connecting;

	private long nextAttempt;

	private boolean closed;

	/** Time of the next look for what is idle. */
	private volatile long nextLook = Watchdog.NEVER;

	/** Whether calls have left arrays for later calls since the last sweep. */
	private volatile boolean kept;

	/**
	 * Creates what has no segments yet.
	 * @param first the first segment
	 * @param opener connects a further segment
	 * @param most maximum number of segments
	 * @param watchdog closes what is not needed
	 * @param idleNanos time after which it does so
	 */
	MoreLanes(LaneClient first, Opener opener, int most, Watchdog watchdog, long idleNanos) {
		this.first = first;
		this.opener = opener;
		this.most = most;
		this.watchdog = watchdog;
		this.idleNanos = idleNanos;
		this.nextAttempt = watchdog.now();
		watchdog.add(this);
	}

	/**
	 * Takes a lane, and makes a segment if there is none.
	 * @param first where a lane may become free meanwhile
	 * @param wanted the contract
	 * @param deadlineNanos until when to wait for a segment that is being made, or
	 * {@link ClientLane#NO_DEADLINE}
	 * @return the lane, or {@code null} if there is none and no segment is available
	 * @throws PathException if the thread was interrupted
	 */
	@Nullable Taken take(ShmPeer first, ClientBinding wanted, long deadlineNanos) throws PathException {
		while (true) {
			Segment[] seen = this.segments;
			Taken taken = tryTake(seen, wanted);
			if (taken == null) {
				ClientLane lane = first.lanes().tryTake();
				taken = (lane != null) ? new Taken(first, lane) : null;
			}
			CountDownLatch awaited = (taken == null) ? open(seen) : null;
			if (awaited == null) {
				return taken;
			}
			if (deadlineNanos != ClientLane.NO_DEADLINE && deadlineNanos - System.nanoTime() <= 0) {
				return null;
			}
			try {
				// A new segment and a free lane serve the call equally.
				boolean ignored = awaited.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted", ex);
			}
		}
	}

	private static @Nullable Taken tryTake(Segment[] among, ClientBinding wanted) {
		for (Segment segment : among) {
			ClientLane lane = segment.peer.isBound(wanted) ? segment.peer.lanes().tryTake() : null;
			if (lane != null) {
				segment.used = true;
				return new Taken(segment.peer, lane);
			}
		}
		return null;
	}

	/**
	 * Returns when to look again, or {@code null} if there will be no further segment.
	 * @param seen the segments that have no free lane
	 */
	private synchronized @Nullable CountDownLatch open(Segment[] seen) {
		CountDownLatch running = this.opening;
		if (running != null) {
			return running;
		}
		if (this.segments != seen) {
			// One has come since the caller looked, and is to be looked at first.
			return new CountDownLatch(0);
		}
		if (this.closed || this.segments.length >= this.most || this.watchdog.now() < this.nextAttempt) {
			return null;
		}
		CountDownLatch begun = new CountDownLatch(1);
		Thread thread = DaemonThread.create("vicinal-shm-lanes", () -> connect(begun));
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			this.nextAttempt = this.watchdog.now() + PAUSE_NANOS;
			return null;
		}
		this.opening = begun;
		return begun;
	}

	private void connect(CountDownLatch begun) {
		ShmPeer peer = null;
		boolean usable = false;
		try {
			peer = this.opener.create();
			begin(peer);
			this.opener.connect(peer);
			usable = true;
		}
		catch (IOException | WireException | RuntimeException | Error ex) {
			logger.debug("No further lanes are available: {}", ex.toString());
		}
		finally {
			if (peer != null && !usable) {
				peer.close("it could not be used");
			}
			connected(usable ? peer : null);
			begun.countDown();
		}
	}

	/** From now on, the end of the pair ends the handshake. */
	private synchronized void begin(ShmPeer peer) throws IOException {
		if (this.closed) {
			throw new IOException("the path was closed");
		}
		this.connecting = peer;
	}

	private void connected(@Nullable ShmPeer peer) {
		boolean kept = false;
		synchronized (this) {
			this.opening = null;
			this.connecting = null;
			if (peer == null) {
				this.nextAttempt = this.watchdog.now() + PAUSE_NANOS;
				return;
			}
			if (!this.closed) {
				Segment[] more = Arrays.copyOf(this.segments, this.segments.length + 1);
				more[more.length - 1] = new Segment(peer);
				this.segments = more;
				kept = true;
			}
		}
		if (!kept) {
			peer.close("no path needs it any more");
			return;
		}
		lookLater();
	}

	/** Says that a call has left arrays to the next one. */
	void keeps() {
		if (!this.kept) {
			this.kept = true;
			lookLater();
		}
	}

	private void lookLater() {
		if (this.nextLook == Watchdog.NEVER) {
			long time = this.watchdog.now() + this.idleNanos;
			this.nextLook = time;
			try {
				this.watchdog.lookAt(time);
			}
			catch (OutOfMemoryError ex) {
				// No thread can be had, and the call that has ended must not fail for it.
				this.nextLook = Watchdog.NEVER;
			}
		}
	}

	/**
	 * Closes what has ended or was not used since the last look, and lets go of arrays if
	 * there were no calls.
	 */
	@Override
	public long look(long now) {
		long time = this.nextLook;
		if (time > now) {
			return time;
		}
		List<Segment> unused = List.of();
		boolean active = this.kept;
		this.kept = false;
		this.nextLook = Watchdog.NEVER;
		if (!active) {
			this.first.letGo();
		}
		synchronized (this) {
			Segment[] known = this.segments;
			unused = Arrays.stream(known).filter(MoreLanes::isUnused).toList();
			if (!unused.isEmpty()) {
				this.segments = Arrays.stream(known).filter((one) -> !one.unused).toArray(Segment[]::new);
			}
			if (active || this.segments.length > 0 || this.first.keptBytes() > 0) {
				this.nextLook = now + this.idleNanos;
			}
		}
		// A call that has found a lane meanwhile ends normally.
		unused.forEach((segment) -> segment.peer.retire());
		return this.nextLook;
	}

	private static boolean isUnused(Segment segment) {
		boolean used = segment.used;
		segment.used = false;
		segment.unused = segment.peer.hasEnded() || (!used && segment.peer.lanes().isIdle());
		return segment.unused;
	}

	/** Returns the pairs that there are beside the first one. */
	List<ShmPeer> peers() {
		return Arrays.stream(this.segments).map((segment) -> segment.peer).toList();
	}

	/**
	 * Makes no further segments.
	 * @param why calls in flight fail, or {@code null} if they end normally
	 */
	void close(@Nullable String why) {
		Segment[] known;
		ShmPeer unfinished;
		synchronized (this) {
			this.closed = true;
			known = this.segments;
			this.segments = NONE;
			unfinished = this.connecting;
		}
		this.watchdog.remove(this);
		if (unfinished != null) {
			unfinished.close("no path needs it any more");
		}
		for (Segment segment : known) {
			if (why != null) {
				segment.peer.close(why);
			}
			else {
				segment.peer.retire();
			}
		}
	}

	/** Makes further segments. */
	interface Opener {

		/** Returns one that is not connected. */
		ShmPeer create() throws IOException;

		/** Connects it, which takes a while. */
		void connect(ShmPeer further) throws IOException, WireException;

	}

	/**
	 * A lane that was taken.
	 *
	 * @param peer whose lane it is
	 * @param lane to be released there
	 */
	record Taken(ShmPeer peer, ClientLane lane) {
	}

	/** A pair and whether it is needed. */
	private static final class Segment {

		final ShmPeer peer;

		volatile boolean used = true;

		/** Guarded by the monitor of what has it. */
		boolean unused;

		Segment(ShmPeer peer) {
			this.peer = peer;
		}

	}

}
