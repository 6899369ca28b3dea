package io.github.vicinal.transport.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * RDMA by the C libraries of the host. Each connection has its own event channel, so that
 * one thread waits for completions and for the connection manager. Thread-safe.
 */
@SuppressWarnings("restricted") // Used only where native access is granted.
final class FfmVerbs implements Verbs {

	static final int EVENT_ADDR_RESOLVED = 0;

	static final int EVENT_ROUTE_RESOLVED = 2;

	static final int EVENT_CONNECT_REQUEST = 4;

	static final int EVENT_ESTABLISHED = 9;

	static final int EVENT_DISCONNECTED = 10;

	static final int EVENT_DEVICE_REMOVAL = 11;

	private static final String[] EVENTS = { "address resolved", "the address cannot be resolved", "route resolved",
			"the route cannot be resolved", "a request", "a response", "the connection failed",
			"the peer cannot be reached", "the peer rejected the connection", "established", "disconnected",
			"the device was removed" };

	private static final int REJECTED = 8;

	/** {@code IB_CM_REJ_INVALID_SERVICE_ID}, and the error of a TCP-like port. */
	private static final int NO_LISTENER = 8;

	private static final int PORT_SPACE_TCP = 0x0106;

	private static final int FAMILY_INET = 2;

	private static final int SOCKADDR_BYTES = 16;

	private final boolean hardware;

	FfmVerbs(boolean hardware) throws VerbsException {
		this.hardware = hardware;
		// Says at once what the kernel refuses.
		try (EventChannel probe = new EventChannel()) {
			probe.requireOpen();
		}
	}

	@Override
	public String name() {
		return "ffm";
	}

	boolean isHardware() {
		return this.hardware;
	}

