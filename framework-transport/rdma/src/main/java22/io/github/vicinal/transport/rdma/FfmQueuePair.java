package io.github.vicinal.transport.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A queue pair of the C libraries. Work requests are patched in memory that stays. */
@SuppressWarnings("restricted") // Used only where native access is granted.
final class FfmQueuePair implements QueuePair {

	private static final Logger logger = LoggerFactory.getLogger(FfmQueuePair.class);

	static final long ID_BYTES = 416;

	/** In {@code rdma_cm_id}: the addresses of both sides. */
	static final long ID_SOURCE = 32;

	private static final long ID_DESTINATION = 160;

	private static final long ID_QP = 24;

	private static final long CONTEXT_BYTES = 280;

	private static final long CONTEXT_POLL_CQ = 96;

	private static final long CONTEXT_NOTIFY_CQ = 104;

	private static final long CONTEXT_POST_SEND = 208;

	private static final long CONTEXT_POST_RECEIVE = 216;

	private static final long MR_BYTES = 48;

	private static final long MR_ADDRESS = 16;

	private static final long MR_LENGTH = 24;

	private static final long MR_LOCAL_KEY = 36;

	private static final long MR_REMOTE_KEY = 40;

	private static final int ACCESS_LOCAL_WRITE = 1;

	private static final int ACCESS_REMOTE_WRITE = 2;

	private static final int ACCESS_REMOTE_READ = 4;

	private static final int PAGE = 4096;

	private static final int COMPLETION_BYTES = 48;

	private static final int MAX_COMPLETIONS = 32;

	private static final int STATUS_FLUSHED = 5;

	private static final int OPCODE_READ = 2;

	private static final int OPCODE_RECEIVE = 128;

	private static final int OPCODE_RECEIVE_IMMEDIATE = 129;

	private static final int SEND_SIGNALLED = 2;

	private static final int SEND_INLINE = 8;

	private static final int WRITE = 0;

	private static final int WRITE_IMMEDIATE = 1;

	private static final int SEND = 2;

	private static final int READ = 4;

	/** In {@code rdma_conn_param}. */
	private static final long PARAMETERS_RESPONDER = 9;

	private static final long PARAMETERS_INITIATOR = 10;

	private static final long PARAMETERS_RETRIES = 12;

	private static final long PARAMETERS_RECEIVER_RETRIES = 13;

	private static final byte RETRIES = 7;

	/**
	 * {@code RDMA_MAX_RESP_RES} and {@code RDMA_MAX_INIT_DEPTH}: as many reads at a time
	 * as both devices can.
	 */
	private static final byte MOST = (byte) 0xff;

	/** Between two looks at the connection manager, while the thread polls. */
	private static final long LOOK_NANOS = 1_000_000;

	private static final short POLL_IN = 1;

	private final Arena arena = Arena.ofShared();

	private final FfmVerbs.Calls calls = new FfmVerbs.Calls(this.arena);

	private final FfmVerbs.EventChannel channel;

	private final MemorySegment id;

	private final boolean fast;

	private final FfmVerbs.WakeUp wakeUp;

	private final MemorySegment inbound;

	private final MemorySegment outbound;

	/** Memory of {@link #readable} and {@link #landing}. */
	private final @Nullable Arena rendezvous;

	private final MemorySegment readable;

	private final MemorySegment landing;

	private MemorySegment pd = MemorySegment.NULL;

	private MemorySegment completionChannel = MemorySegment.NULL;

	private MemorySegment cq = MemorySegment.NULL;

	private MemorySegment qp = MemorySegment.NULL;

	private MemorySegment inboundRegion = MemorySegment.NULL;

	private MemorySegment outboundRegion = MemorySegment.NULL;

	private MemorySegment readableRegion = MemorySegment.NULL;

	private MemorySegment landingRegion = MemorySegment.NULL;

	private final MemorySegment pollCq;

