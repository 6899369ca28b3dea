package io.github.vicinal.transport.shm.bell;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bells that share one Unix domain socket: two bytes name the bell that rings, and one
 * thread for all pairs of a side hands rings to their sleepers. They need neither native
 * code nor a command, and one descriptor per pair, but a ring passes through one thread
 * more than that of a FIFO. Where only one thread ever sleeps it can hear the rings
 * itself, with a selector of its own.
 * <p>
 * The socket does not block: no interrupt of a thread that rings can close it. A ring
 * waits while the socket is full, which happens only if the peer reads nothing.
 * <p>
 * Both ends are open before there are calls: see {@link #awaitClient}. So no call needs a
 * descriptor of them later, and an idle pair keeps its one descriptor. All threads but
 * one that sleep at the server's bell return after a while and end.
 */
public final class SocketBells implements Bells, BellReader.Listener {

	/** The name of this kind. */
	public static final String KIND = "socket";

	private static final Logger logger = LoggerFactory.getLogger(SocketBells.class);

	private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}\\.bell");

	private static final int NAME_BYTES = 16;

	private static final int SERVER_INDEX = 0;

	private static final int POLLER_INDEX = 1;

	private static final int FIRST_LANE = 2;

	private static final int READ_BYTES = 512;

	/** Maximum number of rings of one bell that are kept for those who come to sleep. */
	private static final int MAX_KEPT = 64;

	/** Maximum number of sleepers, more than there ever are. */
	private static final int WAKE_ALL = 1 << 20;

	/** Interval between attempts to write to a socket that takes nothing. */
	private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	private final BellReader reader;

	/** Limit of sleeps at a bell where somebody else sleeps already. */
	private final long idleNanos;

	private final Consumer<Throwable> onFailure;

	private final SocketBell[] bells;

	/** Used by the thread of the reader. */
	private final ByteBuffer heard = ByteBuffer.allocateDirect(READ_BYTES);

	/** Also the lock of threads that ring. */
	private final ByteBuffer rung = ByteBuffer.allocateDirect(Short.BYTES);

	private @Nullable ServerSocketChannel listener;

	private @Nullable Path file;

	private @Nullable PeerCheck peerCheck;

	private volatile @Nullable SocketChannel channel;

	/** Done when both sides are connected, or never will be. */
	private final CountDownLatch connected = new CountDownLatch(1);

	private final AtomicBoolean failed = new AtomicBoolean();

	private volatile boolean closed;

	private SocketBells(int lanes, long idleNanos, BellReader reader, Consumer<Throwable> onFailure) {
		this.reader = reader;
		this.idleNanos = idleNanos;
		this.onFailure = onFailure;
		this.bells = new SocketBell[FIRST_LANE + lanes];
		for (int i = 0; i < this.bells.length; i++) {
			this.bells[i] = new SocketBell(i);
		}
	}

	/**
	 * Makes the server's end, which waits for the client's.
	 * @param directory where the socket has its name until the client has connected
	 * @param idleNanos time after which one thread is enough to sleep at the server's
	 * bell
	 * @param onFailure ends the pair
	 */
	static SocketBells listen(Path directory, int lanes, long idleNanos, PeerCheck peerCheck, BellReader reader,
			Consumer<Throwable> onFailure) throws IOException {
		byte[] random = new byte[NAME_BYTES];
		new SecureRandom().nextBytes(random);
		SocketBells made = new SocketBells(lanes, idleNanos, reader, onFailure);
		boolean listening = false;
		try {
			made.listen(directory.resolve(HexFormat.of().formatHex(random) + ".bell"), peerCheck);
			listening = true;
			return made;
		}
		finally {
			if (!listening) {
				made.close();
			}
		}
	}

	private synchronized void listen(Path socket, PeerCheck check) throws IOException {
		ServerSocketChannel opened = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
		this.listener = opened;
		this.peerCheck = check;
		this.file = socket;
		opened.bind(UnixDomainSocketAddress.of(socket), 1);
		Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
		this.reader.add(opened, SelectionKey.OP_ACCEPT, this);
	}

	/**
	 * Makes the client's end.
	 * @param directory where the socket is
	 * @param name the socket's name, as the server has said
	 * @param onFailure ends the pair
	 */
	static SocketBells connect(Path directory, String name, int lanes, PeerCheck peerCheck, BellReader reader,
			Consumer<Throwable> onFailure) throws IOException, WireException {
		if (!NAME.matcher(name).matches()) {
			throw new IOException("there are no bells of that name");
		}
		// At the bells of a client, each sleeps alone.
		SocketBells made = new SocketBells(lanes, Bell.FOREVER, reader, onFailure);
		boolean connected = false;
		try {
			SocketChannel opened = SocketChannel.open(StandardProtocolFamily.UNIX);
			made.channel = opened;
			opened.connect(UnixDomainSocketAddress.of(directory.resolve(name)));
			peerCheck.check(opened);
			reader.add(opened, SelectionKey.OP_READ, made);
			made.connected.countDown();
			connected = true;
			return made;
		}
		finally {
			if (!connected) {
				made.close();
			}
		}
	}

	/** Returns the name of the server's socket. */
	public synchronized String socketName() {
		return String.valueOf((this.file != null) ? this.file.getFileName() : "");
	}

	/**
	 * Waits until the client has connected to the server's end. Called before the server
	 * reads on: whatever keeps the client from being connected ends the pair while there
	 * are no calls.
	 * @param nanos how long to wait at most
	 * @return whether it has connected
	 */
	public boolean awaitClient(long nanos) {
		try {
			return this.connected.await(nanos, TimeUnit.NANOSECONDS) && !this.closed && !this.failed.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Override
	public void ready() {
		try {
			SocketChannel open = this.channel;
			if (open == null) {
				accept();
			}
			else {
				read(open);
			}
		}
		catch (IOException ex) {
			failed(ex);
		}
		catch (WireException ex) {
			failed(new IOException(ex.text(), ex));
		}
	}

	private synchronized void accept() throws IOException, WireException {
		ServerSocketChannel open = this.listener;
		PeerCheck check = this.peerCheck;
		SocketChannel accepted = (open != null && !this.closed) ? open.accept() : null;
		if (accepted == null || check == null) {
			return;
		}
		closeListener();
		boolean usable = false;
		try {
			check.check(accepted);
			accepted.configureBlocking(false);
			usable = true;
		}
		finally {
			if (!usable) {
				accepted.close();
			}
		}
		// Threads that ring see the channel from here on. An interrupt of one of them
		// would close it if it still blocked.
		this.channel = accepted;
		this.reader.add(accepted, SelectionKey.OP_READ, this);
		this.connected.countDown();
	}

	/** A number that is no bell's is nobody's ring. */
	private void read(SocketChannel open) throws IOException {
		int count = open.read(this.heard);
		if (count < 0) {
			throw new EOFException("the peer has closed them");
		}
		this.heard.flip();
		while (this.heard.remaining() >= Short.BYTES) {
			int number = this.heard.getShort() & 0xFFFF;
			if (number < this.bells.length) {
				this.bells[number].heard();
			}
		}
		this.heard.compact();
	}

	/** Ends the pair on another thread: it may block, which the reader must not. */
	@Override
	public void failed(Throwable cause) {
		closeChannel();
		boolean known = this.failed.getAndSet(true);
		this.connected.countDown();
		if (this.closed || known) {
			return;
		}
		Thread thread = DaemonThread.create("vicinal-shm-bells-failed", () -> this.onFailure.accept(cause));
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			this.onFailure.accept(cause);
		}
	}

	@Override
	public String kind() {
		return KIND;
	}

	@Override
	public Bell server() {
		return this.bells[SERVER_INDEX];
	}

	@Override
	public Bell poller() {
		return this.bells[POLLER_INDEX];
	}

	@Override
	public Bell lane(int lane) {
		return this.bells[FIRST_LANE + lane];
	}

	@Override
	public int lanes() {
		return this.bells.length - FIRST_LANE;
	}

	@Override
	public void ringHere(int number) throws WireException {
		((SocketBell) bell(number)).wakeAll();
	}

	@Override
	public void close() {
		this.closed = true;
		synchronized (this) {
			closeListener();
		}
		closeChannel();
		this.connected.countDown();
		for (SocketBell bell : this.bells) {
			bell.rings.release(WAKE_ALL);
		}
		this.reader.closed();
	}

	private void closeListener() {
		try {
			if (this.file != null) {
				Files.deleteIfExists(this.file);
			}
			if (this.listener != null) {
				this.listener.close();
				this.reader.forget();
			}
		}
		catch (IOException ex) {
			logger.debug("The socket of bells could not be removed: {}", ex.toString());
		}
		this.listener = null;
	}

	private void closeChannel() {
		SocketChannel open = this.channel;
		if (open == null) {
			return;
		}
		try {
			open.close();
		}
		catch (IOException ex) {
			logger.debug("A socket of bells could not be closed: {}", ex.toString());
		}
		this.reader.forget();
	}

	/** One of the bells that share the socket. */
	private final class SocketBell implements Bell {

		private final short number;

		private final Semaphore rings = new Semaphore(0);

		/** Number of threads that sleep here or are about to. */
		private final AtomicInteger asleep = new AtomicInteger();

		SocketBell(int number) {
			this.number = (short) number;
		}

		void heard() {
			if (this.rings.availablePermits() < MAX_KEPT) {
				this.rings.release();
			}
		}

		/** One that comes to sleep behind this look finds a ring that was kept. */
		void wakeAll() {
			int count = Math.max(1, this.asleep.get());
			for (int i = 0; i < count; i++) {
				heard();
			}
			SocketBells.this.reader.rungHere();
		}

		@Override
		public void await(long nanos) {
			boolean alone = this.asleep.getAndIncrement() == 0;
			try {
				SocketBells.this.reader.sleep(this.rings,
						(nanos == FOREVER && !alone) ? SocketBells.this.idleNanos : nanos);
			}
			catch (InterruptedException ex) {
				// The sleeper finds out why.
				Thread.currentThread().interrupt();
			}
			finally {
				this.asleep.decrementAndGet();
			}
		}

		@Override
		public void ring() {
			SocketBells all = SocketBells.this;
			boolean interrupted = false;
			try {
				synchronized (all.rung) {
					all.rung.clear().putShort(this.number).flip();
					while (all.rung.hasRemaining() && !all.closed) {
						SocketChannel open = all.channel;
						// A server may answer before it has accepted the client's socket.
						if (open == null || open.write(all.rung) == 0) {
							interrupted |= Thread.interrupted();
							LockSupport.parkNanos(this, PAUSE_NANOS);
						}
					}
				}
			}
			catch (IOException ex) {
				failed(ex);
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