	@Override
	public QueuePair connect(InetSocketAddress address, Resources resources, Duration timeout) throws VerbsException {
		long deadline = System.nanoTime() + timeout.toNanos();
		EventChannel channel = new EventChannel();
		FfmQueuePair queuePair = null;
		boolean connected = false;
		MemorySegment id = MemorySegment.NULL;
		try (Arena arena = Arena.ofConfined()) {
			id = channel.createId(PORT_SPACE_TCP);
			MemorySegment target = sockaddr(arena, address);
			int millis = (int) Math.max(1, Math.min(timeout.toMillis(), Integer.MAX_VALUE));
			Calls calls = channel.calls();
			calls.check("rdma_resolve_addr",
					(int) Native.RESOLVE_ADDRESS.invokeExact(calls.state(), id, MemorySegment.NULL, target, millis));
			channel.expect(EVENT_ADDR_RESOLVED, deadline);
			calls.check("rdma_resolve_route", (int) Native.RESOLVE_ROUTE.invokeExact(calls.state(), id, millis));
			channel.expect(EVENT_ROUTE_RESOLVED, deadline);
			queuePair = new FfmQueuePair(this, channel, id, resources);
			queuePair.connect();
			channel.expect(EVENT_ESTABLISHED, deadline);
			connected = true;
			return queuePair;
		}
		catch (VerbsException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		finally {
			if (!connected) {
				if (queuePair != null) {
					queuePair.close();
				}
				else {
					channel.destroyId(id);
					channel.close();
				}
			}
		}
	}

	@Override
	public Listener listen(InetSocketAddress address, int backlog) throws VerbsException {
		EventChannel channel = new EventChannel();
		boolean listening = false;
		MemorySegment id = MemorySegment.NULL;
		try (Arena arena = Arena.ofConfined()) {
			id = channel.createId(PORT_SPACE_TCP);
			Calls calls = channel.calls();
			calls.check("rdma_bind_addr", (int) Native.BIND.invokeExact(calls.state(), id, sockaddr(arena, address)));
			if (id.reinterpret(FfmQueuePair.ID_BYTES).get(Native.LONG, 0) == 0) {
				throw new VerbsException("the address %s is not on an RDMA interface"
					.formatted(address.getAddress().getHostAddress()));
			}
			calls.check("rdma_listen", (int) Native.LISTEN.invokeExact(calls.state(), id, backlog));
			listening = true;
			return new FfmListener(this, channel, id);
		}
		catch (VerbsException | RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new VerbsException("a native call failed: " + ex, ex);
		}
		finally {
			if (!listening) {
				channel.destroyId(id);
				channel.close();
			}
		}
	}

	private static MemorySegment sockaddr(Arena arena, InetSocketAddress address) {
		MemorySegment sockaddr = arena.allocate(SOCKADDR_BYTES, Long.BYTES);
		sockaddr.set(Native.SHORT, 0, (short) FAMILY_INET);
		sockaddr.set(Native.BYTE, 2, (byte) (address.getPort() >>> 8));
		sockaddr.set(Native.BYTE, 3, (byte) address.getPort());
		byte[] bytes = address.getAddress().getAddress();
		MemorySegment.copy(bytes, 0, sockaddr, ValueLayout.JAVA_BYTE, 4, bytes.length);
		return sockaddr;
	}

	/** Reads a {@code sockaddr_in}. */
	static InetSocketAddress address(MemorySegment memory, long offset) {
		byte[] bytes = new byte[4];
		MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + 4, bytes, 0, bytes.length);
		int port = Byte.toUnsignedInt(memory.get(Native.BYTE, offset + 2)) << 8
				| Byte.toUnsignedInt(memory.get(Native.BYTE, offset + 3));
		try {
			return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns whether a connection is over after an event. */
	static boolean isEnd(int event) {
		return event > EVENT_CONNECT_REQUEST && event != EVENT_ESTABLISHED && event <= EVENT_DEVICE_REMOVAL;
	}

	/** Says what an event other than the expected one means. */
	static String describe(int event, int status) {
		String text = (event >= 0 && event < EVENTS.length) ? EVENTS[event] : "event " + event;
		if (event == REJECTED) {
			return (status == NO_LISTENER) ? "no server listens there" : text + " (" + status + ")";
		}
		return (status < 0) ? text + ": " + Native.text(-status) : text;
	}

	@Override
	public void close() {
		// Connections hold what there is.
	}

	/** Memory for the error number of the calls of one thread at a time. */
	static final class Calls {

		private final MemorySegment state;

		Calls(Arena arena) {
			this.state = Native.errnoOf(arena);
		}

		MemorySegment state() {
			return this.state;
		}

		/** Checks a function that returns -1 and sets {@code errno}. */
		void check(String function, int result) throws VerbsException {
			if (result != 0) {
				throw failed(function);
			}
		}

		/** Checks a function that returns an object. */
		MemorySegment check(String function, MemorySegment result) throws VerbsException {
			if (result.equals(MemorySegment.NULL)) {
				throw failed(function);
			}
			return result;
		}

		VerbsException failed(String function) {
			return new VerbsException("%s: %s".formatted(function, Native.text(Native.errno(this.state))));
		}

	}

	/** An event of the connection manager. */
	record Event(int type, int status, MemorySegment id) {
	}

	/** Events of one listener or one connection. Used by one thread at a time. */
	static final class EventChannel implements AutoCloseable {

		private static final int EVENT_BYTES = 80;

		private static final int POLL_IN = 1;

		private final Arena arena = Arena.ofShared();

		private final Calls calls = new Calls(this.arena);

		private final MemorySegment pointer = this.arena.allocate(Long.BYTES, Long.BYTES);

		private final MemorySegment polled = this.arena.allocate(2 * 8L, Long.BYTES);

		private final MemorySegment channel;

		private final int descriptor;

		private boolean closed;

		EventChannel() throws VerbsException {
			boolean opened = false;
			try {
				this.channel = this.calls.check("rdma_create_event_channel",
						(MemorySegment) Native.CREATE_EVENT_CHANNEL.invokeExact(this.calls.state()));
				this.descriptor = this.channel.reinterpret(Integer.BYTES).get(Native.INT, 0);
				opened = true;
			}
			catch (VerbsException | RuntimeException | Error ex) {
				throw ex;
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
			finally {
				if (!opened) {
					this.arena.close();
				}
			}
		}

		void requireOpen() throws VerbsException {
			if (this.closed) {
				throw new VerbsException("the event channel is closed");
			}
		}

		Calls calls() {
			return this.calls;
		}

		MemorySegment channel() {
			return this.channel;
		}

		int descriptor() {
			return this.descriptor;
		}

		MemorySegment createId(int portSpace) throws VerbsException {
			try {
				this.calls.check("rdma_create_id", (int) Native.CREATE_ID.invokeExact(this.calls.state(), this.channel,
						this.pointer, MemorySegment.NULL, portSpace));
				return MemorySegment.ofAddress(this.pointer.get(Native.LONG, 0));
			}
			catch (VerbsException | RuntimeException | Error ex) {
				throw ex;
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
		}

		void destroyId(MemorySegment id) {
			if (id.equals(MemorySegment.NULL)) {
				return;
			}
			try {
				int ignored = (int) Native.DESTROY_ID.invokeExact(this.calls.state(), id);
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		}

		/**
		 * Waits for an event or for a second descriptor.
		 * @param other a descriptor, -1 for none
		 * @param nanos maximum time
		 * @return whether there is an event
		 */
		boolean await(int other, long nanos) throws VerbsException {
			this.polled.set(Native.INT, 0, this.descriptor);
			this.polled.set(Native.SHORT, 4, (short) POLL_IN);
			this.polled.set(Native.SHORT, 6, (short) 0);
			this.polled.set(Native.INT, 8, other);
			this.polled.set(Native.SHORT, 12, (short) POLL_IN);
			this.polled.set(Native.SHORT, 14, (short) 0);
			int millis = (nanos <= 0) ? 0 : (int) Math.min(nanos / 1_000_000 + 1, Integer.MAX_VALUE);
			try {
				int ready = (int) Native.POLL.invokeExact(this.calls.state(), this.polled, 2L, millis);
				return ready > 0 && this.polled.get(Native.SHORT, 6) != 0;
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
		}

		/** Takes an event that is there. */
		Event take() throws VerbsException {
			try {
				this.calls.check("rdma_get_cm_event",
						(int) Native.GET_EVENT.invokeExact(this.calls.state(), this.channel, this.pointer));
				MemorySegment event = MemorySegment.ofAddress(this.pointer.get(Native.LONG, 0))
					.reinterpret(EVENT_BYTES);
				Event taken = new Event(event.get(Native.INT, 16), event.get(Native.INT, 20),
						MemorySegment.ofAddress(event.get(Native.LONG, 0)));
				int ignored = (int) Native.ACK_EVENT.invokeExact(this.calls.state(), event);
				return taken;
			}
			catch (VerbsException | RuntimeException | Error ex) {
				throw ex;
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
		}

		/** Waits for the next step of a connection. */
		void expect(int type, long deadline) throws VerbsException {
			if (!await(-1, Math.max(0, deadline - System.nanoTime()))) {
				throw new VerbsException("the connection manager did not answer in time");
			}
			Event event = take();
			if (event.type() != type) {
				throw new VerbsException(describe(event.type(), event.status()));
			}
		}

		@Override
		public void close() {
			if (this.closed) {
				return;
			}
			this.closed = true;
			try {
				Native.DESTROY_EVENT_CHANNEL.invokeExact(this.calls.state(), this.channel);
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
			this.arena.close();
		}

	}

	/** Accepts connections on one thread. */
	private static final class FfmListener implements Listener {

		private static final long LOOK_NANOS = 1_000_000_000;

		private final FfmVerbs verbs;

		private final EventChannel channel;

		private final MemorySegment id;

		private final InetSocketAddress address;

		private volatile boolean closed;

		private final WakeUp wakeUp;

		/** Guarded by this. */
		private boolean accepting;

		private boolean freed;

		FfmListener(FfmVerbs verbs, EventChannel channel, MemorySegment id) throws VerbsException {
			this.verbs = verbs;
			this.channel = channel;
			this.id = id;
			this.wakeUp = new WakeUp();
			this.address = FfmVerbs.address(id.reinterpret(FfmQueuePair.ID_BYTES), FfmQueuePair.ID_SOURCE);
		}

		@Override
		public InetSocketAddress address() {
			return this.address;
		}

		@Override
		public boolean isClosed() {
			return this.closed;
		}

		@Override
		public @Nullable QueuePair accept(Supplier<@Nullable Resources> resources) throws VerbsException {
			synchronized (this) {
				if (this.freed) {
					return null;
				}
				this.accepting = true;
			}
			try {
				while (!this.closed) {
					if (!this.channel.await(this.wakeUp.descriptor(), LOOK_NANOS)) {
						continue;
					}
					Event event = this.channel.take();
					if (event.type() == EVENT_CONNECT_REQUEST) {
						return accept(event.id(), resources.get());
					}
					if (event.type() == EVENT_DEVICE_REMOVAL) {
						this.closed = true;
						throw new VerbsException(describe(event.type(), event.status()));
					}
				}
				return null;
			}
			finally {
				synchronized (this) {
					this.accepting = false;
					if (this.closed) {
						free();
					}
				}
			}
		}

		private QueuePair accept(MemorySegment request, @Nullable Resources resources) throws VerbsException {
			EventChannel own = new EventChannel();
			FfmQueuePair queuePair = null;
			boolean accepted = false;
			try {
				own.calls()
					.check("rdma_migrate_id",
							(int) Native.MIGRATE_ID.invokeExact(own.calls().state(), request, own.channel()));
				if (resources == null) {
					throw new VerbsException("there are too many connections");
				}
				queuePair = new FfmQueuePair(this.verbs, own, request, resources);
				queuePair.accept();
				accepted = true;
				return queuePair;
			}
			catch (VerbsException | RuntimeException | Error ex) {
				throw ex;
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
			finally {
				if (!accepted) {
					if (queuePair != null) {
						queuePair.close();
					}
					else {
						reject(own, request);
					}
				}
			}
		}

		private static void reject(EventChannel own, MemorySegment request) {
			try {
				int ignored = (int) Native.REJECT.invokeExact(own.calls().state(), request, MemorySegment.NULL,
						(byte) 0);
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
			own.destroyId(request);
			own.close();
		}

		@Override
		public synchronized void close() {
			this.closed = true;
			if (this.freed) {
				return;
			}
			if (this.accepting) {
				this.wakeUp.ring();
			}
			else {
				free();
			}
		}

		private void free() {
			if (!this.freed) {
				this.freed = true;
				this.channel.destroyId(this.id);
				this.channel.close();
				this.wakeUp.close();
			}
		}

	}

	/** A descriptor that ends a wait. Thread-safe until it is closed. */
	static final class WakeUp implements AutoCloseable {

		private static final int NON_BLOCKING = 0x800;

		private final Arena arena = Arena.ofShared();

		private final MemorySegment one = this.arena.allocate(Long.BYTES, Long.BYTES);

		private final MemorySegment read = this.arena.allocate(Long.BYTES, Long.BYTES);

		private final int descriptor;

		WakeUp() throws VerbsException {
			this.one.set(Native.LONG, 0, 1);
			try {
				this.descriptor = (int) Native.EVENT_FD.invokeExact(Native.errnoOf(this.arena), 0, NON_BLOCKING);
			}
			catch (Throwable ex) {
				throw new VerbsException("a native call failed: " + ex, ex);
			}
			if (this.descriptor < 0) {
				this.arena.close();
				throw new VerbsException("no event descriptor could be made");
			}
		}

		int descriptor() {
			return this.descriptor;
		}

		synchronized void ring() {
			call(Native.WRITE, this.one);
		}

		/** Called by the thread that waits. */
		void clear() {
			call(Native.READ, this.read);
		}

		private void call(MethodHandle function, MemorySegment buffer) {
			try (Arena state = Arena.ofConfined()) {
				long ignored = (long) function.invokeExact(Native.errnoOf(state), this.descriptor, buffer,
						(long) Long.BYTES);
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public synchronized void close() {
			try (Arena state = Arena.ofConfined()) {
				int ignored = (int) Native.CLOSE.invokeExact(Native.errnoOf(state), this.descriptor);
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
			this.arena.close();
		}

	}

}
