package io.github.vicinal.transport.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * RDMA devices in the memory of one JVM, which do no more than the specification
 * promises:
 * <ul>
 * <li>the bytes of a write are taken from the sender's memory when it is delivered, not
 * when it is posted, and stay readable there until it completes;
 * <li>they arrive at the receiver when the completion of a write with an immediate number
 * is polled, not before;
 * <li>an event reports only completions that arrive after it was asked for;
 * <li>completions of sends come late and in bunches, never before those of receives that
 * they are older than;
 * <li>a write whose immediate number finds no receive waits;
 * <li>the bytes of a read are taken from the memory of the peer when its completion is
 * reported, as late as can be, and arrive when that is polled. Writes behind a read
 * overtake it, but complete after it. More than {@value #READ_DEPTH} reads at a time keep
 * all that is posted behind them from starting.
 * </ul>
 */
final class MemoryFabric {

	private static final int FIRST_PORT = 10_000;

	private static final int SPREAD = 8;

	private static final int READ_DEPTH = 2;

	private final Map<InetSocketAddress, MemoryListener> listeners = new ConcurrentHashMap<>();

	private final AtomicInteger ports = new AtomicInteger(FIRST_PORT);

	private final AtomicLong addresses = new AtomicLong(0x7000_0000_0000L);

	private final AtomicInteger keys = new AtomicInteger(0x1000);

	final List<MemoryQueuePair> queuePairs = new ArrayList<>();

	/** Writes of a connection that waited for a receive of the peer. */
	final AtomicInteger notReady = new AtomicInteger();

	/** Reads that have completed. */
	final AtomicInteger reads = new AtomicInteger();

	/** Requests that waited behind more reads than a device has at a time. */
	final AtomicInteger stalled = new AtomicInteger();

	/** Attempts to connect, whatever became of them. */
	final AtomicInteger attempts = new AtomicInteger();

	/** Largest number of posted requests that had not completed. */
	final AtomicInteger mostPosted = new AtomicInteger();

	volatile int inlineBytes = 220;

	/** Whether connections can lock memory for rendezvous. */
	volatile boolean rendezvous = true;

	/** Whether connections are accepted by nobody, and time out. */
	volatile boolean silent;

	private volatile boolean removed;

	/** Taken before the locks of both ends. */
	private final Object delivery = new Object();

	Verbs verbs() {
		return new Verbs() {

			@Override
			public String name() {
				return "memory";
			}

			@Override
			public QueuePair connect(InetSocketAddress address, Resources resources, Duration timeout)
					throws VerbsException {
				return MemoryFabric.this.connect(address, resources, timeout);
			}

			@Override
			public Listener listen(InetSocketAddress address, int backlog) throws VerbsException {
				requireDevice();
				int port = (address.getPort() != 0) ? address.getPort() : MemoryFabric.this.ports.getAndIncrement();
				MemoryListener listener = new MemoryListener(new InetSocketAddress(address.getAddress(), port));
				if (MemoryFabric.this.listeners.putIfAbsent(listener.address, listener) != null) {
					throw new VerbsException("rdma_bind_addr: Address already in use");
				}
				return listener;
			}

			@Override
			public void close() {
				// Nothing is shared.
			}

		};
	}

	RdmaDevices devices() {
		return new RdmaDevices(() -> this.removed ? new RdmaSupport.Unavailable("this host has no RDMA device")
				: new RdmaSupport.Available(verbs(), "127.0.0.1", ""));
	}

	private void requireDevice() throws VerbsException {
		if (this.removed) {
			throw new VerbsException("rdma_resolve_addr: No such device");
		}
	}

	/** Ends all connections and listeners, as if the device was pulled out. */
	void removeDevice() {
		this.removed = true;
		this.listeners.values().forEach((listener) -> listener.fail("the device was removed"));
		all().forEach((queuePair) -> queuePair.fail("cannot be reached: the device was removed"));
	}

	void addDevice() {
		this.removed = false;
	}

	List<MemoryQueuePair> all() {
		synchronized (this.queuePairs) {
			return List.copyOf(this.queuePairs);
		}
	}

	private QueuePair connect(InetSocketAddress address, Verbs.Resources resources, Duration timeout)
			throws VerbsException {
		this.attempts.incrementAndGet();
		requireDevice();
		MemoryListener listener = this.listeners.get(address);
		if (this.silent) {
			throw new VerbsException("the connection manager did not answer in time");
		}
		if (listener == null) {
			throw new VerbsException("no server listens there");
		}
		MemoryQueuePair client = new MemoryQueuePair(resources, local(), address);
		Boolean accepted = listener.offer(client, timeout);
		if (accepted == null) {
			throw new VerbsException("the connection manager did not answer in time");
		}
		if (!accepted) {
			throw new VerbsException("the peer rejected the connection");
		}
		return client;
	}

	/** Connects two queue pairs without a listener, for tests of one side. */
	List<MemoryQueuePair> pair(Verbs.Resources resources) {
		MemoryQueuePair one = new MemoryQueuePair(resources, local(), local());
		MemoryQueuePair other = new MemoryQueuePair(resources, one.remote, one.local);
		one.peer = other;
		other.peer = one;
		return List.of(one, other);
	}

	private InetSocketAddress local() {
		try {
			return new InetSocketAddress(InetAddress.getByName("127.0.0.1"), this.ports.getAndIncrement());
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private final class MemoryListener implements Verbs.Listener {

		private final InetSocketAddress address;

		private final BlockingQueue<Object> requests = new LinkedBlockingQueue<>();

		private volatile boolean closed;

		MemoryListener(InetSocketAddress address) {
			this.address = address;
		}

		@Nullable Boolean offer(MemoryQueuePair client, Duration timeout) {
			this.requests.add(client);
			try {
				return client.established.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return null;
			}
		}

		void fail(String why) {
			this.closed = true;
			MemoryFabric.this.listeners.remove(this.address);
			this.requests.add(why);
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
		public @Nullable QueuePair accept(Supplier<Verbs.@Nullable Resources> resources) throws VerbsException {
			try {
				Object next = this.requests.take();
				if (next instanceof MemoryQueuePair client) {
					Verbs.Resources wanted = resources.get();
					if (wanted == null) {
						client.established.add(false);
						throw new VerbsException("there are too many connections");
					}
					MemoryQueuePair server = new MemoryQueuePair(wanted, this.address, client.local);
					server.peer = client;
					client.peer = server;
					client.established.add(true);
					return server;
				}
				if (((String) next).isEmpty()) {
					return null;
				}
				throw new VerbsException((String) next);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return null;
			}
		}

		@Override
		public void close() {
			this.closed = true;
			MemoryFabric.this.listeners.remove(this.address, this);
			this.requests.add("");
		}

	}

	private enum Kind {

		MESSAGE, WRITE, READ

	}

	/** A posted operation. */
	private record Request(Kind kind, int offset, int length, byte @Nullable [] inline, long remoteAddress,
			int remoteKey, int flags, int immediate) {
	}

	/** A completion that is not reported yet. */
	private static class Late {

		private final Completion completion;

		/** Whether it can be reported, if those before it can. */
		private boolean due;

		Late(Completion completion, boolean due) {
			this.completion = completion;
			this.due = due;
		}

		Completion completion() {
			return this.completion;
		}

	}

	private interface Completion {

		void report(QueuePair.Completions handler);

	}

	/** One end of a connection. Its own lock guards queues. */
	final class MemoryQueuePair implements QueuePair {

		private final InetSocketAddress local;

		private final InetSocketAddress remote;

		private final ByteBuffer inbound;

		private final ByteBuffer outbound;

		private final ByteBuffer readable;

		private final ByteBuffer landing;

		private final int sends;

		private final int setupBytes;

		private final long inboundAddress;

		private final int inboundKey;

		private final BlockingQueue<Boolean> established = new LinkedBlockingQueue<>();

		private final Deque<Request> wire = new ArrayDeque<>();

		private final Deque<Completion> completions = new ArrayDeque<>();

		/** Completions of sends that the device has not reported yet. */
		private final Deque<Late> late = new ArrayDeque<>();

		/** Those of them that are reads which the peer has not served. */
		private final Deque<Late> unserved = new ArrayDeque<>();

		private final long readableAddress;

		private final int readableKey;

		private boolean readsHeld;

		private @Nullable String failRead;

		private final Random random = new Random(42);

		private volatile @Nullable MemoryQueuePair peer;

		private int receives;

		private boolean setupReceived;

		private int posted;

		private boolean woken;

		private boolean armed;

		private boolean event;

		private boolean held;

		private @Nullable String ended;

		private @Nullable String failNext;

		private volatile boolean closed;

		MemoryQueuePair(Verbs.Resources resources, InetSocketAddress local, InetSocketAddress remote) {
			this.local = local;
			this.remote = remote;
			this.inbound = ByteBuffer.allocateDirect(resources.inboundBytes());
			this.outbound = ByteBuffer.allocateDirect(resources.localBytes());
			int bytes = MemoryFabric.this.rendezvous ? resources.rendezvousBytes() : 0;
			this.readable = ByteBuffer.allocateDirect(bytes);
			this.landing = ByteBuffer.allocateDirect(bytes);
			this.readableAddress = MemoryFabric.this.addresses.getAndAdd(1L << 32);
			this.readableKey = MemoryFabric.this.keys.getAndIncrement();
			this.sends = resources.sends();
			this.receives = resources.receives();
			this.setupBytes = resources.setupBytes();
			this.inboundAddress = MemoryFabric.this.addresses.getAndAdd(1L << 32);
			this.inboundKey = MemoryFabric.this.keys.getAndIncrement();
			synchronized (MemoryFabric.this.queuePairs) {
				MemoryFabric.this.queuePairs.add(this);
			}
		}

		/** Operations that this side posts from now on wait until {@link #release}. */
		synchronized void hold() {
			this.held = true;
		}

		void release() {
			synchronized (this) {
				this.held = false;
			}
			deliver();
		}

		/** Reads that this side posts are not served until {@link #releaseReads}. */
		synchronized void holdReads() {
			this.readsHeld = true;
		}

		void releaseReads() {
			synchronized (this) {
				this.readsHeld = false;
				serveReads();
				notifyAll();
			}
			deliver();
		}

		/** Returns the number of reads that the peer has not served. */
		synchronized int unservedReads() {
			return this.unserved.size();
		}

		private void serveReads() {
			while (!this.readsHeld && !this.unserved.isEmpty()) {
				this.unserved.remove().due = true;
			}
		}

		/** The next read fails with a status, and all later requests are flushed. */
		synchronized void failReads(String status) {
			this.failRead = status;
		}

		/** The next request fails with a status, and all later ones are flushed. */
		synchronized void failNext(String status) {
			this.failNext = status;
		}

		void fail(String why) {
			synchronized (this) {
				if (this.ended == null) {
					this.ended = why;
				}
				reportLate();
				this.late.clear();
				this.unserved.clear();
				report((handler) -> handler.failed("Work Request Flushed Error", true));
				notifyAll();
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
			return this.inbound.duplicate();
		}

		@Override
		public long inboundAddress() {
			return this.inboundAddress;
		}

		@Override
		public int inboundKey() {
			return this.inboundKey;
		}

		@Override
		public ByteBuffer outbound() {
			return this.outbound.duplicate();
		}

		@Override
		public ByteBuffer readable() {
			return this.readable.duplicate();
		}

		@Override
		public long readableAddress() {
			return this.readableAddress;
		}

		@Override
		public int readableKey() {
			return this.readableKey;
		}

		@Override
		public ByteBuffer landing() {
			return this.landing.duplicate();
		}

		@Override
		public int inlineBytes() {
			return MemoryFabric.this.inlineBytes;
		}

		@Override
		public void send(int offset, int length) throws VerbsException {
			post(new Request(Kind.MESSAGE, offset, length, null, 0, 0, SIGNALLED, 0));
		}

		@Override
		public void read(int offset, int length, long remoteAddress, int remoteKey) throws VerbsException {
			post(new Request(Kind.READ, offset, length, null, remoteAddress, remoteKey, SIGNALLED, 0));
		}

		@Override
		public void write(int offset, int length, long remoteAddress, int remoteKey, int flags, int immediate)
				throws VerbsException {
			byte[] inline = null;
			if ((flags & INLINE) != 0) {
				if (length > MemoryFabric.this.inlineBytes) {
					throw new VerbsException("ibv_post_send: %d bytes cannot be inline".formatted(length));
				}
				inline = new byte[length];
				this.outbound.get(offset, inline);
			}
			post(new Request(Kind.WRITE, offset, length, inline, remoteAddress, remoteKey, flags, immediate));
		}

		private void post(Request request) throws VerbsException {
			synchronized (this) {
				if (this.closed) {
					throw new IllegalStateException("the memory of the queue pair is free");
				}
				if (this.posted >= this.sends) {
					throw new VerbsException("ibv_post_send: Cannot allocate memory");
				}
				this.posted++;
				MemoryFabric.this.mostPosted.accumulateAndGet(this.posted, Math::max);
				this.wire.add(request);
			}
			deliver();
		}

		/** Delivers what can be delivered, in order. */
		private void deliver() {
			while (true) {
				Request next;
				MemoryQueuePair to = this.peer;
				synchronized (MemoryFabric.this.delivery) {
					synchronized (this) {
						next = this.wire.peek();
						if (next == null || this.held || this.ended != null || to == null) {
							return;
						}
						if (this.unserved.size() > READ_DEPTH) {
							throw new IllegalStateException("more reads than were let through");
						}
						if (next.kind() == Kind.READ && this.unserved.size() == READ_DEPTH) {
							MemoryFabric.this.stalled.incrementAndGet();
							return;
						}
						String status = this.failNext;
						if (status == null) {
							status = (next.kind() == Kind.READ) ? requested(next, to) : to.arrived(next, bytes(next));
						}
						if (status == null) {
							// The peer has posted no receive: the device tries again.
							MemoryFabric.this.notReady.incrementAndGet();
							return;
						}
						this.wire.remove();
						if (!status.isEmpty()) {
							String why = status;
							this.ended = "cannot be reached: " + why;
							report((handler) -> handler.failed(why, false));
							notifyAll();
							return;
						}
						if (next.kind() == Kind.READ) {
							completeRead(next, to);
						}
						else {
							completeLate(next);
						}
					}
				}
			}
		}

		private byte[] bytes(Request request) {
			byte[] bytes = request.inline();
			if (bytes == null) {
				bytes = new byte[request.length()];
				this.outbound.get(request.offset(), bytes);
			}
			return bytes;
		}

		/** Returns nothing if the peer can serve a read, or an error. */
		private String requested(Request read, MemoryQueuePair from) {
			if (this.failRead != null) {
				return this.failRead;
			}
			if (from.isClosed() || from.ended() != null) {
				return "transport retry counter exceeded";
			}
			if (read.length() <= 0 || read.offset() < 0 || read.offset() > this.landing.capacity() - read.length()) {
				return "local protection error";
			}
			long offset = read.remoteAddress() - from.readableAddress;
			boolean readable = read.remoteKey() == from.readableKey && offset >= 0
					&& offset <= from.readable.capacity() - read.length();
			return readable ? "" : "remote access error";
		}

		private void completeRead(Request read, MemoryQueuePair from) {
			int completed = this.unsignalled + 1;
			this.unsignalled = 0;
			int offset = (int) (read.remoteAddress() - from.readableAddress);
			byte[] bytes = new byte[read.length()];
			Completion completion = (handler) -> {
				synchronized (this) {
					this.posted -= completed;
				}
				this.landing.put(read.offset(), bytes);
				MemoryFabric.this.reads.incrementAndGet();
				handler.read();
			};
			Late late = new Late(completion, false) {

				@Override
				Completion completion() {
					from.readable.get(offset, bytes);
					return super.completion();
				}

			};
			this.late.add(late);
			this.unserved.add(late);
			serveReads();
			notifyAll();
		}

		private void reportLate() {
			while (!this.late.isEmpty() && this.late.element().due) {
				report(this.late.remove().completion());
			}
		}

		private void report(Completion completion) {
			this.completions.add(completion);
			if (this.armed) {
				this.armed = false;
				this.event = true;
				notifyAll();
			}
		}

		/** A signalled request completes later; those before it with it. */
		private void completeLate(Request request) {
			boolean signalled = (request.flags() & SIGNALLED) != 0;
			this.unsignalled++;
			if (signalled) {
				int completed = this.unsignalled;
				this.unsignalled = 0;
				this.late.add(new Late((handler) -> {
					synchronized (this) {
						this.posted -= completed;
					}
					handler.sent();
				}, true));
				if (this.random.nextInt(SPREAD) == 0 || request.kind() == Kind.MESSAGE) {
					reportLate();
				}
				notifyAll();
			}
		}

		private int unsignalled;

		/** Returns nothing if it arrived, {@code null} to try again, or an error. */
		private synchronized @Nullable String arrived(Request request, byte[] bytes) {
			if (this.closed || this.ended != null) {
				return "transport retry counter exceeded";
			}
			if (request.kind() == Kind.MESSAGE) {
				if (this.setupReceived || bytes.length > this.setupBytes) {
					return "remote invalid request error";
				}
				this.setupReceived = true;
				this.receives--;
				report((handler) -> {
					this.outbound.put(0, bytes);
					handler.received(bytes.length);
				});
				notifyAll();
				return "";
			}
			long offset = request.remoteAddress() - this.inboundAddress;
			if (bytes.length > 0 && (request.remoteKey() != this.inboundKey || offset < 0
					|| offset > this.inbound.capacity() - bytes.length)) {
				return "remote access error";
			}
			if ((request.flags() & IMMEDIATE) == 0) {
				this.unseen.add((handler) -> this.inbound.put((int) offset, bytes));
				return "";
			}
			if (this.receives == 0) {
				return null;
			}
			this.receives--;
			List<Completion> before = List.copyOf(this.unseen);
			this.unseen.clear();
			report((handler) -> {
				before.forEach((write) -> write.report(handler));
				if (bytes.length > 0) {
					this.inbound.put((int) offset, bytes);
				}
				handler.written(request.immediate());
			});
			notifyAll();
			return "";
		}

		/** Writes without a number, which no completion has made visible. */
		private final List<Completion> unseen = new ArrayList<>();

		@Override
		public void receive(int count) {
			MemoryQueuePair from = this.peer;
			synchronized (this) {
				this.receives += count;
			}
			if (from != null) {
				from.deliver();
			}
		}

		@Override
		public int poll(int max, Completions handler) {
			List<Completion> polled = new ArrayList<>();
			synchronized (this) {
				if (this.closed) {
					throw new IllegalStateException("the queue pair is closed");
				}
				if (!this.late.isEmpty() && this.random.nextInt(SPREAD) == 0) {
					reportLate();
				}
				while (polled.size() < max && !this.completions.isEmpty()) {
					polled.add(this.completions.remove());
				}
			}
			polled.forEach((completion) -> completion.report(handler));
			if (!polled.isEmpty()) {
				// What waited behind reads can start.
				deliver();
			}
			return polled.size();
		}

		@Override
		public synchronized void arm() {
			this.armed = true;
		}

		@Override
		public synchronized void await(long nanos) {
			long deadline = System.nanoTime() + nanos;
			reportLate();
			while (!this.event && !this.woken && this.ended == null) {
				long left = deadline - System.nanoTime();
				if (left <= 0) {
					return;
				}
				try {
					TimeUnit.NANOSECONDS.timedWait(this, left);
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				reportLate();
			}
			this.event = false;
			this.woken = false;
		}

		@Override
		public synchronized void wake() {
			this.woken = true;
			notifyAll();
		}

		@Override
		public synchronized @Nullable String ended() {
			return this.ended;
		}

		synchronized boolean isClosed() {
			return this.closed;
		}

		@Override
		public void close() {
			MemoryQueuePair other = this.peer;
			synchronized (this) {
				this.closed = true;
				this.ended = "was closed";
			}
			if (other != null) {
				other.fail("closed the connection");
			}
		}

	}

}
