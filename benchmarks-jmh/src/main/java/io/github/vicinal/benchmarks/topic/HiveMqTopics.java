package io.github.vicinal.benchmarks.topic;

import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;

/** Mosquitto by HiveMQ's client, at most once (quality of service 0). */
final class HiveMqTopics implements TopicSystem {

	private static final String TOPIC = "bench";

	private static final int MAX_IN_FLIGHT = 10_000;

	private static Mqtt3AsyncClient connect(Place place) {
		Mqtt3AsyncClient client = Mqtt3Client.builder()
			.identifier(UUID.randomUUID().toString())
			.serverHost("127.0.0.1")
			.serverPort(place.port())
			.buildAsync();
		client.connect().join();
		return client;
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		Mqtt3AsyncClient client = connect(place);
		client.subscribeWith()
			.topicFilter(TOPIC)
			.qos(MqttQos.AT_MOST_ONCE)
			.callback((message) -> handler.accept(message.getPayloadAsBytes()))
			.send()
			.join();
		return () -> client.disconnect().join();
	}

	@Override
	public Publisher publisher(Place place) {
		Mqtt3AsyncClient client = connect(place);
		Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
		return new Publisher() {

			@Override
			public void publish(byte[] message) throws InterruptedException {
				inFlight.acquire();
				var unused = client.publishWith()
					.topic(TOPIC)
					.qos(MqttQos.AT_MOST_ONCE)
					.payload(message)
					.send()
					.whenComplete((result, failure) -> inFlight.release());
			}

			@Override
			public void close() {
				client.disconnect().join();
			}

		};
	}

}
