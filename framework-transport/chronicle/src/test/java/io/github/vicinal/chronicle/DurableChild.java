package io.github.vicinal.chronicle;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

/** A process that publishes or subscribes to the durable topic of the tests. */
final class DurableChild {

	private DurableChild() {
	}

	/**
	 * Executes the commands of standard input until it ends.
	 * @param args the rendezvous directory, the directory, what to do, the model, and the
	 * first number or the maximum batch
	 */
	public static void main(String[] args) throws Exception {
		TopicModel model = TopicModel.valueOf(args[3]);
		Path rendezvous = Path.of(args[0]);
		try (ShmTopics bells = DurableFixture.bells(rendezvous, "child");
				ChronicleTopics topics = new ChronicleTopics(
						PeerIdentity.create(Rendezvous.open(rendezvous.toString()).hostId()), "child", Path.of(args[1]),
						JsonMapper.builder().build(), bells, DurableFixture.SMALL);
				BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			if (args[2].equals("publish")) {
				publish(topics.topic(DurableFixture.numbers(model)), Long.parseLong(args[4]));
			}
			else {
				// What is left from a consumer that was killed would come before.
				CountDownLatch ready = new CountDownLatch(1);
				int maxBatch = (args.length > 4) ? Integer.parseInt(args[4]) : 1;
				SubscriberSettings subscriber = SubscriberSettings.of("child").withMaxBatch(maxBatch);
				topics.subscribe(DurableFixture.numbers(model), subscriber, (message) -> {
					ready.await();
					long number = ByteBuffer.wrap(message.payload()).getLong();
					System.out.println(">" + (message.redelivered() ? -number : number));
				});
				System.out.println(">ready");
				ready.countDown();
				input.readLine();
			}
		}
	}

	/** Publishes numbers for ever, and says each that is published. */
	private static void publish(Topic<byte[]> topic, long first) {
		System.out.println(">ready");
		for (long number = first;; number++) {
			topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
			System.out.println(">" + number);
		}
	}

}
