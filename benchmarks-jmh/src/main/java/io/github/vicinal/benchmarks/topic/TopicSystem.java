package io.github.vicinal.benchmarks.topic;

import java.nio.file.Path;
import java.util.function.Consumer;

/** A way to publish messages to subscribers in other processes. */
interface TopicSystem {

	/** Subscribes; the handler is called by one thread at a time. */
	AutoCloseable subscribe(Place place, Consumer<byte[]> handler) throws Exception;

	/** Runs what all messages pass, until it is closed, in a process of its own. */
	default AutoCloseable driver(Place place) throws Exception {
		throw new IllegalStateException("Nothing is between publishers and subscribers");
	}

	/** Becomes a publisher. */
	Publisher publisher(Place place) throws Exception;

	/**
	 * Meeting point of the processes of one measurement.
	 *
	 * @param directory in memory
	 * @param port of a broker
	 */
	record Place(Path directory, int port) {
	}

	/** Publishes messages in order. */
	interface Publisher extends AutoCloseable {

		/** Publishes a message, and waits while there is no room for it. */
		void publish(byte[] message) throws Exception;

		/** Waits until this number of subscribers receives later messages. */
		default void awaitSubscribers(int count) throws Exception {
		}

	}

	/** Returns a system by its name. */
	static TopicSystem of(String name) {
		return switch (name) {
			case "vicinal" -> new VicinalTopics();
			case "vicinal, durable" -> new DurableTopicsSystem();
			case "aeron" -> new AeronTopics();
			case "chronicle" -> new ChronicleQueueTopics();
			case "kafka" -> new KafkaTopics();
			case "mosquitto, paho", "rabbitmq, paho" -> new PahoTopics();
			case "mosquitto, hivemq" -> new HiveMqTopics();
			default -> throw new IllegalArgumentException("There is no system '%s'".formatted(name));
		};
	}

}
