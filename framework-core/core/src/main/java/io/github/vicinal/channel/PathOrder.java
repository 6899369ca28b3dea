package io.github.vicinal.channel;

import java.util.List;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.selection.PathSelector;

/**
 * The kinds of path that a channel may use, in the order in which it prefers them, and
 * their numbers in a {@link PathSelector}. Immutable.
 */
final class PathOrder {

	private static final int NONE = -1;

	/** Best first; HTTP is the last. */
	private final PathKind[] kinds;

	/**
	 * Creates an order.
	 * @param kinds best first, HTTP last
	 */
	PathOrder(List<PathKind> kinds) {
		if (kinds.size() > PathSelector.MAX_PATHS) {
			throw new IllegalArgumentException(
					"A channel can use at most %d kinds of path, but has %s".formatted(PathSelector.MAX_PATHS, kinds));
		}
		this.kinds = kinds.toArray(PathKind[]::new);
	}

	int size() {
		return this.kinds.length;
	}

	List<String> names() {
		return List.of(this.kinds).stream().map(PathKind::id).toList();
	}

	PathKind kind(int number) {
		return this.kinds[number];
	}

	/** Returns the number of a kind, -1 if the channel may not use it. */
	int number(PathKind kind) {
		// Kinds are few and nearly always the same objects, so a scan beats a map.
		for (int i = 0; i < this.kinds.length; i++) {
			if (this.kinds[i] == kind) {
				return i;
			}
		}
		for (int i = 0; i < this.kinds.length; i++) {
			if (this.kinds[i].equals(kind)) {
				return i;
			}
		}
		return NONE;
	}

	boolean allows(PathKind kind) {
		return number(kind) != NONE;
	}

	/** Returns the number of HTTP. */
	int http() {
		return this.kinds.length - 1;
	}

}
