package io.github.vicinal.boot.exchange;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

import io.github.vicinal.path.PathKind;

/** Number of requests by path. Thread-safe. */
final class ExchangeCounts {

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	private final CopyOnWriteArrayList<BiConsumer<String, LongAdder>> listeners = new CopyOnWriteArrayList<>();

	ExchangeCounts() {
	}

	void count(PathKind kind) {
		LongAdder count = this.counts.get(kind.id());
		if (count == null) {
			count = begun(kind.id());
		}
		count.increment();
	}

	private synchronized LongAdder begun(String path) {
		LongAdder known = this.counts.get(path);
		if (known != null) {
			return known;
		}
		LongAdder added = new LongAdder();
		this.counts.put(path, added);
		this.listeners.forEach((listener) -> listener.accept(path, added));
		return added;
	}

	/**
	 * Notifies a listener of each path that a request has taken, once.
	 * @param listener takes the id of a path and its live count
	 */
	public synchronized void listen(BiConsumer<String, LongAdder> listener) {
		this.listeners.add(listener);
		this.counts.forEach(listener);
	}

}
