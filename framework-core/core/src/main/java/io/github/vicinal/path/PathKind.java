package io.github.vicinal.path;

import java.util.Comparator;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A kind of path to a peer. Each kind is a constant of the module that provides it, next
 * to its {@link PathProvider}; two kinds of one id are the same kind. Kinds are ordered
 * by their rank. Immutable.
 *
 * <pre class="code">
 * static final PathKind TCP = new PathKind("tcp", 500, PathKind.Reach.NETWORK);
 * </pre>
 *
 * @since 0.1.0
 */
public final class PathKind implements Comparable<PathKind> {

	/** Initialised first: the constants that follow are checked with it. */
	private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,23}");

	/** A call inside one JVM. Calls take it without comparing it with other paths. */
	public static final PathKind DIRECT = new PathKind("direct", 0, Reach.SAME_JVM);

	/** The HTTP client that was there before. Always works, so it needs no provider. */
	public static final PathKind HTTP = new PathKind("http", Integer.MAX_VALUE, Reach.NETWORK);

	private static final Comparator<PathKind> ORDER = Comparator.comparingInt(PathKind::rank)
		.thenComparing(PathKind::id);

	private final String id;

	private final int rank;

	private final Reach reach;

	/**
	 * Creates a kind of path.
	 * @param id the name in configuration, announcements, meters and reports: up to 24
	 * lower-case letters, digits and hyphens
	 * @param rank position among the kinds that a channel may use if nothing else is
	 * configured, lower is preferred; {@code shm} has 100 and {@code uds} has 200
	 * @param reach distance over which such a path can lead
	 */
	public PathKind(String id, int rank, Reach reach) {
		if (!isId(id)) {
			throw new IllegalArgumentException(
					"The id of a kind of path has up to 24 lower-case letters, digits and hyphens: '%s'".formatted(id));
		}
		this.id = id;
		this.rank = rank;
		this.reach = reach;
	}

	/**
	 * Returns whether a text can be the id of a kind of path.
	 * @param text the text
	 * @return whether it has up to 24 lower-case letters, digits and hyphens
	 */
	public static boolean isId(String text) {
		return ID.matcher(text).matches();
	}

	/**
	 * Returns the name in configuration, announcements, meters and reports.
	 * @return the lower-case name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the position among the kinds.
	 * @return a number; lower is preferred if nothing else is configured
	 */
	public int rank() {
		return this.rank;
	}

	/**
	 * Returns the distance over which such a path can lead.
	 * @return the reach
	 */
	public Reach reach() {
		return this.reach;
	}

	@Override
	public int compareTo(PathKind other) {
		return ORDER.compare(this, other);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof PathKind kind && kind.id.equals(this.id));
	}

	@Override
	public int hashCode() {
		return this.id.hashCode();
	}

	@Override
	public String toString() {
		return this.id;
	}

	/**
	 * Distances over which a kind of path can lead.
	 *
	 * @since 0.1.0
	 */
	public enum Reach {

		/** Peers in the same JVM. */
		SAME_JVM("same JVM"),

		/** Peers on the same host. */
		SAME_HOST("same host"),

		/** Peers on other hosts, too. */
		NETWORK("over the network");

		private final String words;

		Reach(String words) {
			this.words = words;
		}

		/**
		 * Returns the reach in words, as reports say it.
		 * @return for instance {@code same host}
		 */
		public String words() {
			return this.words;
		}

	}

}
