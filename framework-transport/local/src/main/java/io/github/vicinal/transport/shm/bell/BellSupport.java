package io.github.vicinal.transport.shm.bell;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Which kinds of bells this JVM can use, and why not others. Immutable. */
public final class BellSupport {

	/** The name of the kind that needs native access. */
	public static final String FUTEX = "futex";

	/** In {@code META-INF/versions/22}. */
	private static final String FACTORY = "io.github.vicinal.transport.shm.bell.FutexBellsFactory";

	private final @Nullable NativeBells factory;

	private final String noFutex;

	private BellSupport(@Nullable NativeBells factory, String noFutex) {
		this.factory = factory;
		this.noFutex = noFutex;
	}

	/**
	 * Finds out what this JVM can use. Never causes a warning of the JVM.
	 * @return the kinds
	 */
	public static BellSupport detect() {
		try {
			NativeBells found = (NativeBells) Class.forName(FACTORY).getDeclaredConstructor().newInstance();
			String problem = found.unavailable();
			return (problem == null) ? new BellSupport(found, "") : new BellSupport(null, problem);
		}
		catch (ClassNotFoundException | UnsupportedClassVersionError ex) {
			return new BellSupport(null, "futexes need Java 22 or newer");
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			return new BellSupport(null, "futexes cannot be used: " + ex);
		}
	}

	/**
	 * Returns support for FIFOs only.
	 * @return the kinds
	 */
	public static BellSupport fifoOnly() {
		return new BellSupport(null, "futexes are not wanted");
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
		kinds.add(FifoBells.KIND);
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
	 * @param words what sleepers sleep on
	 * @return the bells
	 */
	public Bells futex(BellWords words) {
		if (this.factory == null) {
			throw new IllegalStateException(this.noFutex);
		}
		return this.factory.create(words);
	}

}
