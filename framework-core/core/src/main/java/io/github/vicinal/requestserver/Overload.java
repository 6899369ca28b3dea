package io.github.vicinal.requestserver;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Overload by priority. Each class is judged together with the classes above it, which
 * are taken first. So lower classes, however many requests they have, cannot cause the
 * rejection of a higher one, and a higher class, whose requests wait briefly, does not
 * hide the queue of a lower one. Not thread-safe.
 */
final class Overload {

	private static final Priority LOWEST = Priority.values()[Priority.values().length - 1];

	private final Map<Priority, TicketList> queues;

	private final Map<Priority, OverloadDetector> detectors = new EnumMap<>(Priority.class);

	Overload(long intervalNanos, ServiceTimes times, Map<Priority, TicketList> queues) {
		this.queues = queues;
		for (Priority priority : Priority.values()) {
			this.detectors.put(priority, new OverloadDetector(intervalNanos, times));
		}
	}

	/** Notes that a request came, which is not queued yet. */
	void arrived(Priority priority, long now) {
		int waiting = 0;
		for (Map.Entry<Priority, OverloadDetector> entry : this.detectors.entrySet()) {
			waiting += queue(entry.getKey()).size();
			if (entry.getKey().compareTo(priority) >= 0) {
				entry.getValue().arrived(waiting == 0, now);
			}
		}
	}

	/** Notes that a request was rejected that would wait, or has waited. */
	void rejected(Priority priority) {
		this.detectors.forEach((each, detector) -> {
			if (each.compareTo(priority) >= 0) {
				detector.rejected();
			}
		});
	}

	/**
	 * Notes that a request is about to be taken.
	 * @param paceNanos the time in which one request can be served
	 * @param now the time
	 */
	void taken(long paceNanos, long now) {
		look(true, paceNanos, now);
	}

	/** Looks at those that wait. Parameters as in {@link #taken}. */
	void waits(long paceNanos, long now) {
		look(false, paceNanos, now);
	}

	private void look(boolean taken, long paceNanos, long now) {
		int waiting = 0;
		long oldest = 0;
		for (Map.Entry<Priority, OverloadDetector> entry : this.detectors.entrySet()) {
			TicketList queue = queue(entry.getKey());
			Ticket first = queue.first();
			waiting += queue.size();
			oldest = (first != null) ? Math.max(oldest, now - first.queuedNanos) : oldest;
			if (waiting > 0 && taken) {
				entry.getValue().taken(oldest, waiting - 1, paceNanos, now);
			}
			else if (waiting > 0) {
				entry.getValue().waits(oldest, waiting, paceNanos, now);
			}
		}
	}

	/** Notes that nobody waits although a permit is free. */
	void idle() {
		this.detectors.values().forEach(OverloadDetector::idle);
	}

	/** Returns whether there is overload by a class and those above it. */
	boolean overloaded(Priority priority, long paceNanos, long now) {
		return detector(priority).overloaded(paceNanos, now);
	}

	/**
	 * Returns after which time a queue of a class and those above it is known to be
	 * overload; a negative number if there is nothing to wait for.
	 */
	long nextLookNanos(Priority priority, long paceNanos, long now) {
		return detector(priority).nextLookNanos(paceNanos, now);
	}

	/** Returns how often overload has begun. */
	long episodes() {
		return detector(LOWEST).episodes();
	}

	private TicketList queue(Priority priority) {
		return Objects.requireNonNull(this.queues.get(priority));
	}

	private OverloadDetector detector(Priority priority) {
		return Objects.requireNonNull(this.detectors.get(priority));
	}

}
