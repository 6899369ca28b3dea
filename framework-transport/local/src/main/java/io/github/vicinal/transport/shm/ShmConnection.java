package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.shm.ShmCall.BoundContract;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.shm.lane.LaneLimits;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.Memory;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.PeerArenas;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.shm.lane.ServerLane;
import io.github.vicinal.transport.shm.lane.WaitCounts;
import io.github.vicinal.transport.wire.CallTimer;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of one pair: the socket and the segment. A thread of the server's pool
 * shakes hands, and later reads what the client says, when it does; between, no thread
 * waits for it.
 */
final class ShmConnection implements Runnable, Watchdog.Watched {

	private static final Logger logger = LoggerFactory.getLogger(ShmConnection.class);

	private static final int MAX_BINDINGS = 1024;

	private static final int ANSWER_BYTES = 512;

	private static final int UNIQUE_CHARS = 16;

	/** Time in which a client that is alive reads a frame. */
	private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final ShmPathServer server;

	private final ControlChannel control;

	private final CallTimer timer;

	private final WireLimits limits;

	private final Map<Integer, BoundContract> bindings = new ConcurrentHashMap<>();

	private final AtomicInteger inFlight = new AtomicInteger();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean forgotten = new AtomicBoolean();

	/** Whether nothing more is created for the pair except on request of the client. */
	private volatile boolean introduced;

	private @Nullable PeerArenas arenas;

	/** Shared by all segments of the client; its own before the client has said hello. */
	private volatile HeapBudget heap;

	/** The client whose heap budget is used; {@code null} before it has said its name. */
	private volatile @Nullable String heapOf;

	/** Whether calls have left arrays for later calls since the last sweep. */
	private volatile boolean kept;

	private volatile long nextLook = Watchdog.NEVER;

	private volatile @Nullable LaneServer lanes;

	private volatile @Nullable Bells bells;

	private volatile @Nullable Path bellDirectory;

	/** Size of the segment once it is mapped. Used by the thread of the connection. */
	private int segmentBytes;

	private volatile int maxReplyBytes;

	private volatile String client = "";

	ShmConnection(ShmPathServer server, SocketChannel channel) {
		this.server = server;
		this.control = new ControlChannel(channel, server.options().handshakeTimeout());
		this.timer = new CallTimer(server.watchdog(), channel);
		this.limits = server.options().limits();
		this.maxReplyBytes = this.limits.maxFrameBytes();
		this.heap = new HeapBudget(server.options().maxHeapBytes());
	}

	long memoryBytes() {
		LaneServer receiving = this.lanes;
		return (receiving != null) ? receiving.mappedBytes() : 0;
	}

	ShmPathServer server() {
		return this.server;
	}

	WireLimits limits() {
		return this.limits;
	}

	int maxReplyBytes() {
		return this.maxReplyBytes;
	}

	/** Shakes hands. */
	@Override
	public void run() {
		this.timer.begin();
		boolean goesOn = false;
		try {
			goesOn = guarded(this::introduce);
		}
		finally {
			this.timer.end();
			this.server.watchdog().add(this);
			this.introduced = true;
			if (!goesOn || this.ended.get()) {
				close();
			}
			else {
				listen();
			}
		}
	}

	/** Called by the loop's thread, which other pairs need, too. */
	private void readable() {
		try {
			this.server.receivers().execute(this::listen);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// If no other thread can be started, this one has to do it, because the pair
			// may be at its end.
			listen();
		}
	}

	private void listen() {
		if (guarded(this::hear)) {
			this.control.resume();
		}
		else {
			close();
		}
	}

	/** Returns whether the pair goes on. */
	private boolean guarded(Step step) {
		try {
			return step.run();
		}
		catch (WireException ex) {
			this.server.refused(ex.refusal(), ex.text());
			refuse(ex);
		}
		catch (IOException ex) {
			ended(ex);
		}
		catch (InternalError ex) {
			// The client has cut off the file of the segment.
			this.server.refused(Refusal.MALFORMED, "the shared memory failed: " + ex.getMessage());
		}
		catch (RuntimeException ex) {
			logger.error("A bug in the transport ended a connection", ex);
		}
		return false;
	}

	/**
	 * A client that has left without a segment may have found no space for one: that,
	 * too, is a time to look.
	 */
	private void forget() {
		if (this.forgotten.getAndSet(true)) {
			return;
		}
		this.server.watchdog().remove(this);
		this.server.ended(this);
		String known = this.heapOf;
		if (known != null) {
			this.server.heaps().release(known);
		}
		long mapped = mappedBytes();
		// From now on nothing refers to the memory but calls that have not ended.
		this.lanes = null;
		this.bells = null;
		if (!this.server.draining()) {
			this.server.files().ended(mapped);
		}
	}

