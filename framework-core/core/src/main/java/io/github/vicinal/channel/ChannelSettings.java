package io.github.vicinal.channel;

import java.time.Duration;
import java.util.List;

import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a channel.
 *
 * @param name the name in configuration, metrics and reports
 * @param paths the paths that may be used, best first, which is where calls go until
 * costs are known, and always if they are not compared; {@link PathKind#HTTP} is always
 * added as the last one, and {@link PathKind#DIRECT} is always taken where there is one
 * @param timeout how long a call may take before the caller gives up, or {@code null} for
 * as long as it takes
 * @param reconnectDelay the shortest time between two attempts to connect a path
 * @param comparesPaths whether a few idempotent calls go by another path than the others,
 * to notice when that has become the cheaper one
 * @param confirmInterval how long calls may go by other paths until one goes over HTTP,
 * to confirm that the peer's address still leads to the same instance; zero for as long
 * as there are paths
 * @since 0.1.0
 */
public record ChannelSettings(String name, List<PathKind> paths, @Nullable Duration timeout, Duration reconnectDelay,
		boolean comparesPaths, Duration confirmInterval) {

	/**
	 * Creates settings of a channel whose peers' addresses never lead elsewhere.
	 * @param name the name in configuration, metrics and reports
	 * @param paths the paths that may be used, best first
	 * @param timeout how long a call may take, or {@code null}
	 * @param reconnectDelay the shortest time between two attempts to connect a path
	 * @param comparesPaths whether a few idempotent calls go by another path
	 */
	public ChannelSettings(String name, List<PathKind> paths, @Nullable Duration timeout, Duration reconnectDelay,
			boolean comparesPaths) {
		this(name, paths, timeout, reconnectDelay, comparesPaths, Duration.ZERO);
	}

	public ChannelSettings {
		if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
			throw new IllegalArgumentException(
					"The timeout of channel '%s' must be positive, but is %s; leave it out ".formatted(name, timeout)
							+ "to wait for as long as the HTTP client would");
		}
		paths = java.util.stream.Stream
			.concat(paths.stream().filter((kind) -> !kind.equals(PathKind.HTTP)),
					java.util.stream.Stream.of(PathKind.HTTP))
			.distinct()
			.toList();
	}

	/** Returns whether another path than HTTP may be used. */
	boolean mayLeaveHttp() {
		return this.paths.size() > 1;
	}

}
