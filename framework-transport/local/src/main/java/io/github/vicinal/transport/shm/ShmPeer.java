package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.BellWords;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.shm.lane.LaneLimits;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.PeerArenas;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.shm.waiting.WaitMode;
import io.github.vicinal.transport.wire.CallTimer;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer as the client sees it: a segment and the socket beside it, shared by the paths
 * of all contracts. Thread-safe.
 */
final class ShmPeer {

	private static final Logger logger = LoggerFactory.getLogger(ShmPeer.class);

	/** Maximum number of unacceptable answers in a row before the pair ends. */
	private static final int MAX_FAULTY_ANSWERS = 16;

	/** Time in which the last frame of a server must have been read. */
	private static final long GOODBYE_MILLIS = 100;

	private final String expected;

	private final ShmOptions options;

	private final WireLimits limits;

	private final Codecs codecs;

	private final BiConsumer<Refusal, String> violated;

	/** Whether the peer refused the handshake, which the protocol allows. */
	private boolean refused;

	/** Shared by all segments of the peer. */
	private final HeapBudget heap;

	private final ControlChannel control;

	private final Map<Contract, ClientBinding> bindings = new IdentityHashMap<>();

	private final Map<Integer, CodecChoice> bound = new ConcurrentHashMap<>();

	private volatile @Nullable LaneClient lanes;

	/** Set with the lanes. */
	private volatile @Nullable MoreLanes more;

	/** Removes the watch over callers that sleep. */
	private volatile Runnable sleepWatch = () -> {
	};

	/** Done when the other side is known to be gone. */
	private final CountDownLatch gone = new CountDownLatch(1);

	private volatile @Nullable Bells bells;

	private volatile String bellReason = "";

	private volatile int maxRequestBytes;

	/** No further calls are made. */
	private volatile boolean leaving;

	/** This peer is no longer needed; the last call in flight closes it. */
	private volatile boolean retired;

	/** Contracts whose binding was asked for and not answered yet, by correlation. */
	private final Map<Long, Asked> asked = new ConcurrentHashMap<>();

	/** Unacceptable answers since the last good one. */
	private final AtomicInteger faultyAnswers = new AtomicInteger();

	/** Guarded by the provider's lock. */
	int users;

	/**
	 * Creates a peer that is not connected.
	 * @param expected its instance id
	 * @param violated notified of the rule that the peer has broken, and how
	 */
	ShmPeer(String expected, ShmOptions options, Codecs codecs, BiConsumer<Refusal, String> violated)
			throws IOException {
		this(expected, options, codecs, violated, new HeapBudget(options.maxHeapBytes()));
	}

	private ShmPeer(String expected, ShmOptions options, Codecs codecs, BiConsumer<Refusal, String> violated,
			HeapBudget heap) throws IOException {
		this.heap = heap;
		this.expected = expected;
		this.options = options;
		this.limits = options.limits();
		this.codecs = codecs;
		this.violated = violated;
		this.control = new ControlChannel(SocketChannel.open(StandardProtocolFamily.UNIX), options.handshakeTimeout());
	}

	/**
	 * Connects, shakes hands and shares a segment. Takes as long as the peer takes;
	 * {@link #close} ends it.
	 * @param self this side's instance id
	 * @param files where the peer listens and memory is made
	 * @param loop hears what the peer says from then on
	 */
	void connect(String self, MemoryFiles files, PeerCheck peerCheck, Watchdog watchdog, ControlLoop loop,
			BellSupport support) throws IOException, WireException {
		SocketChannel channel = this.control.channel();
		CallTimer timer = new CallTimer(watchdog, channel);
		boolean opened = false;
		timer.begin();
		try {
			timer.arm(watchdog.now() + this.options.handshakeTimeout().toNanos());
			channel
				.connect(UnixDomainSocketAddress.of(SocketFile.of(files.directory(), this.expected, SocketFile.LANES)));
			peerCheck.check(channel);
			hello(self);
			PeerArenas arenas = attach(files, peerCheck, watchdog, support);
			opened = timer.disarm();
			if (!opened) {
				throw new IOException("the peer did not answer in time");
			}
			LaneClient client = lanes();
			opened = false;
			this.more = new MoreLanes(client, further(self, files, peerCheck, watchdog, loop, support),
					this.options.maxLanes() / this.options.lanes() - 1, watchdog, this.options.idleTimeout().toNanos());
			SleepWatch sleeps = new SleepWatch(client, this.control, watchdog);
			watchdog.add(sleeps);
			this.sleepWatch = () -> watchdog.remove(sleeps);
			client.onSleep(sleeps::arm);
			this.control.watch(loop, () -> listen(client, files, arenas));
			opened = true;
			listen(client, files, arenas);
		}
		catch (WireException ex) {
			if (!this.refused) {
				this.violated.accept(ex.refusal(), ex.text());
			}
			throw ex;
		}
		finally {
			timer.end();
			if (!opened) {
				close("it was not connected");
			}
		}
	}

