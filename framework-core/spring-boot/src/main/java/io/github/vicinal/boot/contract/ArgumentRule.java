package io.github.vicinal.boot.contract;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether a typed path carries a value with the same effect as HTTP. If HTTP
 * itself changes a value on its way (it splits texts at commas, drops empty lists,
 * rejects slashes in paths), the call uses HTTP, so that its outcome is the same.
 */
@FunctionalInterface
public interface ArgumentRule {

	/** For parameters all of whose values travel unchanged. */
	ArgumentRule ANY = (value) -> null;

	/**
	 * Checks a value.
	 * @param value the argument
	 * @return why only HTTP can carry it, or {@code null}
	 */
	@Nullable String onlyHttpBecause(@Nullable Object value);

}
