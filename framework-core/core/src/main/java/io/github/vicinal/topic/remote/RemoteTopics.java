package io.github.vicinal.topic.remote;

import java.util.List;

/**
 * Topics that other hosts take part in, and the carrier of each.
 *
 * @since 0.1.0
 */
public interface RemoteTopics {

	/**
	 * Returns topics that stay on this host.
	 * @return no carriers and no addresses
	 */
	static RemoteTopics none() {
		return new RemoteTopics() {

			@Override
			public List<TopicCarrier> carriers() {
				return List.of();
			}

			@Override
			public boolean isOffered(String topic) {
				return false;
			}

			@Override
			public List<String> publishers(String topic) {
				return List.of();
			}

		};
	}

	/**
	 * Returns what carries topics. The first one is used unless an address names another.
	 * @return carriers, best first
	 */
	List<TopicCarrier> carriers();

	/**
	 * Returns whether subscribers of other hosts get what this application publishes to a
	 * topic.
	 * @param topic name of the topic
	 * @return whether they may ask for it
	 */
	boolean isOffered(String topic);

	/**
	 * Returns where the processes of other hosts are that publish a topic.
	 * @param topic name of the topic
	 * @return addresses such as {@code 10.0.0.7:7400}, {@code orders.example.org:7400} or
	 * {@code tcp://10.0.0.7:7400}
	 */
	List<String> publishers(String topic);

}
