package io.github.vicinal.channel;

import java.util.Arrays;
import java.util.List;

import io.github.vicinal.peer.PathKind;

/**
 * The kinds of path that a channel may use, in the order in which it prefers them, and
 * their numbers in a {@link PathSelector}.
 */
final class PathOrder {

	private static final int NONE = -1;

	/** Best first; HTTP is the last. */
	private final List<PathKind> kinds;

	/** By {@link PathKind#ordinal()}. */
	private final int[] numbers = new int[PathKind.values().length];

	/**
	 * Creates an order.
	 * @param kinds best first, HTTP last
	 */
	PathOrder(List<PathKind> kinds) {
		this.kinds = kinds;
		Arrays.fill(this.numbers, NONE);
		for (int i = 0; i < kinds.size(); i++) {
			this.numbers[kinds.get(i).ordinal()] = i;
		}
	}

	int size() {
		return this.kinds.size();
	}

	List<String> names() {
		return this.kinds.stream().map(PathKind::id).toList();
	}

	PathKind kind(int number) {
		return this.kinds.get(number);
	}

	/** Returns the number of a kind that the channel may use. */
	int number(PathKind kind) {
		return this.numbers[kind.ordinal()];
	}

	boolean allows(PathKind kind) {
		return number(kind) != NONE;
	}

	/** Returns the number of HTTP. */
	int http() {
		return this.kinds.size() - 1;
	}

}
