package io.github.vicinal.requestserver;

/**
 * A share of a request server that some requests have together. A request may count for
 * several; it is rejected if one of them is full.
 *
 * @param name what requests share: those with the same name count together
 * @param maxInFlight maximum number of them, waiting and running, at least 1
 * @since 0.1.0
 */
public record Bulkhead(String name, int maxInFlight) {

	public Bulkhead {
		if (maxInFlight < 1) {
			throw new InvalidSettingException("max-in-flight of '" + name + "'", maxInFlight, "must be at least 1",
					"leave it out for no limit");
		}
	}

}
