package io.github.vicinal.boot.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.vicinal.path.PathKind;

/**
 * Finds kinds of path by the ids that configuration names.
 *
 * @since 0.1.0
 */
public final class PathIds {

	private PathIds() {
	}

	/**
	 * Returns the kinds that ids name.
	 * @param ids ids of paths, in any case
	 * @param provided the kinds that this application has; HTTP is always known
	 * @param where the property or annotation that names the ids
	 * @return the kinds, in the order of the ids
	 * @throws InvalidChannelException if an id is unknown
	 */
	public static List<PathKind> kinds(List<String> ids, Collection<PathKind> provided, String where) {
		Collection<PathKind> known = new TreeSet<>(provided);
		known.add(PathKind.HTTP);
		List<PathKind> kinds = new ArrayList<>();
		for (String id : ids) {
			kinds.add(kind(id, known, where));
		}
		return kinds;
	}

	private static PathKind kind(String id, Collection<PathKind> known, String where) {
		String uniform = id.strip().toLowerCase(Locale.ROOT);
		for (PathKind kind : known) {
			if (kind.id().equals(uniform)) {
				return kind;
			}
		}
		throw new InvalidChannelException(
				"There is no path '%s', which %s names; the paths of this application are %s".formatted(id, where,
						known.stream().map(PathKind::id).collect(Collectors.joining(", "))),
				"Correct %s, or add the module that provides the path to the class path".formatted(where));
	}

}