	/** Makes further segments, for the contracts that are bound at that moment. */
	private MoreLanes.Opener further(String self, MemoryFiles files, PeerCheck peerCheck, Watchdog watchdog,
			ControlLoop loop, BellSupport support) {
		return new MoreLanes.Opener() {

			@Override
			public ShmPeer create() throws IOException {
				return new ShmPeer(ShmPeer.this.expected, ShmPeer.this.options.ofFurtherSegment(), ShmPeer.this.codecs,
						ShmPeer.this.violated, ShmPeer.this.heap);
			}

			@Override
			public void connect(ShmPeer further) throws IOException, WireException {
				further.connect(self, files, peerCheck, watchdog, loop, support);
				for (ClientBinding known : knownBindings()) {
					if (isBound(known)) {
						further.bind(known);
					}
				}
			}

		};
	}

	private synchronized List<ClientBinding> knownBindings() {
		return List.copyOf(this.bindings.values());
	}

	boolean isBound(ClientBinding wanted) {
		return this.bound.containsKey(wanted.number());
	}

	private void hello(String self) throws IOException, WireException {
		this.control.write(FrameType.HELLO, 0, 0,
				(out) -> new Payload.Hello(self, this.expected, this.limits.maxFrameBytes()).write(out));
		answer().require(FrameType.WELCOME);
		Payload.Welcome welcome = Payload.Welcome.read(this.control.payload());
		if (!welcome.self().equals(this.expected) || welcome.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a welcome of another instance");
		}
		this.maxRequestBytes = Math.min(welcome.maxFrameBytes(), this.limits.maxFrameBytes());
	}

	private PeerArenas attach(MemoryFiles files, PeerCheck peerCheck, Watchdog watchdog, BellSupport support)
			throws IOException, WireException {
		SegmentLayout layout = new SegmentLayout(this.options.lanes(), this.options.inlineBytes());
		String name = Segment.newName();
		Segment segment = Segment.create(files, name, layout);
		try {
			return attach(segment, name, files, peerCheck, watchdog, support);
		}
		finally {
			if (this.lanes == null) {
				files.ended(layout.bytes());
			}
		}
	}

	private PeerArenas attach(Segment segment, String name, MemoryFiles files, PeerCheck peerCheck, Watchdog watchdog,
			BellSupport support) throws IOException, WireException {
		Path directory = files.directory();
		SegmentLayout layout = segment.layout();
		try {
			segment.mode(WaitMode.parse(this.options.waiting()));
			this.control.write(FrameType.ATTACH, 0, 0,
					(out) -> new Payload.Attach(name, layout.lanes(), layout.inlineBytes(), layout.hash(),
							segment.epoch(), this.options.maxMemoryBytes(), support.kinds())
						.write(out));
			answer().require(FrameType.ATTACHED);
		}
		finally {
			Files.deleteIfExists(directory.resolve(name));
		}
		Payload.Attached attached = Payload.Attached.read(this.control.payload());
		if (!support.kinds().contains(attached.bells())) {
			throw new WireException(Refusal.MALFORMED, "bells of a kind that was not offered");
		}
		if (attached.maxArenaBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative limit of memory");
		}
		boolean futex = attached.bells().equals(BellSupport.FUTEX);
		this.bellReason = futex ? "" : support.noFutex().isEmpty() ? "the peer cannot use futexes" : support.noFutex();
		Bells bells = switch (attached.bells()) {
			case BellSupport.FUTEX -> support.futex(words(segment));
			case SocketBells.KIND ->
				support.connect(directory, attached.directory(), layout.lanes(), peerCheck, this::bellsFailed);
			default -> new FifoBells(FifoBells.resolve(directory, attached.directory()), words(segment), watchdog,
					this.options.idleTimeout().toNanos(), this.control::ring, this::bellsFailed);
		};
		this.bells = bells;
		LaneLimits laneLimits = this.options.laneLimits(attached.maxArenaBytes(), this.heap);
		PeerArenas arenas = new PeerArenas(directory, laneLimits.maxArenaBytes());
		this.lanes = new LaneClient(toString(), segment, bells, files, laneLimits, this::announce, arenas, this::ended);
		return arenas;
	}

