package io.github.vicinal.transport.testing.topic;

import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;

/**
 * Topics of an application that subscribes to all publishers by one name, or publishes
 * for other hosts.
 *
 * @param carrier carries the topics
 * @param offered whether the application publishes for other hosts
 * @param addresses returns where publishers are
 */
public record OneNameTopics(TopicCarrier carrier, boolean offered,
		Supplier<List<String>> addresses) implements RemoteTopics {

	@Override
	public List<TopicCarrier> carriers() {
		return List.of(new OneNameCarrier(this.carrier, this.addresses));
	}

	@Override
	public boolean isOffered(String topic) {
		return this.offered;
	}

	@Override
	public List<String> publishers(String topic) {
		return this.offered ? List.of() : List.of("all");
	}

}