	private long mappedBytes() {
		LaneServer receiving = this.lanes;
		return (receiving != null) ? receiving.mappedBytes() : this.segmentBytes;
	}

	private void ended(IOException ex) {
		if (this.timer.expired()) {
			this.server.refused(Refusal.STALLED,
					"the handshake did not end within " + this.server.options().handshakeTimeout().toMillis() + " ms");
		}
		else if (!(ex instanceof ClosedChannelException)) {
			logger.debug("A connection broke: {}", ex.getMessage());
		}
	}

	/** A client that reads nothing must not keep the thread. */
	private void refuse(WireException cause) {
		CallTimer limit = new CallTimer(this.server.watchdog(), this.control.channel());
		limit.begin();
		try {
			limit.arm(this.server.watchdog().now() + GOODBYE_NANOS);
			this.control.refuse(cause.refusal(), cause.text());
		}
		catch (IOException ex) {
			logger.debug("A refusal could not be sent: {}", ex.getMessage());
		}
		finally {
			limit.end();
		}
	}

	private boolean introduce() throws IOException, WireException {
		this.timer.arm(this.server.watchdog().now() + this.server.options().handshakeTimeout().toNanos());
		this.server.peerCheck().check(this.control.channel());
		FrameHeader frame = this.control.read();
		if (frame == null) {
			return false;
		}
		hello(frame);
		frame = this.control.read();
		if (frame == null) {
			return false;
		}
		frame.require(FrameType.ATTACH);
		this.arenas = attach(Payload.Attach.read(this.control.payload()));
		if (!this.timer.disarm()) {
			throw new ClosedChannelException();
		}
		this.control.watch(this.server.loop(), this::readable);
		return true;
	}

	/** Reads what is there, and returns whether there may be more. */
	private boolean hear() throws IOException, WireException {
		PeerArenas mapped = this.arenas;
		FrameHeader frame = this.control.read();
		while (frame != null && frame.type != FrameType.GOODBYE && mapped != null) {
			switch (frame.type) {
				case BIND -> bind(frame);
				case ARENA -> map(Payload.Arena.read(this.control.payload()), mapped);
				case MAPPED -> this.control.mapped(Payload.Mapped.read(this.control.payload()));
				case RING -> ring(Payload.Ring.read(this.control.payload()));
				case CHECK -> check(Payload.Check.read(this.control.payload()));
				default -> throw new WireException(Refusal.MALFORMED,
						"a frame of type %s has no place here".formatted(frame.type));
			}
			frame = this.control.read();
		}
		return frame == null && !this.control.isAtEnd();
	}

	private void map(Payload.Arena arena, PeerArenas arenas) throws IOException, WireException {
		this.control.sayMapped(this.server.files(), arenas, arena);
	}

	private void ring(Payload.Ring ring) throws WireException {
		Bells known = this.bells;
		if (known != null) {
			known.ringHere(ring.bell());
		}
	}

	private void check(Payload.Check check) throws WireException {
		LaneServer receiving = this.lanes;
		if (receiving != null) {
			receiving.check(check.lane(), check.sequence());
		}
	}

