package io.github.vicinal.transport.shm.topic;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;

/**
 * Streams that subscribers ask this process for before it publishes them. Thread-safe.
 */
final class AwaitedStreams {

	private final TopicGrants grants;

	/** Number of subscribers that wait, by topic. Guarded by this. */
	private final Map<String, Integer> waiting = new HashMap<>();

	private volatile Set<String> names = Set.of();

	AwaitedStreams(TopicGrants grants) {
		this.grants = grants;
	}

	/**
	 * Adds a subscriber that begins to wait.
	 * @return ends its waiting
	 */
	Waiting begin(String topic, TopicModel model, String application) {
		if (model != TopicModel.STREAM || !this.grants.maySubscribe(topic, application)) {
			return () -> {
			};
		}
		count(topic, 1);
		return () -> count(topic, -1);
	}

	private synchronized void count(String topic, int change) {
		this.waiting.merge(topic, change, (known, more) -> (known + more == 0) ? null : known + more);
		if (!this.names.equals(this.waiting.keySet())) {
			this.names = Set.copyOf(this.waiting.keySet());
		}
	}

	/** Returns the names of the topics. */
	Set<String> names() {
		return this.names;
	}

	/** A subscriber that waits. To be closed once. */
	@FunctionalInterface
	interface Waiting {

		/** The topic is there, or the subscriber has left. */
		void close();

	}

}
