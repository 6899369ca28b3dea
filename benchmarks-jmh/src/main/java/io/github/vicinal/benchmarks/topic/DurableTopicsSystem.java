package io.github.vicinal.benchmarks.topic;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.vicinal.chronicle.ChronicleOptions;
import io.github.vicinal.chronicle.ChronicleTopics;
import io.github.vicinal.chronicle.RollInterval;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

/** Durable topics, in the same directory and with the same blocks as Chronicle alone. */
final class DurableTopicsSystem implements TopicSystem {

	private static final TopicSettings<byte[]> SETTINGS = TopicSettings.of("bench", TopicModel.PUB_SUB, byte[].class)
		.whenFull(WhenFull.BLOCK, Duration.ofMinutes(1));

	private static final ChronicleOptions OPTIONS = new ChronicleOptions(RollInterval.DAY, 1L << 40, Duration.ofDays(1),
			64 << 20, 64 << 20, Duration.ofSeconds(10), false);

	private static ChronicleTopics topics(Place place) {
		Rendezvous rendezvous = Rendezvous.open(place.directory().resolve("v").toString());
		PeerIdentity identity = PeerIdentity.create(rendezvous.hostId());
		JsonMapper mapper = JsonMapper.builder().build();
		return new ChronicleTopics(identity, "bench", place.directory().resolve("d"), mapper,
				new ShmTopics(identity, "bench", rendezvous, mapper), OPTIONS);
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		ChronicleTopics topics = topics(place);
		topics.subscribe(SETTINGS, SubscriberSettings.of("bench-" + ProcessHandle.current().pid()),
				(message) -> handler.accept(message.payload()));
		return topics;
	}

	@Override
	public Publisher publisher(Place place) {
		ChronicleTopics topics = topics(place);
		Topic<byte[]> topic = topics.topic(SETTINGS);
		return new Publisher() {

			@Override
			public void publish(byte[] message) {
				topic.publish(message);
			}

			@Override
			public void close() {
				topics.close();
			}

		};
	}

}