	private void hello(FrameHeader frame) throws IOException, WireException {
		frame.require(FrameType.HELLO);
		Payload.Hello hello = Payload.Hello.read(this.control.payload());
		String self = this.server.identity().instanceId();
		if (!hello.expected().equals(self)) {
			throw new WireException(Refusal.WRONG_INSTANCE,
					"this is instance %s, not '%s'".formatted(self, WireException.printable(hello.expected())));
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		this.maxReplyBytes = Math.min(hello.maxFrameBytes(), this.maxReplyBytes);
		this.client = WireException.printable(hello.self());
		this.heap = this.server.heaps().acquire(hello.self());
		this.heapOf = hello.self();
		this.control.write(FrameType.WELCOME, frame.correlation, 0,
				(out) -> new Payload.Welcome(self, this.limits.maxFrameBytes()).write(out));
	}

	private PeerArenas attach(Payload.Attach attach) throws IOException, WireException {
		MemoryFiles files = this.server.files();
		Path directory = files.directory();
		SegmentLayout layout = layout(attach);
		if (attach.maxArenaBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative limit of memory");
		}
		LaneLimits laneLimits = this.server.options().laneLimits(attach.maxArenaBytes(), this.heap);
		Segment segment;
		try {
			files.requireUsable();
			segment = Segment.attach(directory, attach.segment(), layout, attach.epoch());
		}
		catch (IOException ex) {
			// The client is not at fault: no file descriptor is left, or a cleaner
			// removed the file.
			throw new WireException(Refusal.FAILED, "the segment cannot be used: " + ex);
		}
		this.segmentBytes = layout.bytes();
		PeerArenas arenas = new PeerArenas(directory, laneLimits.maxArenaBytes());
		Bells made = bells(attach, segment, directory);
		this.bells = made;
		ShmCall[] calls = new ShmCall[layout.lanes()];
		LaneServer[] self = new LaneServer[1];
		LaneServer.Handler handler = this.server.rawHandler();
		LaneServer receiving = new LaneServer(segment, made, files, laneLimits, this.control::announce, arenas,
				(handler != null) ? handler : (lane, batch) -> call(calls, lane).receive(self[0], batch),
				this.server.receivers(), this.server.guard(), this::fail);
		self[0] = receiving;
		this.lanes = receiving;
		requireOpen();
		receiving.start();
		this.control.write(FrameType.ATTACHED, 0, 0,
				(out) -> new Payload.Attached(made.kind(), placeOf(made), this.server.options().maxMemoryBytes())
					.write(out));
		if (made instanceof SocketBells sockets
				&& !sockets.awaitClient(this.server.options().handshakeTimeout().toNanos())) {
			requireOpen();
			throw new WireException(Refusal.STALLED, "the client did not connect to the socket of the bells");
		}
		return arenas;
	}

	private String placeOf(Bells made) {
		Path where = this.bellDirectory;
		if (where != null) {
			return String.valueOf(where.getFileName());
		}
		return (made instanceof SocketBells sockets) ? sockets.socketName() : "";
	}

	private static SegmentLayout layout(Payload.Attach attach) throws WireException {
		try {
			SegmentLayout layout = new SegmentLayout(attach.lanes(), attach.inlineBytes());
			if (layout.hash() == attach.layoutHash()) {
				return layout;
			}
		}
		catch (IllegalArgumentException ex) {
			throw new WireException(Refusal.MALFORMED, String.valueOf(ex.getMessage()));
		}
		throw new WireException(Refusal.VERSION, "the segment has another layout; use the same version on both sides");
	}

	/** Creating bells takes milliseconds, in which the server may be closed. */
	private void requireOpen() throws ClosedChannelException {
		if (this.ended.get()) {
			throw new ClosedChannelException();
		}
	}

	private Bells bells(Payload.Attach attach, Segment segment, Path directory) throws IOException, WireException {
		BellSupport support = this.server.bellSupport();
		if (support.kinds().contains(BellSupport.FUTEX) && attach.bells().contains(BellSupport.FUTEX)) {
			return support.futex(ShmPeer.words(segment));
		}
		boolean sockets = support.kinds().contains(SocketBells.KIND) && attach.bells().contains(SocketBells.KIND);
		if (support.kinds().contains(FifoBells.KIND) && attach.bells().contains(FifoBells.KIND)) {
			try {
				return fifos(segment, directory);
			}
			catch (ClosedChannelException ex) {
				throw ex;
			}
			catch (IOException ex) {
				if (!sockets) {
					throw new WireException(Refusal.FAILED,
							"no bells can be created: the command mkfifo is needed: " + ex.getMessage());
				}
				logger.debug("Bells use a socket, because no FIFOs can be created: {}", ex.toString());
			}
		}
		if (!sockets) {
			throw new WireException(Refusal.MALFORMED, "there is no kind of bell that both sides can use");
		}
		try {
			return support.listen(directory, segment.layout().lanes(), this.server.options().idleTimeout().toNanos(),
					this.server.peerCheck(), this::bellsFailed);
		}
		catch (IOException ex) {
			throw new WireException(Refusal.FAILED, "no bells can be created: " + ex);
		}
	}

	private Bells fifos(Segment segment, Path directory) throws IOException {
		Path made = FifoBells.create(directory, this.server.identity().instanceId(),
				Segment.newName().substring(0, UNIQUE_CHARS), segment.layout().lanes());
		this.bellDirectory = made;
		requireOpen();
		return new FifoBells(made, ShmPeer.words(segment), this.server.watchdog(),
				this.server.options().idleTimeout().toNanos(), this.control::ring, this::bellsFailed);
	}

	private void bellsFailed(Throwable cause) {
		fail(Refusal.FAILED, "the bells cannot be used: " + cause);
	}

	private ShmCall call(ShmCall[] calls, ServerLane lane) {
		ShmCall call = calls[lane.index()];
		if (call == null) {
			call = new ShmCall(this, lane);
			calls[lane.index()] = call;
		}
		return call;
	}

	private void bind(FrameHeader frame) throws IOException, WireException {
		Payload.Bind bind = Payload.Bind.read(this.control.payload());
		if (this.bindings.size() >= MAX_BINDINGS) {
			throw new WireException(Refusal.MALFORMED, "more than %d bindings".formatted(MAX_BINDINGS));
		}
		EncodeBuffer out = new EncodeBuffer(ANSWER_BYTES);
		ServerBinding binding = this.server.calls().bind(out, bind, frame.correlation, frame.binding);
		if (binding != null) {
			this.bindings.put(frame.binding, BoundContract.of(binding));
		}
		this.control.write(out);
	}

	@Nullable BoundContract bound(int number) {
		return this.bindings.get(number);
	}

	/** Returns whether a call may be executed; {@link #done()} must follow then. */
	boolean begin() {
		this.inFlight.incrementAndGet();
		if (this.server.draining()) {
			this.inFlight.decrementAndGet();
			return false;
		}
		this.server.metrics().inFlight().increment();
		return true;
	}

	void executed(int bytes) {
		this.server.metrics().calls().increment();
		this.server.metrics().bytes().add(bytes);
	}

	void done() {
		this.server.metrics().inFlight().decrement();
		this.inFlight.decrementAndGet();
		if (!this.kept && this.heap.keptBytes() > 0) {
			this.kept = true;
			lookLater();
		}
	}

	private void lookLater() {
		if (this.nextLook == Watchdog.NEVER) {
			long time = this.server.watchdog().now() + this.server.options().idleTimeout().toNanos();
			this.nextLook = time;
			try {
				this.server.watchdog().lookAt(time);
			}
			catch (OutOfMemoryError ex) {
				// No thread is available: nothing is given back until a later call.
				this.nextLook = Watchdog.NEVER;
			}
		}
	}

	/** Lets go of arrays if there were no calls since the last look. */
	@Override
	public long look(long now) {
		long time = this.nextLook;
		if (time > now) {
			return time;
		}
		boolean active = this.kept;
		this.kept = false;
		LaneServer receiving = this.lanes;
		// It may have to be tried again: a thread may be looking for calls just then.
		boolean again = active || (receiving != null && this.heap.keptBytes() > 0);
		this.nextLook = again ? now + this.server.options().idleTimeout().toNanos() : Watchdog.NEVER;
		if (again && !active && receiving != null) {
			// A client can delay a thread that wakes its threads.
			this.server.receivers().execute(receiving::letGo);
		}
		return this.nextLook;
	}

	boolean isIdle() {
		return this.inFlight.get() == 0;
	}

	/** Describes the client and how this side waits for it; empty before it attaches. */
	Map<String, Object> details() {
		LaneServer receiving = this.lanes;
		Map<String, Object> details = new LinkedHashMap<>();
		if (receiving != null) {
			WaitCounts waits = receiving.waits();
			details.put("client", this.client);
			details.put("waiting", receiving.waiting());
			details.put("waitsAwake", waits.awake());
			details.put("waitsAsleep", waits.asleep());
			details.put("yieldBans", waits.bans());
			details.put("waitDecisions", receiving.waitDecisions());
			details.put("lastWaitDecision", receiving.lastWaitDecision());
			details.put("bells", receiving.bellKind());
			details.put("heapBytes", this.heap.bytes());
			details.put("memoryBytes", receiving.mappedBytes());
		}
		return details;
	}

	/** The client cannot be trusted, or its memory is gone: the pair ends. */
	void fail(Refusal refusal, String why) {
		if (!this.ended.getAndSet(true)) {
			this.server.refused(refusal, why);
		}
		end();
	}

	/**
	 * Notifies the client that no further call is executed; none is at this moment. A
	 * client that reads nothing must not hold up the end of the server.
	 */
	void sayGoodbye() {
		CallTimer goodbye = new CallTimer(this.server.watchdog(), this.control.channel());
		goodbye.begin();
		try {
			goodbye.arm(this.server.watchdog().now() + GOODBYE_NANOS);
			this.control.write(FrameType.GOODBYE, 0, 0, (out) -> {
			});
		}
		catch (IOException | WireException ex) {
			logger.debug("GOODBYE could not be sent: {}", ex.getMessage());
		}
		finally {
			goodbye.end();
		}
	}

	/** Ends the pair. */
	void close() {
		this.ended.set(true);
		end();
	}

	/**
	 * Removes what there is. While the sides are being introduced, more may be made after
	 * this: the thread that makes it comes here last, and finds that the pair has ended.
	 */
	private void end() {
		Memory.discardPending();
		release();
		if (this.introduced) {
			forget();
		}
	}

	private synchronized void release() {
		LaneServer receiving = this.lanes;
		if (receiving != null) {
			receiving.close();
		}
		this.control.close();
		Bells made = this.bells;
		if (made != null) {
			made.close();
		}
		Path directory = this.bellDirectory;
		if (directory != null) {
			this.bellDirectory = null;
			FifoBells.delete(directory);
		}
	}

	/** A step of the pair, which returns whether the pair goes on. */
	@FunctionalInterface
	private interface Step {

		boolean run() throws IOException, WireException;

	}

}
