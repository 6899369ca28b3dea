package io.github.vicinal.chronicle;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.boot.topic.TopicFactory;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(90)
@Tag("every-jdk")
class ChronicleAutoConfigurationTests {

	@TempDir
	private Path directory;

	private Path rendezvous;

	private ApplicationContextRunner runner;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.rendezvous = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
					LocalTopicAutoConfiguration.class, TopicAutoConfiguration.class, ChronicleAutoConfiguration.class))
			.withPropertyValues("vicinal.rendezvous.directory=" + this.rendezvous);
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		FileSystemUtils.deleteRecursively(this.rendezvous);
	}

	@Test
	void aListenerGetsWhatWasPublishedBeforeItsApplicationWasThere() {
		ApplicationContextRunner durable = this.runner.withPropertyValues(
				"vicinal.topics.durable.directory=" + this.directory, "vicinal.topics.durable.min-free=0B",
				"vicinal.topics.durable.block-size=1MB", "vicinal.topics.named.orders.durable=true");
		durable.run((shop) -> {
			assertThat(shop.getBean(Topics.class)).isInstanceOf(ShmTopics.class);
			assertThat(shop.getBean(DurableTopics.class)).isInstanceOf(ChronicleTopics.class);
			shop.getBean(TopicFactory.class).topic("orders", TopicModel.STREAM, Order.class).publish(new Order(7));
			shop.getBean(TopicFactory.class).topic("other", TopicModel.STREAM, Order.class).publish(new Order(8));
		});
		assertThat(this.directory.resolve("orders/queue")).isDirectory();
		assertThat(this.directory.resolve("other")).doesNotExist();
		durable.withUserConfiguration(Billing.class)
			.run((billing) -> assertThat(billing.getBean(Billing.class).orders.poll(20, TimeUnit.SECONDS))
				.isEqualTo(new Order(7)));
	}

	@ParameterizedTest
	@CsvSource({ "block-size=4GB, 1073741824", "block-size=1KB, 1048576", "max-size=1MB, 67108864",
			"min-free=-1B, negative", "patience=400d, 365 days", "max-age=-1d, 365000 days" })
	void aValueThatCannotBeUsedIsNamedWithItsRule(String setting, String rule) {
		this.runner
			.withPropertyValues("vicinal.topics.durable.directory=" + this.directory,
					"vicinal.topics.durable." + setting)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(rule));
	}

	/**
	 * Its subscribers in memory would wait for publishers of the durable one for ever.
	 */
	@Test
	void aDurableTopicIsRefusedByTheTopicsInMemory() {
		this.runner
			.withPropertyValues("vicinal.topics.durable.directory=" + this.directory,
					"vicinal.topics.durable.min-free=0B", "vicinal.topics.durable.block-size=1MB",
					"vicinal.topics.named.orders.durable=true")
			.run((context) -> {
				Topics topics = context.getBean(Topics.class);
				TopicSettings<Order> orders = TopicSettings.of("orders", TopicModel.STREAM, Order.class);
				assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(orders))
					.withMessageContaining("'orders' is durable by vicinal.topics.named.orders.durable")
					.withMessageContaining("the bean of type DurableTopics");
				assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.reader(orders, "billing"))
					.withMessageContaining("'orders' is durable");
				topics.topic(TopicSettings.of("other", TopicModel.STREAM, Order.class)).publish(new Order(8));
				try (TopicReader<Order> reader = context.getBean(DurableTopics.class).reader(orders, "billing")) {
					context.getBean(TopicFactory.class)
						.topic("orders", TopicModel.STREAM, Order.class)
						.publish(new Order(7));
					Message<Order> message = reader.poll(Duration.ofSeconds(20));
					assertThat(message).isNotNull();
					assertThat(message.payload()).isEqualTo(new Order(7));
				}
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aListenerOfBytesTakesTheDeadLettersOfListenersWithOtherPayloads(boolean isDurable) {
		this.runner
			.withPropertyValues("vicinal.topics.durable.directory=" + this.directory,
					"vicinal.topics.durable.min-free=0B", "vicinal.topics.durable.block-size=1MB",
					"vicinal.topics.named.failed.durable=" + isDurable)
			.withUserConfiguration(Failing.class)
			.run((context) -> {
				TopicFactory factory = context.getBean(TopicFactory.class);
				factory.topic("orders", TopicModel.STREAM, Order.class).publish(new Order(7));
				Failing failing = context.getBean(Failing.class);
				assertThat(failing.letters.poll(20, TimeUnit.SECONDS)).isEqualTo("{\"number\":7}");
				factory.topic("parcels", TopicModel.STREAM, Parcel.class).publish(new Parcel("a book"));
				assertThat(failing.letters.poll(20, TimeUnit.SECONDS)).isEqualTo("{\"content\":\"a book\"}");
			});
	}

	@Test
	void withoutADirectoryThereAreNoDurableTopics() {
		this.runner.withPropertyValues("vicinal.topics.named.orders.durable=true").run((context) -> {
			assertThat(context).doesNotHaveBean(DurableTopics.class);
			TopicFactory factory = context.getBean(TopicFactory.class);
			assertThatExceptionOfType(TopicException.class)
				.isThrownBy(() -> factory.topic("orders", TopicModel.STREAM, Order.class))
				.withMessageContaining("add vicinal-chronicle, and set vicinal.topics.durable.directory");
		});
	}

	@Test
	void flagsThatAreMissingArePrinted() {
		FailureAnalysis analysis = new MissingJvmFlagsFailureAnalyzer().analyze(new MissingJvmFlagsException(
				JvmFlags.Use.TOPICS, List.of("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
						"--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED")));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).contains("3 flags");
		assertThat(analysis.getAction()).contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED \\\n")
			.contains("Add-Exports: java.base/sun.nio.ch\n")
			.contains("Add-Opens: java.base/java.io java.base/java.util\n")
			.contains("or remove vicinal.topics.durable.directory");
	}

	@Test
	void noFlagIsMissingHereAndAllAreWhereNoneIsGiven() throws Exception {
		assertThat(JvmFlags.missing()).isEmpty();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				FlagsChild.class.getName())
			.start();
		assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
			.contains("--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED")
			.contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED")
			.contains("--add-opens=java.base/java.lang=ALL-UNNAMED")
			.contains("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED")
			.contains("--add-opens=java.base/java.io=ALL-UNNAMED")
			.contains("--add-opens=java.base/java.util=ALL-UNNAMED");
		assertThat(process.waitFor()).isZero();
	}

	record Order(int number) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Billing {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM)
		void bill(Order order) {
			this.orders.add(order);
		}

	}

	record Parcel(String content) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Failing {

		private final BlockingQueue<String> letters = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "failed", model = TopicModel.STREAM)
		void bury(byte[] letter) {
			this.letters.add(new String(letter, StandardCharsets.UTF_8));
		}

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, deadLetter = "failed")
		void bill(Order order) {
			throw new IllegalStateException("no money");
		}

		@AffinityListener(topic = "parcels", model = TopicModel.STREAM, deadLetter = "failed")
		void send(Parcel parcel) {
			throw new IllegalStateException("no car");
		}

	}

	/** Says what is missing. */
	static final class FlagsChild {

		private FlagsChild() {
		}

		public static void main(String[] args) {
			try {
				JvmFlags.require(JvmFlags.Use.TOPICS);
			}
			catch (MissingJvmFlagsException ex) {
				System.out.println(ex.getMessage());
			}
		}

	}

}