	private final MemorySegment notifyCq;

	private final MemorySegment postSend;

	private final MemorySegment postReceive;

	private final int outboundKey;

	private final int inboundKey;

	private final int readableKey;

	private final int landingKey;

	private final int inlineBytes;

	private final int completionDescriptor;

	private final InetSocketAddress local;

	private final InetSocketAddress remote;

	// Used by the thread that posts

	private final MemorySegment sendRequest = this.arena.allocate(128, 8);

	private final MemorySegment sendElement = this.arena.allocate(16, 8);

	private final MemorySegment badRequest = this.arena.allocate(8, 8);

	// Used by the thread that polls

	private final MemorySegment receiveRequest = this.arena.allocate(32, 8);

	private final MemorySegment receiveElement = this.arena.allocate(16, 8);

	private final MemorySegment badReceive = this.arena.allocate(8, 8);

	private final MemorySegment completions = this.arena.allocate((long) COMPLETION_BYTES * MAX_COMPLETIONS, 8);

	private final MemorySegment polled = this.arena.allocate(3 * 8L, 8);

	private final MemorySegment pointers = this.arena.allocate(16, 8);

	private final MemorySegment parameters = this.arena.allocate(24, 8);

	private long nextLook = System.nanoTime();

	private @Nullable String ended;

	private int unacknowledged;

	private boolean closed;

