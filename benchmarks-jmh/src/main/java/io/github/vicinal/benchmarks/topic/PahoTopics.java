package io.github.vicinal.benchmarks.topic;

import java.util.function.Consumer;

import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** Mosquitto by Eclipse Paho's client, at most once (quality of service 0). */
final class PahoTopics implements TopicSystem {

	private static final String TOPIC = "bench";

	private static final int MAX_IN_FLIGHT = 10_000;

	private static MqttAsyncClient connect(Place place) throws MqttException {
		MqttAsyncClient client = new MqttAsyncClient("tcp://127.0.0.1:" + place.port(),
				MqttAsyncClient.generateClientId(), new MemoryPersistence());
		MqttConnectOptions options = new MqttConnectOptions();
		options.setMaxInflight(MAX_IN_FLIGHT);
		client.connect(options).waitForCompletion();
		return client;
	}

	private static AutoCloseable closing(MqttAsyncClient client) {
		return () -> {
			client.disconnect().waitForCompletion();
			client.close();
		};
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) throws MqttException {
		MqttAsyncClient client = connect(place);
		client.subscribe(TOPIC, 0, (topic, message) -> handler.accept(message.getPayload())).waitForCompletion();
		return closing(client);
	}

	@Override
	public Publisher publisher(Place place) throws MqttException {
		MqttAsyncClient client = connect(place);
		return new Publisher() {

			@Override
			public void publish(byte[] message) throws Exception {
				while (true) {
					try {
						client.publish(TOPIC, message, 0, false);
						return;
					}
					catch (MqttException ex) {
						if (ex.getReasonCode() != MqttException.REASON_CODE_MAX_INFLIGHT) {
							throw ex;
						}
						Thread.sleep(1);
					}
				}
			}

			@Override
			public void close() throws Exception {
				closing(client).close();
			}

		};
	}

}
