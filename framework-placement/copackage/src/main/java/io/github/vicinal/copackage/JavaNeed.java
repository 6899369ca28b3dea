package io.github.vicinal.copackage;

import java.util.Collection;
import java.util.Comparator;

/**
 * The Java version that an application needs, by its classes and libraries.
 *
 * @param version it; 0 if it is not known
 * @param reason what needs it, for people, such as {@code the classes of 'shop' need}
 */
record JavaNeed(int version, String reason) {

	static JavaNeed of(Inventory inventory) {
		Library newest = inventory.libraries().stream().max(Comparator.comparingInt(Library::java)).orElse(null);
		return (newest != null && newest.java() > inventory.java())
				? new JavaNeed(newest.java(), "the library %s of '%s' needs".formatted(newest.file(), inventory.name()))
				: new JavaNeed(inventory.java(), "the classes of '%s' need".formatted(inventory.name()));
	}

	/** Returns what the neediest of some applications needs. */
	static JavaNeed of(Collection<Inventory> inventories) {
		return inventories.stream()
			.map(JavaNeed::of)
			.max(Comparator.comparingInt(JavaNeed::version))
			.orElseGet(() -> new JavaNeed(0, ""));
	}

	@Override
	public String toString() {
		return "%s Java %d".formatted(this.reason, this.version);
	}

}
