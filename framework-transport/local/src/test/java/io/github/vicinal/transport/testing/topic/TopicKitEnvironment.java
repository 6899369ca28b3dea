package io.github.vicinal.transport.testing.topic;

import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.TopicObservations;

/** Where the applications of one test run. Used by several threads. */
public interface TopicKitEnvironment extends AutoCloseable {

	/**
	 * Starts an application that publishes. The environment closes it.
	 * @param application what it is
	 * @return its topics
	 */
	Topics publisher(Application application);

	/**
	 * Starts an application that subscribes to what the others publish. The environment
	 * closes it.
	 * @param application what it is
	 * @return its topics
	 */
	Topics subscriber(Application application);

	/**
	 * Returns the room of a topic whose settings ask for the smallest capacity.
	 * @return bytes
	 */
	int roomBytes();

	/**
	 * Returns the size of messages that are too large for a topic with the default
	 * capacity.
	 * @return bytes
	 */
	int oversizeBytes();

	@Override
	void close() throws Exception;

	/**
	 * An application.
	 *
	 * @param name by which it has grants
	 * @param grants permissions to publish and subscribe, as it knows them
	 * @param observations observe what it publishes and handles
	 */
	record Application(String name, TopicGrants grants, TopicObservations observations) {

		/**
		 * Creates an application that permits everything and observes nothing.
		 * @param name its name
		 */
		public Application(String name) {
			this(name, TopicGrants.all(), TopicObservations.none());
		}

	}

}
