package io.github.vicinal.transport.shm.topic;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;

/** A process that publishes or subscribes to the topic of the tests. */
final class TopicChild {

	private TopicChild() {
	}

	/**
	 * Executes the commands of standard input until it ends.
	 * @param args the directory, what to do, the model, the capacity, what if it is full,
	 * the maximum batch if there are batches
	 */
	public static void main(String[] args) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.valueOf(args[2]), Integer.parseInt(args[3]),
				WhenFull.valueOf(args[4]));
		try (ShmTopics topics = TopicFixture.topics(Path.of(args[0]), "child");
				BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			if (args[1].equals("publish")) {
				publish(topics.topic(settings), input);
			}
			else if (args.length > 5) {
				subscribe(topics, settings, Integer.parseInt(args[5]), input);
			}
			else {
				subscribe(topics, settings, input);
			}
		}
	}

	/** Each line is how many messages to publish; says what the last one was. */
	private static void publish(Topic<byte[]> topic, BufferedReader input) throws Exception {
		System.out.println("ready");
		long number = 0;
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			if (line.equals("subscribers")) {
				System.out.println(topic.report().subscribers().size());
				continue;
			}
			long last = number + Long.parseLong(line);
			while (number < last) {
				number++;
				topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
				if (number % 100 == 0) {
					System.out.println(number);
				}
			}
			System.out.println("done " + number);
		}
	}

	/** Says each number that it is given, negative if it was given before. */
	private static void subscribe(ShmTopics topics, TopicSettings<byte[]> settings, BufferedReader input)
			throws Exception {
		AtomicLong count = new AtomicLong();
		topics.subscribe(settings, SubscriberSettings.of("child"), (message) -> {
			count.incrementAndGet();
			long number = ByteBuffer.wrap(message.payload()).getLong();
			System.out.println(message.redelivered() ? -number : number);
		});
		System.out.println("ready");
		while (input.readLine() != null) {
			System.out.println("count " + count.get());
		}
	}

	/**
	 * Says "batch" and how many messages it has when it is given one, and then each
	 * number of it, negative if it was given before.
	 */
	private static void subscribe(ShmTopics topics, TopicSettings<byte[]> settings, int maxBatch, BufferedReader input)
			throws Exception {
		BatchHandler<byte[]> handler = (messages) -> {
			System.out.println("batch " + messages.size());
			for (Message<byte[]> message : messages) {
				long number = ByteBuffer.wrap(message.payload()).getLong();
				System.out.println(message.redelivered() ? -number : number);
			}
		};
		topics.subscribe(settings, SubscriberSettings.of("child").withMaxBatch(maxBatch), handler);
		System.out.println("ready");
		while (input.readLine() != null) {
			System.out.println("there");
		}
	}

}
