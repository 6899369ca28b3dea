package io.github.vicinal.transport.shm.bell;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/** Kinds of bells that this JVM can use, and reasons against the others. Thread-safe. */
public final class BellSupport {

	/** The name of the kind that needs native access. */
	public static final String FUTEX = "futex";

	/** In {@code META-INF/versions/22}. */
	private static final String FACTORY = "io.github.vicinal.transport.shm.bell.FutexBellsFactory";

	/** Kinds that each JVM can use; FIFOs only if the server can make them. */
	private static final String[] OTHERS = { FifoBells.KIND, SocketBells.KIND };

	private static final String NOT_WANTED = "futexes are not wanted";

	private final @Nullable NativeBells factory;

	private final String noFutex;

	private final Set<String> others;

	private final BellReader reader = new SharedReader();

	private BellSupport(@Nullable NativeBells factory, String noFutex, String... others) {
		this.factory = factory;
		this.noFutex = noFutex;
		this.others = new LinkedHashSet<>(List.of(others));
	}

	/**
	 * Finds out what this JVM can use. Never causes a warning of the JVM.
	 * @return the kinds
	 */
	public static BellSupport detect() {
		try {
			NativeBells found = Class.forName(FACTORY)
				.asSubclass(NativeBells.class)
				.getDeclaredConstructor()
				.newInstance();
			String problem = found.unavailable();
			return (problem == null) ? new BellSupport(found, "", OTHERS) : new BellSupport(null, problem, OTHERS);
		}
		catch (ClassNotFoundException | UnsupportedClassVersionError ex) {
			return new BellSupport(null, "futexes need Java 22 or newer", OTHERS);
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			return new BellSupport(null, "futexes cannot be used: " + ex, OTHERS);
		}
	}

	/**
	 * Returns support for FIFOs only.
	 * @return the kinds
	 */
	public static BellSupport fifoOnly() {
		return new BellSupport(null, NOT_WANTED, FifoBells.KIND);
	}

	/**
	 * Returns support for sockets only.
	 * @return the kinds
	 */
	public static BellSupport socketOnly() {
		return new BellSupport(null, NOT_WANTED, SocketBells.KIND);
	}

	/**
	 * Returns the kinds that this JVM can use.
	 * @return names, best first
	 */
	public Set<String> kinds() {
		Set<String> kinds = new LinkedHashSet<>();
		if (this.factory != null) {
			kinds.add(FUTEX);
		}
		kinds.addAll(this.others);
		return kinds;
	}

	/**
	 * Returns why futexes are not used.
	 * @return the reason, empty if they are
	 */
	public String noFutex() {
		return this.noFutex;
	}

	/**
	 * Makes bells of the kind {@link #FUTEX}.
	 * @param words the words that sleepers sleep on
	 * @return the bells
	 */
	public Bells futex(BellWords words) {
		if (this.factory == null) {
			throw new IllegalStateException(this.noFutex);
		}
		return this.factory.create(words);
	}

	/**
	 * Makes the server's end of bells of the kind {@link SocketBells#KIND}.
	 * @param directory the rendezvous directory
	 * @param lanes number of lanes
	 * @param idleNanos time after which one thread is enough to sleep at the server's
	 * bell
	 * @param peerCheck checks the user at the other end
	 * @param onFailure takes the reason why the bells cannot be used, and ends the pair
	 * @return the bells
	 * @throws IOException if no socket can be opened
	 */
	public SocketBells listen(Path directory, int lanes, long idleNanos, PeerCheck peerCheck,
			Consumer<Throwable> onFailure) throws IOException {
		return SocketBells.listen(directory, lanes, idleNanos, peerCheck, this.reader, onFailure);
	}

	/**
	 * Makes the client's end of bells of the kind {@link SocketBells#KIND}.
	 * @param directory the rendezvous directory
	 * @param name the name that the server has announced
	 * @param lanes number of lanes
	 * @param peerCheck checks the user at the other end
	 * @param onFailure takes the reason why the bells cannot be used, and ends the pair
	 * @return the bells
	 * @throws IOException if the socket cannot be connected
	 * @throws WireException if somebody else listens there
	 */
	public SocketBells connect(Path directory, String name, int lanes, PeerCheck peerCheck,
			Consumer<Throwable> onFailure) throws IOException, WireException {
		return SocketBells.connect(directory, name, lanes, peerCheck, this.reader, onFailure);
	}

	/**
	 * Makes the client's end of such bells for one sleeper, at lane 0, which hears the
	 * rings itself.
	 * @param directory the rendezvous directory
	 * @param name the name that the server has announced
	 * @param peerCheck checks the user at the other end
	 * @param onFailure takes the reason why the bells cannot be used, and ends the pair
	 * @return the bells
	 * @throws IOException if the socket cannot be connected
	 * @throws WireException if somebody else listens there
	 */
	public SocketBells connectSleeper(Path directory, String name, PeerCheck peerCheck, Consumer<Throwable> onFailure)
			throws IOException, WireException {
		SleeperReader sleeper = new SleeperReader();
		boolean connected = false;
		try {
			SocketBells made = SocketBells.connect(directory, name, 1, peerCheck, sleeper, onFailure);
			connected = true;
			return made;
		}
		finally {
			if (!connected) {
				sleeper.closed();
			}
		}
	}

}
