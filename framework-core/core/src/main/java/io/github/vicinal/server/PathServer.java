package io.github.vicinal.server;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;

/**
 * The server side of one kind of path.
 *
 * @since 0.1.0
 */
public interface PathServer extends AutoCloseable {

	/**
	 * Time for which closing waits for handlers that it has interrupted because they did
	 * not end in the drain time-out. Web servers wait as long for theirs.
	 */
	Duration CUT_OFF_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * Returns the kind of path.
	 * @return the kind
	 */
	PathKind kind();

	/**
	 * Starts to accept calls. Does not throw when the path cannot be offered: the reason
	 * is in {@link #unavailable()} then.
	 */
	void start();

	/**
	 * Returns why the path is not offered.
	 * @return the reason, or empty while calls are accepted
	 */
	Optional<String> unavailable();

	/**
	 * Returns where clients find this server, if they cannot know it otherwise.
	 * @return an IP address, a colon and a port; empty unless overridden, and while the
	 * path is not offered
	 */
	default Optional<String> address() {
		return Optional.empty();
	}

	/**
	 * Returns how calls to this server are protected.
	 * @return {@link PathProtection#NONE} unless overridden
	 */
	default PathProtection protection() {
		return PathProtection.NONE;
	}

	/**
	 * Describes the clients that are connected, for people.
	 * @return what each does at this moment, by words that depend on the kind of path;
	 * empty if there is nothing to say
	 */
	default List<Map<String, Object>> clients() {
		return List.of();
	}

	/**
	 * Stops accepting calls, so that clients go elsewhere, and returns at once; calls in
	 * flight go on. {@link #close(Duration)} must follow. The default does nothing. Never
	 * throws.
	 */
	default void stopAccepting() {
	}

	/**
	 * Ends as {@link #close()} does.
	 * @param drainTimeout how long calls in flight may take to end; unless overridden, as
	 * long as {@link #close()} lets them
	 */
	default void close(Duration drainTimeout) {
		close();
	}

	/**
	 * Stops accepting calls, lets calls in flight end for a while, and removes the
	 * server's files. Never throws.
	 */
	@Override
	void close();

}
