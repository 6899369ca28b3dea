package io.github.vicinal.transport.rdma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames over one queue pair. Any thread sends: it writes the frame into the ring
 * itself unless others wait for room. A thread of the connection receives, reads large
 * frames from the memory of the peer, returns room to the peer, sends what has waited,
 * and watches deadlines. Thread-safe.
 * <p>
 * Memory of the queue pair is freed by that thread, under the lock that each sender
 * takes, when the connection has ended.
 */
final class RdmaConnection implements QueuePair.Completions {

	/** Memory in front of the copy of the peer's ring: first messages of both sides. */
	static final int HEAD_BYTES = 4096;

	private static final Logger logger = LoggerFactory.getLogger(RdmaConnection.class);

	private static final int SETUP_IN = 0;

	private static final int SETUP_OUT = 64;

	/** Messages that a peer may send to this side before this side has consumed one. */
	private static final int MESSAGES = 256;

	/** Receives for numbers that carry no records: credits, pings and their answers. */
	private static final int RESERVED_RECEIVES = 32;

	private static final int SENDS = 128;

	private static final int INLINE_BYTES = 220;

	private static final int POLLED = 32;

	/** Part of the ring that one write publishes at most, when much waits. */
	private static final int BATCH_SHARE = 8;

	private static final int REPOST = 16;

	private static final int FRAMES_PER_TURN = 32;

	private static final long REFUSAL_NANOS = 1_000_000_000;

	/**
	 * Status of an access to memory that the peer does not have, or not under that key.
	 */
	private static final String NO_SUCH_MEMORY = "remote access error";

	/** Deadlines are kept to this part of the shortest of them. */
	private static final int PRECISION = 4;

	private final QueuePair queuePair;

	private final RdmaOptions options;

	private final Listener listener;

	private final boolean server;

	private final ReentrantLock lock = new ReentrantLock();

	/** Completes when frames can be sent, or fails. */
	private final CompletableFuture<Void> ready = new CompletableFuture<>();

	private final IdleRule idle;

	private final long periodNanos;

	private final long lockedBytes;

	/** Guarded by the lock. */
	private final Deque<Outgoing> small = new ArrayDeque<>();

	/** Guarded by the lock. */
	private final Deque<Outgoing> large = new ArrayDeque<>();

	/** Large frames of which a part has been sent. Guarded by the lock. */
	private final @Nullable Outgoing[] streams = new Outgoing[RingRecord.STREAMS];

	/** Guarded by the lock; {@code null} until the peer has said where its ring is. */
	private @Nullable OutboundRing outbound;

	/** Guarded by the lock; set together with the ring. */
	private @Nullable RendezvousSender offered;

	/** Guarded by the lock. */
	private boolean ended;

	/** Why the connection is to end; the first reason stays. */
	private volatile @Nullable String stopping;

	// What follows is used by the thread of the connection.

	private @Nullable InboundRing inbound;

	private final RendezvousReceiver rendezvous;

	/** Frames that this side has read from the memory of the peer. */
	private final Deque<byte[]> readFrames = new ArrayDeque<>();

	private WireLimits limits;

	private @Nullable WireException violation;

	private @Nullable String failure;

	private boolean failureFlushed;

	private int setupLength = -1;

	private boolean setupSent;

	private int unposted;

	private boolean pongDue;

	private boolean pingDue;

	private boolean pinged;

	private boolean paused;

	/** Time at which a refused connection is closed, 0 if it was not refused. */
	private volatile long closeAt;

	private long lastTick;

	private long lastHeard;

	private long lastPing;

	private long lastTaken;

	/** When the peer last read a piece of a large frame, or none waited for it. */
	private long lastPieceTaken;

