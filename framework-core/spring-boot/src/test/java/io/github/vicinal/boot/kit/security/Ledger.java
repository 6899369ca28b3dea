package io.github.vicinal.boot.kit.security;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Events at the server, with their counts. Thread-safe. */
final class Ledger {

	private final Map<String, Integer> entries = new TreeMap<>();

	private final List<Runnable> resets = new CopyOnWriteArrayList<>();

	synchronized void note(String entry) {
		this.entries.merge(entry, 1, Integer::sum);
	}

	synchronized Map<String, Integer> entries() {
		return new TreeMap<>(this.entries);
	}

	/** Registers what puts a part of the server into its first state. */
	void onReset(Runnable reset) {
		this.resets.add(reset);
	}

	/** Puts the server into its first state. */
	synchronized void reset() {
		this.entries.clear();
		this.resets.forEach(Runnable::run);
	}

}
