package io.github.vicinal.benchmarks.topic;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

/** Topics over shared memory. */
final class VicinalTopics implements TopicSystem {

	/** Settings with a capacity as large as Aeron's terms. */
	private static final TopicSettings<byte[]> SETTINGS = TopicSettings.of("bench", TopicModel.PUB_SUB, byte[].class)
		.withCapacity(16 << 20)
		.whenFull(WhenFull.BLOCK, Duration.ofMinutes(1));

	private static ShmTopics topics(Place place) {
		Rendezvous rendezvous = Rendezvous.open(place.directory().resolve("v").toString());
		return new ShmTopics(PeerIdentity.create(rendezvous.hostId()), "bench", rendezvous,
				JsonMapper.builder().build());
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		ShmTopics topics = topics(place);
		topics.subscribe(SETTINGS, SubscriberSettings.of("bench"), (message) -> handler.accept(message.payload()));
		return topics;
	}

	@Override
	public Publisher publisher(Place place) {
		ShmTopics topics = topics(place);
		Topic<byte[]> topic = topics.topic(SETTINGS);
		return new Publisher() {

			@Override
			public void publish(byte[] message) {
				topic.publish(message);
			}

			@Override
			public void awaitSubscribers(int count) throws InterruptedException {
				while (topic.report().subscribers().size() < count) {
					Thread.sleep(10);
				}
			}

			@Override
			public void close() {
				topics.close();
			}

		};
	}

}