	/**
	 * Creates a connection that is not used before {@link #start}.
	 * @param queuePair carries it, and belongs to it
	 * @param options limits
	 * @param server whether this side accepted the connection
	 * @param firstFrameBytes longest frame that is accepted before {@link #accept}
	 * @param listener receives frames
	 */
	RdmaConnection(QueuePair queuePair, RdmaOptions options, boolean server, int firstFrameBytes, Listener listener) {
		this.queuePair = queuePair;
		this.options = options;
		this.server = server;
		this.listener = listener;
		this.rendezvous = new RendezvousReceiver(queuePair);
		this.lockedBytes = options.lockedBytes() + queuePair.readable().capacity() + queuePair.landing().capacity();
		this.limits = new WireLimits(firstFrameBytes, options.limits().maxHeaders(), options.limits().maxHeaderBytes());
		this.idle = new IdleRule(options.completionMode(), Runtime.getRuntime().availableProcessors());
		this.periodNanos = Math.min(options.frameTimeout().toNanos(),
				Math.min(options.pingInterval().toNanos(), options.pingTimeout().toNanos())) / PRECISION;
	}

	/** Returns what a connection needs. */
	static Verbs.Resources resources(RdmaOptions options) {
		// Each piece that the peer reads is acknowledged by a number.
		int receives = MESSAGES + RESERVED_RECEIVES + options.rendezvousBytes() / RendezvousSender.PIECE_BYTES;
		return new Verbs.Resources(SENDS, receives, INLINE_BYTES, options.ringBytes(), HEAD_BYTES + options.ringBytes(),
				Setup.BYTES, options.rendezvousBytes());
	}

	/** Starts the thread, which agrees with the peer on rings first. */
	void start(String name) {
		DaemonThread.create(name, this::run).start();
	}

	/** Returns a stage that completes when frames can be sent, or fails. */
	CompletableFuture<Void> ready() {
		return this.ready;
	}

	/** Returns the memory that the connection locks while it is open. */
	long lockedBytes() {
		return this.lockedBytes;
	}

