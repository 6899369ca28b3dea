package io.github.vicinal.path;

import java.util.List;

/**
 * The meters of one kind of path. They exist from the start of an application, even if
 * nothing opens the path, so that they can be read before its provider or server is made.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PathMeters {

	/**
	 * Returns the meters.
	 * @return all of them, with their tags
	 */
	List<PathMeter> all();

}