	private void bellsFailed(Throwable cause) {
		failed("its bells cannot be used: " + cause);
	}

	/** Without a connection the pair has ended, and callers get that as the reason. */
	private void announce(int number, String file, int bytes) throws IOException {
		try {
			this.control.announce(number, file, bytes);
		}
		catch (ControlChannel.UnmappableException ex) {
			throw ex;
		}
		catch (IOException ex) {
			failed("memory cannot be announced: " + ex.getMessage());
			throw ex;
		}
	}

	/**
	 * A server that shuts down says that it has executed nothing, before anything of it
	 * fails: that reason is the better one, so it has a moment to arrive.
	 */
	private void failed(String why) {
		try {
			this.gone.await(GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		close(why);
	}

	/**
	 * Called by the thread that noticed it first. Threads that wait for the other side
	 * learn of it by the end of the connection.
	 */
	private void ended(LaneClient.End end) {
		this.control.close();
		failBinding(end.text());
		this.gone.countDown();
		this.sleepWatch.run();
		closeFurther(null);
		Refusal violation = end.violation();
		if (violation != null) {
			this.violated.accept(violation, end.text());
		}
	}

	static BellWords words(Segment segment) {
		SegmentLayout layout = segment.layout();
		return new BellWords(segment.memory().buffer(), SegmentLayout.SERVER_PARKED_OFFSET,
				SegmentLayout.POLLER_PARKED_OFFSET, layout::waitingOffset, layout.lanes());
	}

	/** Reads the answer to a question of the handshake. */
	private FrameHeader answer() throws IOException, WireException {
		FrameHeader answer = this.control.read();
		if (answer == null) {
			throw new IOException("the peer closed the connection");
		}
		if (answer.type == FrameType.REFUSED) {
			this.refused = true;
			throw refusal(answer);
		}
		if (answer.type == FrameType.GOODBYE) {
			throw new IOException(this + " is shutting down");
		}
		return answer;
	}

	private WireException refusal(FrameHeader answer) throws WireException {
		return new WireException(Refusal.of(answer.code), "%s refused (%s): %s".formatted(this,
				Refusal.of(answer.code).id(), WireException.printable(this.control.payload().readString())));
	}

	/**
	 * Reads what is there. Called by the thread of the loop, which other pairs need, too:
	 * nothing here waits for anybody.
	 */
	private void listen(LaneClient client, MemoryFiles files, PeerArenas arenas) {
		LaneClient.End end = LaneClient.End.of("its process ended or closed the connection");
		try {
			FrameHeader frame = this.control.read();
			while (frame != null && frame.type != FrameType.GOODBYE) {
				switch (frame.type) {
					case BOUND, REFUSED -> bound(frame);
					case ARENA -> map(client, files, arenas, Payload.Arena.read(this.control.payload()));
					case MAPPED -> this.control.mapped(Payload.Mapped.read(this.control.payload()));
					case RING -> ring(Payload.Ring.read(this.control.payload()));
					default -> throw new WireException(Refusal.MALFORMED,
							"a frame of type %s has no place here".formatted(frame.type));
				}
				frame = this.control.read();
			}
			if (frame != null) {
				end = LaneClient.End.orderly("it is shutting down");
			}
			else if (!this.control.isAtEnd()) {
				this.control.resume();
				return;
			}
		}
		catch (WireException ex) {
			end = LaneClient.End.violation(ex.refusal(), "it sent something unacceptable: " + ex.text());
		}
		catch (IOException ex) {
			end = LaneClient.End.of("the connection broke: " + ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// The connection is no longer watched, so the peer's death would go
			// unnoticed.
			logger.error("A frame of {} could not be handled", this, ex);
			end = LaneClient.End.of("its frame could not be handled: " + ex);
		}
		try {
			client.end(end);
		}
		finally {
			this.control.close();
		}
	}

	private void ring(Payload.Ring ring) throws WireException {
		Bells known = this.bells;
		if (known != null) {
			known.ringHere(ring.bell());
		}
	}

	/**
	 * Maps memory of the peer and says so, on a thread of its own: the peer may be slow
	 * to read. It announces the next memory only after that.
	 */
	private void map(LaneClient client, MemoryFiles files, PeerArenas arenas, Payload.Arena arena) {
		Runnable mapping = () -> {
			try {
				this.control.sayMapped(files, arenas, arena);
			}
			catch (WireException ex) {
				client.end(LaneClient.End.violation(ex.refusal(), "it sent something unacceptable: " + ex.text()));
			}
			catch (IOException | RuntimeException | Error ex) {
				client.end(LaneClient.End.of("its memory cannot be mapped: " + ex));
			}
		};
		Thread thread = DaemonThread.create("vicinal-shm-memory", mapping);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			// No thread is available: a few bytes are written without waiting in most
			// cases.
			mapping.run();
		}
	}

	/**
	 * Makes sure that a contract is bound. Ends in time even if the peer is stopped, and
	 * does not delay calls of another contract.
	 * @return the codec for it
	 */
	CodecChoice bind(ClientBinding wanted) throws IOException, WireException {
		CodecChoice known = this.bound.get(wanted.number());
		if (known != null) {
			return known;
		}
		// A contract that takes long to be bound must not end the pair for others.
		long end = System.nanoTime() + this.options.handshakeTimeout().toNanos();
		Long correlation = wanted.number() + 1L;
		Asked mine = new Asked(wanted, new CompletableFuture<>());
		Asked before = this.asked.putIfAbsent(correlation, mine);
		Asked question = (before != null) ? before : mine;
		if (before == null) {
			ask(mine, correlation);
		}
		LaneClient client = this.lanes;
		if (client == null || client.whyEnded() != null) {
			throw new IOException(this + " is gone");
		}
		try {
			CodecChoice choice = question.answer().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
			this.bound.put(wanted.number(), choice);
			return choice;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof WireException cause) {
				throw cause;
			}
			throw new IOException(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new IOException(this + " did not bind the contract in time", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("the connecting thread was interrupted", ex);
		}
	}

	private void ask(Asked question, Long correlation) throws IOException, WireException {
		ClientBinding wanted = question.contract();
		boolean written = false;
		try {
			this.control.write(FrameType.BIND, correlation, wanted.number(), (out) -> wanted.request().write(out));
			written = true;
		}
		catch (ControlChannel.UnreadException ex) {
			throw ex;
		}
		catch (IOException ex) {
			failed("contracts cannot be bound: " + ex.getMessage());
			throw ex;
		}
		finally {
			if (!written) {
				this.asked.remove(correlation, question);
				// Releases others that wait for the same answer.
				question.answer().completeExceptionally(new IOException("the contract was not requested"));
			}
		}
	}

	private void bound(FrameHeader frame) throws IOException, WireException {
		Asked question = this.asked.remove(frame.correlation);
		if (question == null) {
			if (frame.type == FrameType.REFUSED) {
				// It cannot go on with the pair, which may be no fault of its own.
				throw new IOException(refusal(frame).text());
			}
			throw new WireException(Refusal.MALFORMED, "an answer to nothing");
		}
		CompletableFuture<CodecChoice> answer = question.answer();
		ClientBinding wanted = question.contract();
		try {
			if (frame.type == FrameType.REFUSED) {
				throw refusal(frame);
			}
			if (frame.binding != wanted.number()) {
				throw new WireException(Refusal.MALFORMED, "another contract was bound");
			}
			answer.complete(wanted.choose(Payload.Bound.read(this.control.payload())));
		}
		catch (WireException ex) {
			if (frame.type == FrameType.BOUND) {
				this.violated.accept(ex.refusal(), ex.text());
			}
			answer.completeExceptionally(ex);
		}
		finally {
			// After any other exception no thread must wait for it.
			answer.completeExceptionally(new IOException("the answer could not be read"));
		}
	}

	private void failBinding(String why) {
		this.asked.values()
			.forEach((question) -> question.answer()
				.completeExceptionally(new IOException("%s is gone: %s".formatted(this, why))));
	}

	/**
	 * Returns the binding of a contract: always the same one, so that a path that comes
	 * and goes does not use up numbers.
	 */
	synchronized ClientBinding binding(Contract contract) {
		return this.bindings.computeIfAbsent(contract,
				(key) -> new ClientBinding(this.bindings.size(), contract, this.codecs));
	}

	/** Makes a call. */
	Reply call(ClientBinding wanted, CodecChoice choice, CallFrame frame, LongAdder bytes) throws PathException {
		if (Thread.currentThread().isInterrupted()) {
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread is interrupted", null);
		}
		ClientLane lane = lanes().tryTake();
		if (lane == null) {
			MoreLanes further = this.more;
			MoreLanes.Taken taken = (further != null && !hasEnded()) ? further.take(this, wanted, frame.deadlineNanos())
					: null;
			if (taken != null) {
				return taken.peer().call(taken.lane(), wanted, choice, frame, bytes);
			}
			lane = lanes().acquire(frame.deadlineNanos());
		}
		return call(lane, wanted, choice, frame, bytes);
	}

	private Reply call(ClientLane lane, ClientBinding wanted, CodecChoice choice, CallFrame frame, LongAdder bytes)
			throws PathException {
		LaneClient client = lanes();
		try {
			EncodeBuffer out = lane.out();
			encode(wanted, choice, frame, lane, out);
			long sent = out.size();
			lane.exchange(frame.deadlineNanos());
			long carried = sent + lane.responseLength();
			bytes.add(carried);
			frame.carried(carried);
			return decode(client, wanted, choice, frame, lane);
		}
		catch (InternalError ex) {
			// The memory is gone; compiled code throws the error late.
			client.endByError(ex);
			throw new PathException(Reason.IO, true, "the shared memory failed: " + ex.getMessage(), ex);
		}
		finally {
			client.release(lane);
			MoreLanes further = this.more;
			if (further != null && this.heap.keptBytes() > 0) {
				further.keeps();
			}
			if (this.retired && client.isIdle()) {
				close("no path needs it any more");
			}
		}
	}

	LaneClient lanes() {
		LaneClient client = this.lanes;
		if (client == null) {
			throw new IllegalStateException("not attached");
		}
		return client;
	}

	private void encode(ClientBinding wanted, CodecChoice choice, CallFrame frame, ClientLane lane, EncodeBuffer out)
			throws PathException {
		out.size(0);
		try {
			int start = FrameDescriptor.begin(out);
			int headerBytes = ClientBinding.encode(out, start, choice, frame, this.limits, this.maxRequestBytes);
			// Before the time is taken that the server has, as it may wait.
			lane.reserve(out.size(), frame.deadlineNanos());
			long remaining = frame.remainingNanos();
			if (remaining <= 0) {
				throw new PathException(Reason.TIMEOUT, false, "the deadline had passed before the call", null);
			}
			FrameDescriptor.headerBlockLength(out, start, headerBytes);
			FrameDescriptor.binding(out, start, wanted.number());
			FrameDescriptor.code(out, start, frame.method().index());
			FrameDescriptor.remaining(out, start, remaining);
			FrameDescriptor.end(out, start, FrameType.CALL);
		}
		catch (WireException ex) {
			throw new PathException(ex.refusal().reason(), false, ex.text(), ex);
		}
		catch (RuntimeException ex) {
			throw new PathException(Reason.CODEC, false, "the arguments cannot be encoded: " + ex.getMessage(), ex);
		}
	}

	private Reply decode(LaneClient client, ClientBinding wanted, CodecChoice choice, CallFrame frame, ClientLane lane)
			throws PathException {
		byte[] response = lane.response();
		FrameHeader answer = new FrameHeader();
		try {
			FrameDescriptor.read(response, lane.responseLength(), answer, this.limits);
			if (answer.type == FrameType.REFUSED) {
				PathException refusal = refused(answer, answer.payload(response));
				this.faultyAnswers.set(0);
				throw refusal;
			}
			Reply reply = wanted.decode(choice, frame, answer, response, this.limits);
			if (this.faultyAnswers.get() != 0) {
				this.faultyAnswers.set(0);
			}
			return reply;
		}
		catch (WireException ex) {
			faultyAnswer(client, ex);
			throw new PathException(ex.refusal().reason(), true,
					"%s sent an unacceptable answer: %s".formatted(this, ex.text()), ex);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw new PathException(Reason.CODEC, true, "the result cannot be decoded: " + ex.getMessage(), ex);
		}
	}

	/** One contract may be at fault, so others go on; a peer that only errs is left. */
	private void faultyAnswer(LaneClient client, WireException fault) {
		String text = "it sent an unacceptable answer: " + fault.text();
		if (this.faultyAnswers.incrementAndGet() < MAX_FAULTY_ANSWERS) {
			this.violated.accept(fault.refusal(), text);
		}
		else {
			client.end(LaneClient.End.violation(fault.refusal(), text));
		}
	}

	private PathException refused(FrameHeader answer, PayloadReader payload) throws WireException {
		Refusal refusal = Refusal.of(answer.code);
		String text = "%s refused (%s): %s".formatted(this, refusal.id(),
				WireException.printable(payload.readString()));
		if (refusal == Refusal.SHUTTING_DOWN) {
			// Calls in flight are still answered.
			this.leaving = true;
		}
		return new PathException(refusal.reason(), answer.has(FrameDescriptor.FLAG_EXECUTED), text, null);
	}

	boolean hasEnded() {
		LaneClient client = this.lanes;
		return this.leaving || client == null || client.whyEnded() != null;
	}

	long heapBytes() {
		return this.heap.bytes();
	}

	String bellReason() {
		return this.bellReason;
	}

	/** Closes as soon as no call is in flight. */
	void retire() {
		this.retired = true;
		closeFurther(null);
		if (lanes().isIdle()) {
			close("no path needs it any more");
		}
	}

	/** All lanes of all segments, for people. */
	Map<String, Object> lanesInUse() {
		List<LaneClient> all = allLanes();
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("segments", all.size());
		details.put("freeLanes", all.stream().mapToInt(LaneClient::freeLanes).sum());
		details.put("quarantinedLanes", all.stream().mapToInt(LaneClient::quarantinedLanes).sum());
		details.put("heapBytes", this.heap.bytes());
		details.put("memoryBytes", all.stream().mapToLong(LaneClient::memoryBytes).sum());
		return details;
	}

	private List<LaneClient> allLanes() {
		MoreLanes further = this.more;
		LaneClient first = this.lanes;
		List<LaneClient> all = new ArrayList<>();
		if (first != null) {
			all.add(first);
		}
		if (further != null) {
			further.peers().forEach((peer) -> all.add(peer.lanes()));
		}
		return all;
	}

	long memoryBytes() {
		return allLanes().stream().mapToLong(LaneClient::memoryBytes).sum();
	}

	private void closeFurther(@Nullable String why) {
		MoreLanes further = this.more;
		if (further != null) {
			further.close(why);
		}
	}

	/** Calls in flight fail. */
	void close(String why) {
		closeFurther(why);
		LaneClient client = this.lanes;
		if (client != null) {
			client.end(LaneClient.End.of(why));
		}
		this.control.close();
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

	/** A question and the thread that waits for its answer. */
	private record Asked(ClientBinding contract, CompletableFuture<CodecChoice> answer) {
	}

}
