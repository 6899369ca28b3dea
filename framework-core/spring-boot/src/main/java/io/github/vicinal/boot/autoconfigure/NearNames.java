package io.github.vicinal.boot.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * Finds what a misspelled name was probably meant to be.
 *
 * @since 0.1.0
 */
public final class NearNames {

	private static final int LETTERS_PER_MISTAKE = 3;

	private NearNames() {
	}

	/**
	 * Returns the names that differ from one by a few letters, or contain it.
	 * @param name the misspelled name
	 * @param known the names that there are
	 * @return the near ones, in the order of those that there are
	 */
	public static List<String> of(String name, Collection<String> known) {
		List<String> near = new ArrayList<>();
		String wanted = name.toLowerCase(Locale.ROOT);
		for (String each : known) {
			String candidate = each.toLowerCase(Locale.ROOT);
			boolean part = wanted.length() >= LETTERS_PER_MISTAKE
					&& (candidate.contains(wanted) || wanted.contains(candidate));
			if (part || distance(wanted, candidate) <= 1 + wanted.length() / LETTERS_PER_MISTAKE / 2) {
				near.add(each);
			}
		}
		return near;
	}

	/** Levenshtein's distance. */
	private static int distance(String one, String other) {
		int[] row = new int[other.length() + 1];
		for (int j = 0; j < row.length; j++) {
			row[j] = j;
		}
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int above = row[j];
				int changed = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				row[j] = Math.min(changed, Math.min(above, row[j - 1]) + 1);
				diagonal = above;
			}
		}
		return row[other.length()];
	}

}