	/**
	 * Returns the length of the longest frame that no other frame overtakes. Known once
	 * frames can be sent.
	 */
	int maxOrderedBytes() {
		this.lock.lock();
		try {
			int most = (this.outbound != null) ? this.outbound.maxLength() : 0;
			return Math.min(most, RendezvousSender.MIN_FRAME_BYTES - 1);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns the number of pieces of large frames that the peer reads or has read. */
	long offeredPieces() {
		this.lock.lock();
		try {
			return (this.offered != null) ? this.offered.announced() : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Accepts long frames from now on. Called by the listener for a frame. */
	void accept(WireLimits known) {
		this.limits = known;
		InboundRing ring = this.inbound;
		if (ring != null) {
			ring.maxFrameBytes(known.maxFrameBytes());
		}
	}

	/**
	 * Sends a frame, now or when there is room.
	 * @return {@code false} if the connection has ended, and nothing was sent
	 */
	boolean send(Outgoing frame) {
		this.lock.lock();
		try {
			if (this.ended || this.stopping != null) {
				return false;
			}
			OutboundRing ring = this.outbound;
			(isLarge(frame) ? this.large : this.small).add(frame);
			if (ring != null) {
				drain(ring);
			}
			return true;
		}
		catch (VerbsException ex) {
			// Whether the frame has begun is known to the frame.
			stop("cannot be written to: " + ex.text());
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Whether a frame travels in pieces, or may do so. None does as far as is known
	 * before the first message of the peer. Under the lock.
	 */
	private boolean isLarge(Outgoing frame) {
		OutboundRing ring = this.outbound;
		RendezvousSender rendezvous = this.offered;
		return ring != null && rendezvous != null
				&& (frame.size() > ring.maxLength() || rendezvous.takes(frame.size()));
	}

	/**
	 * Sends a frame that must not overtake another one. Small frames pass large ones.
	 * @param first a frame of which the peer has seen a part
	 * @param next the frame
	 */
	void sendBehind(Outgoing first, Outgoing next) {
		this.lock.lock();
		try {
			for (Outgoing stream : this.streams) {
				if (stream == first) {
					first.sendBehind(next);
					return;
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		send(next);
	}

	/**
	 * Takes a frame back.
	 * @return {@code false} if the peer may have seen a part of it, or it was not waiting
	 */
	boolean withdraw(Outgoing frame) {
		this.lock.lock();
		try {
			return !frame.isBegun() && (this.small.remove(frame) || this.large.remove(frame) || unstarted(frame));
		}
		finally {
			this.lock.unlock();
		}
	}

	/** A large frame may have its stream, and wait for room for its first piece. */
	private boolean unstarted(Outgoing frame) {
		for (int i = 0; i < this.streams.length; i++) {
			if (this.streams[i] == frame) {
				this.streams[i] = null;
				return true;
			}
		}
		return false;
	}

	/** Writes what waits, as far as there is room. Under the lock. */
	private boolean drain(OutboundRing ring) throws VerbsException {
		boolean worked = false;
		int batch = this.options.ringBytes() / BATCH_SHARE;
		while (hasWaiting() && ring.canPublish()) {
			boolean room = true;
			while (room && !this.small.isEmpty() && ring.unpublished() < batch) {
				room = append(ring, this.small.element());
				if (room) {
					this.small.remove();
				}
			}
			for (int i = 0; room && i < this.streams.length; i++) {
				room = appendLarge(ring, i);
			}
			if (ring.unpublished() == 0) {
				return worked;
			}
			ring.publish();
			worked = true;
		}
		return worked;
	}

	private boolean hasWaiting() {
		if (!this.small.isEmpty() || !this.large.isEmpty()) {
			return true;
		}
		for (Outgoing stream : this.streams) {
			if (stream != null) {
				return true;
			}
		}
		return false;
	}

	private boolean append(OutboundRing ring, Outgoing frame) {
		if (isLarge(frame)) {
			// Queued before the size of the ring was known.
			this.large.add(frame);
			return true;
		}
		return frame.append(ring, 0);
	}

	private boolean appendLarge(OutboundRing ring, int stream) {
		Outgoing current = this.streams[stream];
		if (current == null) {
			current = this.large.poll();
			this.streams[stream] = current;
		}
		RendezvousSender rendezvous = this.offered;
		if (current == null || rendezvous == null) {
			return true;
		}
		boolean room = current.append(ring, rendezvous, stream);
		endIfWhole(stream);
		return room;
	}

	private void endIfWhole(int stream) {
		Outgoing current = this.streams[stream];
		if (current != null && current.isWhole()) {
			this.streams[stream] = null;
			Outgoing behind = current.behind();
			if (behind != null) {
				this.small.add(behind);
			}
		}
	}

	/** Ends the connection. The first reason stays. */
	void stop(String why) {
		if (this.stopping == null) {
			this.stopping = why;
		}
		wake();
	}

	/** Sends a last frame, and ends once the peer has left or a second has passed. */
	void stopAfter(Outgoing last) {
		send(last);
		this.closeAt = System.nanoTime() + REFUSAL_NANOS;
		wake();
	}

	/** Lets the thread of the connection look again whether frames can be received. */
	void wake() {
		this.lock.lock();
		try {
			if (!this.ended) {
				this.queuePair.wake();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void run() {
		String why;
		WireException refused = null;
		try {
			restart(System.nanoTime());
			setUp(System.nanoTime() + this.options.handshakeTimeout().toNanos());
			this.ready.complete(null);
			why = loop();
		}
		catch (WireException ex) {
			refused = ex;
			why = ex.text();
		}
		catch (VerbsException ex) {
			why = "cannot be reached: " + ex.text();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A bug in the transport ended a connection", ex);
			why = "is left because of a bug in the transport: " + ex;
		}
		end(why, refused);
	}

	private void end(String why, @Nullable WireException refused) {
		Deque<Outgoing> unsent = new ArrayDeque<>();
		this.lock.lock();
		try {
			this.ended = true;
			if (this.stopping == null) {
				this.stopping = why;
			}
			unsent.addAll(this.small);
			unsent.addAll(this.large);
			for (Outgoing stream : this.streams) {
				if (stream != null) {
					unsent.add(stream);
				}
			}
			this.queuePair.close();
		}
		finally {
			this.lock.unlock();
		}
		unsent.forEach(Outgoing::left);
		this.ready.completeExceptionally((refused != null) ? refused : new VerbsException(why));
		this.listener.ended(why, refused);
	}

	private void setUp(long deadline) throws VerbsException, WireException {
		Setup own = new Setup(0, this.options.ringBytes(), MESSAGES, this.queuePair.inboundAddress(),
				this.queuePair.inboundKey(), RendezvousReceiver.pieces(this.queuePair));
		if (!this.server) {
			sendSetup(own);
		}
		Setup peer;
		try {
			peer = awaitSetup(deadline);
		}
		catch (WireException ex) {
			if (this.server) {
				sendSetup(Setup.refused(ex.refusal()));
				await(() -> this.setupSent, Math.min(deadline, System.nanoTime() + REFUSAL_NANOS));
			}
			throw ex;
		}
		int bytes = Math.min(own.ringBytes(), peer.ringBytes());
		this.inbound = new InboundRing(this.queuePair.inbound(), bytes, MESSAGES, this.limits.maxFrameBytes(),
				this.rendezvous);
		if (this.server) {
			sendSetup(own);
		}
		this.lock.lock();
		try {
			this.outbound = new OutboundRing(this.queuePair, HEAD_BYTES, bytes, peer, SENDS - 1);
			this.offered = new RendezvousSender(this.queuePair, peer.pieces());
		}
		finally {
			this.lock.unlock();
		}
	}

	private void sendSetup(Setup setup) throws VerbsException {
		setup.write(this.queuePair.outbound(), SETUP_OUT);
		this.queuePair.send(SETUP_OUT, Setup.BYTES);
	}

	private Setup awaitSetup(long deadline) throws VerbsException, WireException {
		if (!await(() -> this.setupLength >= 0, deadline)) {
			throw new WireException(Refusal.STALLED,
					"no first message arrived within %d ms".formatted(this.options.handshakeTimeout().toMillis()));
		}
		Setup peer = Setup.read(this.queuePair.outbound(), SETUP_IN, this.setupLength);
		if (peer.refusal() != 0) {
			Refusal refusal = Refusal.of(peer.refusal());
			throw new WireException(refusal, "the peer refused (%s) the first message".formatted(refusal.id()));
		}
		return peer;
	}

	/** Waits for a first message without spinning: nobody is served yet. */
	private boolean await(BooleanSupplier condition, long deadline) throws VerbsException, WireException {
		while (true) {
			this.queuePair.arm();
			// One by one: what follows the first message needs the ring.
			int polled = poll(1);
			if (condition.getAsBoolean()) {
				return true;
			}
			if (polled > 0) {
				// An event announces only what arrives later.
				continue;
			}
			String why = reasonToEnd();
			if (why != null) {
				throw new VerbsException(why);
			}
			long left = deadline - System.nanoTime();
			if (left <= 0) {
				return false;
			}
			this.queuePair.await(left);
		}
	}

	private @Nullable String reasonToEnd() {
		String why = this.stopping;
		if (why == null && this.failure != null && !this.failureFlushed) {
			why = "cannot be reached: " + this.failure;
		}
		if (why == null) {
			why = this.queuePair.ended();
		}
		return (why == null && this.failure != null) ? "closed the connection" : why;
	}

	private int poll(int max) throws VerbsException, WireException {
		int polled = this.queuePair.poll(max, this);
		WireException broken = this.violation;
		if (broken != null) {
			throw broken;
		}
		return polled;
	}

	private String loop() throws VerbsException, WireException {
		while (true) {
			String why = reasonToEnd();
			int work = poll(POLLED);
			if (why != null && work == 0) {
				// Answers that arrived before the end count.
				if (this.stopping == null && !this.server) {
					consume(true);
				}
				return why;
			}
			work += consume(false);
			work += flush() ? 1 : 0;
			long now = System.nanoTime();
			why = tick(now);
			if (why != null) {
				return why;
			}
			if (work > 0) {
				this.idle.worked();
			}
			else if (!this.idle.staysAwake(now)) {
				sleep();
			}
		}
	}

	private void sleep() throws VerbsException, WireException {
		this.queuePair.arm();
		if (poll(POLLED) == 0 && reasonToEnd() == null && !canConsume()) {
			this.queuePair.await(this.periodNanos);
		}
	}

	private boolean canConsume() {
		InboundRing ring = this.inbound;
		return ring != null && ring.hasRecords() && this.listener.reads(ring.assemblingBytes());
	}

	/** Hands over frames. Returns the number of records that were consumed. */
	private int consume(boolean all) throws WireException {
		InboundRing ring = this.inbound;
		if (ring == null) {
			return 0;
		}
		int records = 0;
		long now = System.nanoTime();
		while (!this.readFrames.isEmpty()) {
			records++;
			this.listener.received(parse(this.readFrames.remove()));
		}
		while (ring.hasRecords() && (all || records < FRAMES_PER_TURN)) {
			boolean reads = all || this.listener.reads(ring.assemblingBytes());
			if (this.paused && reads) {
				ring.restart(now);
			}
			this.paused = !reads;
			if (!reads) {
				break;
			}
			records++;
			byte[] frame = ring.next(now);
			if (frame != null) {
				this.listener.received(parse(frame));
			}
		}
		return records;
	}

	private ReceivedFrame parse(byte[] bytes) throws WireException {
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(bytes, bytes.length, header, this.limits);
		return new ReceivedFrame(header, bytes);
	}

	/** Posts receives, notifies the peer of free room, and sends what waits. */
	private boolean flush() throws VerbsException {
		InboundRing in = this.inbound;
		boolean owes = in != null && in.owesCredit();
		if (this.unposted >= REPOST || (owes && this.unposted > 0)) {
			this.queuePair.receive(this.unposted);
			this.unposted = 0;
		}
		this.lock.lock();
		try {
			OutboundRing out = this.outbound;
			if (out == null) {
				return false;
			}
			boolean worked = false;
			if (owes && in != null && out.canNotify()) {
				out.notifyPeer(in.credit());
				worked = true;
			}
			if ((this.pongDue || this.rendezvous.owesAcknowledgement()) && out.canNotify()) {
				this.pongDue = false;
				out.notifyPeer(this.rendezvous.acknowledge());
			}
			if (this.pingDue && out.canNotify()) {
				this.pingDue = false;
				out.notifyPeer(Immediate.of(Immediate.PING, 0));
			}
			while (this.rendezvous.canPost() && out.canRead()) {
				this.rendezvous.post();
				out.readPosted();
				worked = true;
			}
			return drain(out) || worked;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void restart(long now) {
		this.lastTick = now;
		this.lastHeard = now;
		this.lastPing = now;
		this.lastTaken = now;
		this.lastPieceTaken = now;
		if (this.inbound != null) {
			this.inbound.restart(now);
		}
	}

	/** Returns why the connection ends, or {@code null}. */
	private @Nullable String tick(long now) throws WireException {
		long close = this.closeAt;
		if (close != 0 && now - close >= 0) {
			return "was refused";
		}
		if (now - this.lastTick < this.periodNanos / 2) {
			return null;
		}
		if (now - this.lastTick > 2 * this.periodNanos) {
			// This process was suspended, and has not read what has arrived meanwhile.
			restart(now);
		}
		this.lastTick = now;
		long frameNanos = this.options.frameTimeout().toNanos();
		if (this.server && now - lastTaken(now) >= frameNanos) {
			return "took no bytes for %d ms".formatted(this.options.frameTimeout().toMillis());
		}
		InboundRing ring = this.inbound;
		if (!this.paused && ring != null && ring.isStalled(now, frameNanos)) {
			throw new WireException(Refusal.STALLED, "the rest of a frame did not arrive within %d ms"
				.formatted(this.options.frameTimeout().toMillis()));
		}
		if (this.pinged) {
			if (now - this.lastPing >= this.options.pingTimeout().toNanos()) {
				return "did not answer a ping within %d ms".formatted(this.options.pingTimeout().toMillis());
			}
		}
		else if (now - this.lastHeard >= this.options.pingInterval().toNanos()) {
			this.pinged = true;
			this.pingDue = true;
			this.lastPing = now;
		}
		return null;
	}

	/** Returns when the peer last returned room, or nothing waited for it. */
	private long lastTaken(long now) {
		this.lock.lock();
		try {
			if (!hasWaiting()) {
				this.lastTaken = now;
			}
			RendezvousSender rendezvous = this.offered;
			if (rendezvous == null || rendezvous.isAllTaken()) {
				this.lastPieceTaken = now;
			}
			// Room in the ring does not stand for pieces that nobody reads.
			return (this.lastTaken - this.lastPieceTaken < 0) ? this.lastTaken : this.lastPieceTaken;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void sent() {
		if (!this.setupSent) {
			this.setupSent = true;
			return;
		}
		this.lock.lock();
		try {
			OutboundRing ring = this.outbound;
			if (ring != null) {
				ring.completed();
			}
		}
		catch (WireException ex) {
			broken(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void read() {
		heard();
		this.lock.lock();
		try {
			OutboundRing ring = this.outbound;
			if (ring != null) {
				ring.readCompleted();
			}
		}
		finally {
			this.lock.unlock();
		}
		InboundRing ring = this.inbound;
		try {
			byte[] frame = (ring != null) ? this.rendezvous.completed(ring) : null;
			if (frame != null) {
				this.readFrames.add(frame);
			}
		}
		catch (WireException ex) {
			broken(ex);
		}
	}

	@Override
	public void received(int length) {
		heard();
		if (this.setupLength >= 0) {
			broken(new WireException(Refusal.MALFORMED, "a second first message"));
			return;
		}
		this.setupLength = length;
	}

	@Override
	public void written(int immediate) {
		heard();
		this.unposted++;
		InboundRing ring = this.inbound;
		try {
			if (ring == null) {
				throw new WireException(Refusal.MALFORMED, "a write before the first message");
			}
			switch (Immediate.kind(immediate)) {
				case Immediate.DATA -> ring.published(immediate);
				case Immediate.CREDIT -> consumed(immediate);
				case Immediate.PING -> this.pongDue = true;
				default -> taken(immediate);
			}
		}
		catch (WireException ex) {
			broken(ex);
		}
	}

	private void consumed(int immediate) throws WireException {
		this.lock.lock();
		try {
			OutboundRing ring = this.outbound;
			if (ring == null) {
				throw new WireException(Refusal.MALFORMED, "room was returned before the first message");
			}
			ring.consumed(immediate);
			this.lastTaken = System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** An answer to a ping, or the peer has read pieces of large frames. */
	private void taken(int immediate) throws WireException {
		this.lock.lock();
		try {
			RendezvousSender rendezvous = this.offered;
			if (rendezvous == null) {
				throw new WireException(Refusal.MALFORMED, "an answer before the first message");
			}
			if (rendezvous.taken(immediate)) {
				this.lastTaken = System.nanoTime();
				this.lastPieceTaken = this.lastTaken;
				for (int i = 0; i < this.streams.length; i++) {
					endIfWhole(i);
				}
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void heard() {
		this.lastHeard = System.nanoTime();
		this.pinged = false;
	}

	private void broken(WireException ex) {
		if (this.violation == null) {
			this.violation = ex;
		}
	}

	@Override
	public void failed(String status, boolean flushed) {
		if (this.server && !flushed && status.equals(NO_SUCH_MEMORY)) {
			// A peer that is gone fails otherwise.
			broken(new WireException(Refusal.MALFORMED, "memory that it announced cannot be accessed: " + status));
		}
		if (this.failure == null || (this.failureFlushed && !flushed)) {
			this.failure = status;
			this.failureFlushed = flushed;
		}
	}

	/** Receives the frames of a connection. Called by the thread of the connection. */
	interface Listener {

		/**
		 * Returns whether a frame can be received.
		 * @param assemblingBytes bytes of frames that have arrived in part
		 */
		boolean reads(long assemblingBytes);

		/**
		 * A frame has arrived.
		 * @throws WireException if it is not acceptable; the connection ends
		 */
		void received(ReceivedFrame frame) throws WireException;

		/**
		 * The connection has ended, and its memory is free. Called once.
		 * @param why what follows the name of the peer in a sentence
		 * @param refused what the peer did, {@code null} if it broke no rule
		 */
		void ended(String why, @Nullable WireException refused);

	}

}
