package io.github.vicinal.benchmarks.topic;

import java.io.IOException;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka with one broker, which is its own controller and keeps its files in memory, and a
 * topic of one partition.
 */
final class KafkaTopics implements TopicSystem {

	private static final String TOPIC = "bench";

	private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

	private static final Duration LOOK = Duration.ofMillis(100);

	private static String address(Place place) {
		return "127.0.0.1:" + place.port();
	}

	private static Map<String, Object> client(Place place) {
		return Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, address(place));
	}

	/** Runs the broker until the process ends. */
	@Override
	public AutoCloseable driver(Place place) throws Exception {
		Path files = place.directory().resolve("kafka");
		Path settings = place.directory().resolve("kafka.properties");
		write(settings, place, files, freePort());
		int failure = StorageTool.execute(new String[] { "format", "-t", Uuid.randomUuid().toString(), "-c",
				settings.toString(), "--standalone" }, System.out);
		if (failure != 0) {
			throw new IOException("The files of Kafka could not be made in " + files);
		}
		Thread thread = new Thread(() -> Kafka.main(new String[] { settings.toString() }), "kafka");
		thread.setDaemon(true);
		thread.start();
		create(place);
		return () -> {
			// The process ends.
		};
	}

	private static void write(Path file, Place place, Path files, int controllerPort) throws IOException {
		Properties properties = new Properties();
		properties.put("process.roles", "broker,controller");
		properties.put("node.id", "1");
		properties.put("listeners",
				"PLAINTEXT://%s,CONTROLLER://127.0.0.1:%d".formatted(address(place), controllerPort));
		properties.put("controller.listener.names", "CONTROLLER");
		properties.put("controller.quorum.bootstrap.servers", "127.0.0.1:" + controllerPort);
		properties.put("log.dirs", files.toString());
		// Nobody is that far behind, and memory must not fill up.
		properties.put("log.segment.bytes", "268435456");
		properties.put("log.retention.bytes", "1073741824");
		properties.put("log.retention.check.interval.ms", "1000");
		properties.put("log.segment.delete.delay.ms", "1000");
		properties.put("log.initial.task.delay.ms", "1000");
		try (Writer out = Files.newBufferedWriter(file)) {
			properties.store(out, null);
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static void create(Place place) throws InterruptedException, ExecutionException {
		try (Admin admin = Admin.create(client(place))) {
			admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof TopicExistsException)) {
				throw ex;
			}
		}
	}

	@Override
	public AutoCloseable subscribe(Place place, Consumer<byte[]> handler) {
		KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(client(place), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
		consumer.assign(List.of(PARTITION));
		consumer.seekToEnd(List.of(PARTITION));
		consumer.position(PARTITION);
		AtomicBoolean closed = new AtomicBoolean();
		Thread thread = new Thread(() -> {
			while (!closed.get()) {
				for (ConsumerRecord<byte[], byte[]> each : consumer.poll(LOOK)) {
					handler.accept(each.value());
				}
			}
			consumer.close();
		}, "kafka-subscriber");
		thread.setDaemon(true);
		thread.start();
		return () -> {
			closed.set(true);
			thread.join(TimeUnit.SECONDS.toMillis(5));
		};
	}

	@Override
	public Publisher publisher(Place place) {
		Map<String, Object> settings = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, address(place),
				ProducerConfig.ACKS_CONFIG, "1", ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false,
				ProducerConfig.LINGER_MS_CONFIG, 0, ProducerConfig.BATCH_SIZE_CONFIG, 128 << 10);
		KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, new ByteArraySerializer(),
				new ByteArraySerializer());
		return new Publisher() {

			@Override
			@SuppressWarnings("FutureReturnValueIgnored") // losses are counted by the
															// subscribers
			public void publish(byte[] message) {
				producer.send(new ProducerRecord<>(TOPIC, 0, null, message));
			}

			@Override
			public void close() {
				producer.close();
			}

		};
	}

}