	/** Makes all that a connection needs, and posts receives. */
	FfmQueuePair(FfmVerbs verbs, FfmVerbs.EventChannel channel, MemorySegment id, Verbs.Resources resources)
			throws VerbsException {
		this.channel = channel;
		this.id = id.reinterpret(ID_BYTES);
		this.fast = verbs.isHardware();
		this.inbound = this.arena.allocate(resources.inboundBytes(), PAGE);
		this.outbound = this.arena.allocate(resources.localBytes(), PAGE);
		this.wakeUp = new FfmVerbs.WakeUp();
		boolean made = false;
		try {
			MemorySegment context = MemorySegment.ofAddress(this.id.get(Native.LONG, 0)).reinterpret(CONTEXT_BYTES);
			this.pollCq = MemorySegment.ofAddress(context.get(Native.LONG, CONTEXT_POLL_CQ));
			this.notifyCq = MemorySegment.ofAddress(context.get(Native.LONG, CONTEXT_NOTIFY_CQ));
			this.postSend = MemorySegment.ofAddress(context.get(Native.LONG, CONTEXT_POST_SEND));
			this.postReceive = MemorySegment.ofAddress(context.get(Native.LONG, CONTEXT_POST_RECEIVE));
			this.pd = this.calls.check("ibv_alloc_pd",
					(MemorySegment) Native.ALLOC_PD.invokeExact(this.calls.state(), context));
			this.completionChannel = this.calls.check("ibv_create_comp_channel",
					(MemorySegment) Native.CREATE_COMP_CHANNEL.invokeExact(this.calls.state(), context));
			this.completionDescriptor = this.completionChannel.reinterpret(16).get(Native.INT, 8);
			this.cq = this.calls.check("ibv_create_cq",
					(MemorySegment) Native.CREATE_CQ.invokeExact(this.calls.state(), context,
							resources.sends() + resources.receives(), MemorySegment.NULL, this.completionChannel, 0));
			this.inboundRegion = register(this.inbound, ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE);
			this.inboundKey = this.inboundRegion.get(Native.INT, MR_REMOTE_KEY);
			this.outboundRegion = register(this.outbound, ACCESS_LOCAL_WRITE);
			this.outboundKey = this.outboundRegion.get(Native.INT, MR_LOCAL_KEY);
			this.rendezvous = registerRendezvous(resources.rendezvousBytes());
			boolean reads = this.rendezvous != null;
			this.readable = reads ? memory(this.readableRegion) : MemorySegment.NULL;
			this.readableKey = reads ? this.readableRegion.get(Native.INT, MR_REMOTE_KEY) : 0;
			this.landing = reads ? memory(this.landingRegion) : MemorySegment.NULL;
			this.landingKey = reads ? this.landingRegion.get(Native.INT, MR_LOCAL_KEY) : 0;
			this.inlineBytes = createQueuePair(resources);
			this.qp = MemorySegment.ofAddress(this.id.get(Native.LONG, ID_QP));
			this.local = FfmVerbs.address(this.id, ID_SOURCE);
			this.remote = FfmVerbs.address(this.id, ID_DESTINATION);
			postSetupReceive(resources.setupBytes());
			receive(resources.receives() - 1);
			made = true;
		}
		catch (VerbsException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		finally {
			if (!made) {
				free();
			}
		}
	}

	private MemorySegment register(MemorySegment memory, int access) throws Throwable {
		MemorySegment region = tryToRegister(memory, access);
		if (region.equals(MemorySegment.NULL)) {
			throw new VerbsException(
					"%d KB could not be locked, beside what other connections lock; raise the limit (ulimit -l, or LimitMEMLOCK of systemd), or lower vicinal.rdma.ring-size or vicinal.rdma.rendezvous-size: %s"
						.formatted(memory.byteSize() >> 10, this.calls.failed("ibv_reg_mr").text()));
		}
		return region;
	}

	private MemorySegment tryToRegister(MemorySegment memory, int access) throws Throwable {
		MemorySegment region = (MemorySegment) Native.REG_MR.invokeExact(this.calls.state(), this.pd, memory,
				memory.byteSize(), access);
		return region.equals(MemorySegment.NULL) ? region : region.reinterpret(MR_BYTES);
	}

	/** Returns {@code null} if both sides of it cannot be locked, or are not wanted. */
	private @Nullable Arena registerRendezvous(int bytes) throws Throwable {
		if (bytes == 0) {
			return null;
		}
		Arena memory = Arena.ofShared();
		boolean registered = false;
		String reason;
		try {
			registered = registerBoth(memory, bytes);
			reason = registered ? "" : this.calls.failed("ibv_reg_mr").text();
		}
		catch (OutOfMemoryError ex) {
			reason = String.valueOf(ex.getMessage());
		}
		finally {
			if (!registered) {
				deregister(this.readableRegion);
				this.readableRegion = MemorySegment.NULL;
				memory.close();
			}
		}
		if (registered) {
			return memory;
		}
		logger.debug("Large calls travel through the ring: {} KB could not be locked for them: {}", 2 * bytes >> 10,
				reason);
		return null;
	}

	private boolean registerBoth(Arena memory, int bytes) throws Throwable {
		this.readableRegion = tryToRegister(memory.allocate(bytes, PAGE), ACCESS_REMOTE_READ);
		if (this.readableRegion.equals(MemorySegment.NULL)) {
			return false;
		}
		this.landingRegion = tryToRegister(memory.allocate(bytes, PAGE), ACCESS_LOCAL_WRITE);
		return !this.landingRegion.equals(MemorySegment.NULL);
	}

	/** Returns the memory of a region. */
	private static MemorySegment memory(MemorySegment region) {
		return MemorySegment.ofAddress(region.get(Native.LONG, MR_ADDRESS)).reinterpret(region.get(Native.LONG, MR_LENGTH));
	}

	private void deregister(MemorySegment region) throws Throwable {
		if (!region.equals(MemorySegment.NULL)) {
			int ignored = (int) Native.DEREG_MR.invokeExact(this.calls.state(), region);
		}
	}

	/** Returns the longest payload that can be inline. */
	private int createQueuePair(Verbs.Resources resources) throws Throwable {
		MemorySegment attributes = this.arena.allocate(64, 8);
		int inline = resources.inlineBytes();
		while (true) {
			attributes.fill((byte) 0);
			attributes.set(Native.LONG, 8, this.cq.address());
			attributes.set(Native.LONG, 16, this.cq.address());
			attributes.set(Native.INT, 32, resources.sends());
			attributes.set(Native.INT, 36, resources.receives());
			attributes.set(Native.INT, 40, 1);
			attributes.set(Native.INT, 44, 1);
			attributes.set(Native.INT, 48, inline);
			attributes.set(Native.INT, 52, 2);
			int result = (int) Native.CREATE_QP.invokeExact(this.calls.state(), this.id, this.pd,
					attributes);
			if (result == 0) {
				return Math.max(inline, 0);
			}
			if (inline == 0) {
				throw this.calls.failed("rdma_create_qp");
			}
			// Not every device takes that much.
			inline /= 2;
		}
	}

	private MemorySegment connectionParameters() {
		this.parameters.fill((byte) 0);
		this.parameters.set(Native.BYTE, PARAMETERS_RESPONDER, MOST);
		this.parameters.set(Native.BYTE, PARAMETERS_INITIATOR, MOST);
		this.parameters.set(Native.BYTE, PARAMETERS_RETRIES, RETRIES);
		this.parameters.set(Native.BYTE, PARAMETERS_RECEIVER_RETRIES, RETRIES);
		return this.parameters;
	}

	void connect() throws VerbsException {
		try {
			this.calls.check("rdma_connect",
					(int) Native.CONNECT.invokeExact(this.calls.state(), this.id, connectionParameters()));
		}
		catch (VerbsException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
	}

	void accept() throws VerbsException {
		try {
			this.calls.check("rdma_accept",
					(int) Native.ACCEPT.invokeExact(this.calls.state(), this.id, connectionParameters()));
		}
		catch (VerbsException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
	}

	@Override
	public InetSocketAddress local() {
		return this.local;
	}

	@Override
	public InetSocketAddress remote() {
		return this.remote;
	}

	@Override
	public ByteBuffer inbound() {
		return this.inbound.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
	}

	@Override
	public long inboundAddress() {
		return this.inbound.address();
	}

	@Override
	public int inboundKey() {
		return this.inboundKey;
	}

	@Override
	public ByteBuffer outbound() {
		return this.outbound.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
	}

	@Override
	public ByteBuffer readable() {
		return buffer(this.readable);
	}

	/** Memory that is not there has no address. */
	private static ByteBuffer buffer(MemorySegment memory) {
		return (memory.byteSize() > 0) ? memory.asByteBuffer().order(ByteOrder.BIG_ENDIAN) : ByteBuffer.allocate(0);
	}

	@Override
	public long readableAddress() {
		return this.readable.address();
	}

	@Override
	public int readableKey() {
		return this.readableKey;
	}

	@Override
	public ByteBuffer landing() {
		return buffer(this.landing);
	}

	@Override
	public int inlineBytes() {
		return this.inlineBytes;
	}

	@Override
	public void send(int offset, int length) throws VerbsException {
		post(SEND, this.outbound.address() + offset, length, this.outboundKey, 0, 0, SEND_SIGNALLED, 0);
	}

	@Override
	public void read(int offset, int length, long remoteAddress, int remoteKey) throws VerbsException {
		post(READ, this.landing.address() + offset, length, this.landingKey, remoteAddress, remoteKey, SEND_SIGNALLED,
				0);
	}

	@Override
	public void write(int offset, int length, long remoteAddress, int remoteKey, int flags, int immediate)
			throws VerbsException {
		int sendFlags = ((flags & SIGNALLED) != 0 ? SEND_SIGNALLED : 0) | ((flags & INLINE) != 0 ? SEND_INLINE : 0);
		post((flags & IMMEDIATE) != 0 ? WRITE_IMMEDIATE : WRITE, this.outbound.address() + offset, length,
				this.outboundKey, remoteAddress, remoteKey, sendFlags, immediate);
	}

	private void post(int opcode, long address, int length, int localKey, long remoteAddress, int remoteKey, int flags,
			int immediate) throws VerbsException {
		MemorySegment request = this.sendRequest;
		this.sendElement.set(Native.LONG, 0, address);
		this.sendElement.set(Native.INT, 8, length);
		this.sendElement.set(Native.INT, 12, localKey);
		request.set(Native.LONG, 16, this.sendElement.address());
		request.set(Native.INT, 24, (length > 0) ? 1 : 0);
		request.set(Native.INT, 28, opcode);
		request.set(Native.INT, 32, flags);
		request.set(Native.INT, 36, Integer.reverseBytes(immediate));
		request.set(Native.LONG, 40, remoteAddress);
		request.set(Native.INT, 48, remoteKey);
		int result;
		try {
			result = this.fast ? (int) Native.POST_FAST.invokeExact(this.postSend, this.qp, request, this.badRequest)
					: (int) Native.POST.invokeExact(this.postSend, this.qp, request, this.badRequest);
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		if (result != 0) {
			throw new VerbsException("ibv_post_send: " + Native.text(Math.abs(result)));
		}
	}

	private void postSetupReceive(int bytes) throws VerbsException {
		this.receiveElement.set(Native.LONG, 0, this.outbound.address());
		this.receiveElement.set(Native.INT, 8, bytes);
		this.receiveElement.set(Native.INT, 12, this.outboundKey);
		this.receiveRequest.set(Native.LONG, 16, this.receiveElement.address());
		this.receiveRequest.set(Native.INT, 24, 1);
		receive(1);
		this.receiveRequest.set(Native.LONG, 16, 0L);
		this.receiveRequest.set(Native.INT, 24, 0);
	}

	@Override
	public void receive(int count) throws VerbsException {
		for (int i = 0; i < count; i++) {
			int result;
			try {
				result = this.fast
						? (int) Native.POST_FAST.invokeExact(this.postReceive, this.qp, this.receiveRequest,
								this.badReceive)
						: (int) Native.POST.invokeExact(this.postReceive, this.qp, this.receiveRequest,
								this.badReceive);
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
			if (result != 0) {
				throw new VerbsException("ibv_post_recv: " + Native.text(Math.abs(result)));
			}
		}
	}

	@Override
	public int poll(int max, Completions handler) throws VerbsException {
		int most = Math.min(max, MAX_COMPLETIONS);
		int count;
		try {
			count = this.fast ? (int) Native.POLL_CQ_FAST.invokeExact(this.pollCq, this.cq, most, this.completions)
					: (int) Native.POLL_CQ.invokeExact(this.pollCq, this.cq, most, this.completions);
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		if (count < 0) {
			throw new VerbsException("ibv_poll_cq: " + Native.text(-count));
		}
		for (int i = 0; i < count; i++) {
			completed((long) i * COMPLETION_BYTES, handler);
		}
		return count;
	}

	private void completed(long at, Completions handler) {
		int status = this.completions.get(Native.INT, at + 8);
		int opcode = this.completions.get(Native.INT, at + 12);
		if (status != 0) {
			handler.failed(Native.status(status, this.calls.state()), status == STATUS_FLUSHED);
		}
		else if (opcode == OPCODE_RECEIVE_IMMEDIATE) {
			handler.written(Integer.reverseBytes(this.completions.get(Native.INT, at + 24)));
		}
		else if (opcode == OPCODE_RECEIVE) {
			handler.received(this.completions.get(Native.INT, at + 20));
		}
		else if (opcode == OPCODE_READ) {
			handler.read();
		}
		else {
			handler.sent();
		}
	}

	@Override
	public void arm() throws VerbsException {
		try {
			int result = (int) Native.NOTIFY_CQ.invokeExact(this.notifyCq, this.cq, 0);
			if (result != 0) {
				throw new VerbsException("ibv_req_notify_cq: " + Native.text(Math.abs(result)));
			}
		}
		catch (VerbsException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
	}

	@Override
	public void await(long nanos) throws VerbsException {
		int millis = (int) Math.min(nanos / 1_000_000 + 1, Integer.MAX_VALUE);
		look(millis);
		if (this.polled.get(Native.SHORT, 8 + 6) != 0) {
			takeCompletionEvent();
		}
		if (this.polled.get(Native.SHORT, 16 + 6) != 0) {
			this.wakeUp.clear();
		}
	}

	/** Waits for one of three descriptors, and takes what the connection manager says. */
	private void look(int millis) throws VerbsException {
		descriptor(0, this.channel.descriptor());
		descriptor(8, this.completionDescriptor);
		descriptor(16, this.wakeUp.descriptor());
		int ready;
		try {
			ready = (int) Native.POLL.invokeExact(this.calls.state(), this.polled, 3L, millis);
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		if (ready <= 0) {
			// Nothing was written to the results.
			return;
		}
		if (this.polled.get(Native.SHORT, 6) != 0) {
			FfmVerbs.Event event = this.channel.take();
			if (this.ended == null && FfmVerbs.isEnd(event.type())) {
				this.ended = (event.type() == FfmVerbs.EVENT_DISCONNECTED) ? "closed the connection"
						: "cannot be reached: " + FfmVerbs.describe(event.type(), event.status());
			}
		}
	}

	private void descriptor(long at, int descriptor) {
		this.polled.set(Native.INT, at, descriptor);
		this.polled.set(Native.SHORT, at + 4, POLL_IN);
		this.polled.set(Native.SHORT, at + 6, (short) 0);
	}

	private void takeCompletionEvent() throws VerbsException {
		try {
			this.calls.check("ibv_get_cq_event", (int) Native.GET_CQ_EVENT.invokeExact(this.calls.state(),
					this.completionChannel, this.pointers, this.pointers.asSlice(8)));
			this.unacknowledged++;
		}
		catch (VerbsException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
	}

	@Override
	public void wake() {
		this.wakeUp.ring();
	}

	@Override
	public @Nullable String ended() {
		long now = System.nanoTime();
		if (this.ended == null && now - this.nextLook >= 0) {
			this.nextLook = now + LOOK_NANOS;
			try {
				look(0);
			}
			catch (VerbsException ex) {
				this.ended = "cannot be reached: " + ex.text();
			}
		}
		return this.ended;
	}

	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		try {
			int ignored = (int) Native.DISCONNECT.invokeExact(this.calls.state(), this.id);
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
		free();
		this.channel.destroyId(this.id);
		this.channel.close();
	}

	/** The device must not write to memory that is free: the queue pair goes first. */
	private void free() {
		try {
			if (!this.qp.equals(MemorySegment.NULL)) {
				Native.DESTROY_QP.invokeExact(this.calls.state(), this.id);
			}
			int ignored;
			if (!this.cq.equals(MemorySegment.NULL)) {
				if (this.unacknowledged > 0) {
					Native.ACK_CQ_EVENTS.invokeExact(this.calls.state(), this.cq, this.unacknowledged);
				}
				ignored = (int) Native.DESTROY_CQ.invokeExact(this.calls.state(), this.cq);
			}
			if (!this.completionChannel.equals(MemorySegment.NULL)) {
				ignored = (int) Native.DESTROY_COMP_CHANNEL.invokeExact(this.calls.state(), this.completionChannel);
			}
			deregister(this.inboundRegion);
			deregister(this.outboundRegion);
			deregister(this.readableRegion);
			deregister(this.landingRegion);
			if (!this.pd.equals(MemorySegment.NULL)) {
				ignored = (int) Native.DEALLOC_PD.invokeExact(this.calls.state(), this.pd);
			}
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
		this.wakeUp.close();
		Arena memory = this.rendezvous;
		if (memory != null) {
			memory.close();
		}
		this.arena.close();
	}

}
