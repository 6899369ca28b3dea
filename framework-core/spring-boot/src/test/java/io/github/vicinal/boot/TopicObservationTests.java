package io.github.vicinal.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.boot.topic.TopicErrorHandler;
import io.github.vicinal.boot.topic.TopicFactory;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.DefaultTopicProcessObservationConvention;
import io.github.vicinal.topic.observation.DefaultTopicPublishObservationConvention;
import io.github.vicinal.topic.observation.TopicProcessContext;
import io.github.vicinal.topic.observation.TopicProcessObservationConvention;
import io.github.vicinal.topic.observation.TopicPublishContext;
import io.github.vicinal.topic.observation.TopicPublishObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTraceContext;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The spans of messages, as a tracer records them. */
@Timeout(60)
class TopicObservationTests {

	private Path directory;

	private ApplicationContextRunner runner;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
					LocalTopicAutoConfiguration.class, TopicAutoConfiguration.class))
			.withPropertyValues("vicinal.rendezvous.directory=" + this.directory);
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		FileSystemUtils.deleteRecursively(this.directory);
	}

	@Test
	void theTraceOfThePublisherGoesOnInTheSubscriber() {
		this.runner.withUserConfiguration(Tracing.class, Billing.class)
			.run((billing) -> this.runner.withUserConfiguration(Tracing.class).run((shop) -> {
				Topic<String> topic = shop.getBean(TopicFactory.class).topic("orders", TopicModel.STREAM, String.class);
				SimpleTracer ofShop = shop.getBean(SimpleTracer.class);
				Observation.createNotStarted("request", shop.getBean(ObservationRegistry.class))
					.observe(() -> topic.publish("book", Map.of("origin", "shop")));
				SimpleSpan request = ofShop.getSpans().getFirst();
				SimpleSpan published = ofShop.getSpans().getLast();
				assertThat(published.getName()).isEqualTo("orders publish");
				assertThat(published.getKind()).isEqualTo(Span.Kind.PRODUCER);
				assertThat(published.context().parentId()).isEqualTo(request.context().spanId());
				assertThat(published.getTags()).containsOnly(Map.entry("messaging.system", "vicinal"),
						Map.entry("messaging.operation", "publish"), Map.entry("messaging.destination.name", "orders"));

				Billing beans = billing.getBean(Billing.class);
				Message<String> message = Objects.requireNonNull(beans.messages.poll(10, TimeUnit.SECONDS));
				assertThat(message.headers()).containsEntry("origin", "shop").containsKey("parent");
				SimpleTracer ofBilling = billing.getBean(SimpleTracer.class);
				while (ofBilling.getSpans().size() < 2
						|| ofBilling.getSpans().getLast().getEndTimestamp().toEpochMilli() == 0) {
					Thread.onSpinWait();
				}
				// The first attempt fails.
				List<SimpleSpan> attempts = List.copyOf(ofBilling.getSpans());
				assertThat(attempts).hasSize(2).allSatisfy((span) -> {
					assertThat(span.getName()).isEqualTo("orders process");
					assertThat(span.getKind()).isEqualTo(Span.Kind.CONSUMER);
					assertThat(span.context().traceId()).isEqualTo(published.context().traceId());
					assertThat(span.context().parentId()).isEqualTo(published.context().spanId());
					assertThat(span.getTags()).containsEntry("messaging.system", "vicinal")
						.containsEntry("messaging.operation", "process")
						.containsEntry("messaging.destination.name", "orders")
						.containsEntry("messaging.destination.subscription.name", "bills")
						.containsEntry("messaging.message.id", message.publisher() + "-1");
				});
				assertThat(attempts.get(0).getError()).hasMessage("first attempt");
				assertThat(attempts.get(1).getError()).isNull();
				assertThat(beans.current.poll(10, TimeUnit.SECONDS)).isEqualTo(attempts.get(1).context().spanId());
			}));
	}

	@Test
	void theTraceGoesOnInTheErrorHandlerAndTheDeadLetters() {
		this.runner.withUserConfiguration(Tracing.class, Failing.class).run((context) -> {
			Failing beans = context.getBean(Failing.class);
			SimpleTracer tracer = context.getBean(SimpleTracer.class);
			Topic<Map> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Map.class));
			topic.publish(Map.of("number", 1));
			topic.publish(Map.of("number", "cannot be read"));
			for (String error : List.of("never", "The payload cannot be read")) {
				Message<byte[]> letter = Objects.requireNonNull(beans.letters.poll(10, TimeUnit.SECONDS));
				SimpleSpan dead = spanOf(tracer, letter);
				assertThat(dead.getName()).isEqualTo("orders.dead publish");
				SimpleSpan attempt = span(tracer, dead.context().parentId());
				assertThat(attempt.getName()).isEqualTo("orders process");
				assertThat(attempt.getError()).hasMessageStartingWith(error);
				assertThat(span(tracer, attempt.context().parentId()).getName()).isEqualTo("orders publish");
				assertThat(beans.current.poll(10, TimeUnit.SECONDS)).as("in the error handler")
					.isEqualTo(attempt.context().spanId());
			}
			assertThat(tracer.currentSpan()).isNull();
		});
	}

	/** Each message may belong to a trace of its own. */
	@Test
	void aBatchIsOneObservationAndAMessageThatIsGivenUpGoesOnInItsOwnTrace() {
		this.runner.withUserConfiguration(Tracing.class, Batches.class).run((context) -> {
			Batches beans = context.getBean(Batches.class);
			SimpleTracer tracer = context.getBean(SimpleTracer.class);
			Topic<Order> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
			topic.publish(new Order(1));
			assertThat(beans.batches.poll(10, TimeUnit.SECONDS)).hasSize(1);
			topic.publish(new Order(2));
			topic.publish(new Order(3));
			topic.publish(new Order(4));
			beans.published.countDown();
			List<Message<Order>> batch = Objects.requireNonNull(beans.batches.poll(10, TimeUnit.SECONDS));
			assertThat(batch).hasSize(3);
			assertThat(beans.batches.poll(10, TimeUnit.SECONDS)).hasSize(1);
			// The attempt has ended.
			while (topic.report().usedBytes() > 0) {
				Thread.onSpinWait();
			}
			Message<byte[]> letter = Objects.requireNonNull(beans.letters.poll(10, TimeUnit.SECONDS));
			SimpleSpan dead = spanOf(tracer, letter);
			assertThat(dead.getName()).isEqualTo("orders.dead publish");
			SimpleSpan givenUp = span(tracer, dead.context().parentId());
			assertThat(givenUp.getName()).isEqualTo("orders process");
			assertThat(givenUp.getError()).hasMessage("never 3");
			assertThat(givenUp.getTags()).containsEntry("messaging.message.id", batch.get(1).publisher() + "-3")
				.doesNotContainKey("messaging.batch.message_count");
			assertThat(givenUp.context().parentId()).isEqualTo(spanOf(tracer, batch.get(1)).context().spanId());
			List<SimpleSpan> attempts = tracer.getSpans()
				.stream()
				.filter((span) -> span.getTags().containsKey("messaging.batch.message_count"))
				.toList();
			assertThat(attempts).extracting((span) -> span.getTags().get("messaging.batch.message_count"))
				.containsExactly("1", "3", "1");
			assertThat(attempts).extracting(SimpleSpan::getName).containsOnly("orders process");
			assertThat(attempts.get(0).context().parentId())
				.isEqualTo(span(tracer, attempts.get(0).context().parentId()).context().spanId());
			assertThat(attempts.get(1).context().parentId()).isNullOrEmpty();
			assertThat(attempts.get(1).getTags()).doesNotContainKey("messaging.message.id");
		});
	}

	private static SimpleSpan spanOf(SimpleTracer tracer, Message<?> message) {
		String parent = Objects.requireNonNull(message.headers().get("parent"));
		return span(tracer, parent.substring(parent.indexOf('/') + 1));
	}

	/** Returns a span that has ended: its name and tags come with its end. */
	private static SimpleSpan span(SimpleTracer tracer, String id) {
		SimpleSpan found = tracer.getSpans()
			.stream()
			.filter((span) -> span.context().spanId().equals(id))
			.findFirst()
			.orElseThrow();
		while (found.getEndTimestamp().toEpochMilli() == 0) {
			Thread.onSpinWait();
		}
		return found;
	}

	@Test
	void aMessageThatIsNotPublishedIsAnError() {
		this.runner.withUserConfiguration(Tracing.class).run((context) -> {
			Topic<byte[]> topic = context.getBean(TopicFactory.class).topic("big", TopicModel.STREAM, byte[].class);
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[4 << 20]));
			assertThat(context.getBean(SimpleTracer.class).getSpans().getLast().getError())
				.hasMessageContaining("half of the topic's capacity");
		});
	}

	@Test
	void theConventionsCanBeReplaced() {
		this.runner.withUserConfiguration(Tracing.class, OwnConventions.class, Billing.class).run((context) -> {
			Topic<String> topic = context.getBean(TopicFactory.class).topic("orders", TopicModel.STREAM, String.class);
			topic.publish("book");
			assertThat(context.getBean(Billing.class).messages.poll(10, TimeUnit.SECONDS)).isNotNull();
			assertThat(context.getBean(SimpleTracer.class).getSpans()).extracting(SimpleSpan::getName)
				.contains("sends to orders", "takes from orders");
		});
	}

	@Test
	void withoutARegistryNothingIsAddedToAMessage() {
		this.runner.withUserConfiguration(Billing.class).run((context) -> {
			context.getBean(TopicFactory.class).topic("orders", TopicModel.STREAM, String.class).publish("book");
			Message<String> message = context.getBean(Billing.class).messages.poll(10, TimeUnit.SECONDS);
			assertThat(Objects.requireNonNull(message).headers()).isEmpty();
			assertThat(context.getBean(Topics.class)).isNotNull();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Billing {

		private final BlockingQueue<Message<String>> messages = new LinkedBlockingQueue<>();

		private final BlockingQueue<String> current = new LinkedBlockingQueue<>();

		private final AtomicInteger attempts = new AtomicInteger();

		private final SimpleTracer tracer;

		Billing(ObjectProvider<SimpleTracer> tracer) {
			this.tracer = tracer.getIfAvailable(SimpleTracer::new);
		}

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, name = "bills", maxAttempts = 2,
				backOffMillis = 0)
		void bill(Message<String> message) {
			if (this.attempts.getAndIncrement() == 0) {
				throw new IllegalStateException("first attempt");
			}
			Span span = this.tracer.currentSpan();
			this.current.add((span != null) ? span.context().spanId() : "none");
			this.messages.add(message);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Failing {

		private final BlockingQueue<Message<byte[]>> letters = new LinkedBlockingQueue<>();

		private final BlockingQueue<String> current = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxAttempts = 2, backOffMillis = 0,
				errorHandler = "complain", deadLetter = "orders.dead")
		void bill(Order order) {
			throw new IllegalStateException("never");
		}

		@AffinityListener(topic = "orders.dead", model = TopicModel.STREAM)
		void bury(Message<byte[]> message) {
			this.letters.add(message);
		}

		@Bean
		TopicErrorHandler complain(SimpleTracer tracer) {
			return (message, cause) -> {
				Span span = tracer.currentSpan();
				this.current.add((span != null) ? span.context().spanId() : "none");
				throw new IllegalStateException(cause);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Batches {

		private final BlockingQueue<List<Message<Order>>> batches = new LinkedBlockingQueue<>();

		private final BlockingQueue<Message<byte[]>> letters = new LinkedBlockingQueue<>();

		private final CountDownLatch published = new CountDownLatch(1);

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxBatch = 10, deadLetter = "orders.dead")
		void bill(List<Message<Order>> messages) throws InterruptedException {
			this.batches.add(messages);
			this.published.await();
			for (int i = 0; i < messages.size(); i++) {
				if (messages.get(i).payload().number() == 3) {
					throw new BatchFailedException(i, new IllegalStateException("never 3"));
				}
			}
		}

		@AffinityListener(topic = "orders.dead", model = TopicModel.STREAM)
		void bury(Message<byte[]> message) {
			this.letters.add(message);
		}

	}

	record Order(int number) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Tracing {

		@Bean
		SimpleTracer tracer() {
			return new SimpleTracer();
		}

		@Bean
		ObservationRegistry observations(SimpleTracer tracer) {
			ObservationRegistry registry = ObservationRegistry.create();
			Propagator propagator = new HeaderPropagator(tracer);
			registry.observationConfig()
				.observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
						new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
						new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
						new DefaultTracingObservationHandler(tracer)));
			return registry;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnConventions {

		@Bean
		TopicPublishObservationConvention publishing() {
			return new DefaultTopicPublishObservationConvention() {

				@Override
				public String getContextualName(TopicPublishContext context) {
					return "sends to " + context.topic();
				}

			};
		}

		@Bean
		TopicProcessObservationConvention processing() {
			return new DefaultTopicProcessObservationConvention() {

				@Override
				public String getContextualName(TopicProcessContext context) {
					return "takes from " + context.message().topic();
				}

			};
		}

	}

	/** Carries the context of a span in the header {@code parent}. */
	private record HeaderPropagator(SimpleTracer tracer) implements Propagator {

		@Override
		public List<String> fields() {
			return List.of("parent");
		}

		@Override
		public <C> void inject(TraceContext context, C carrier, Setter<C> setter) {
			setter.set(carrier, "parent", context.traceId() + "/" + context.spanId());
		}

		@Override
		public <C> Span.Builder extract(C carrier, Getter<C> getter) {
			Span.Builder builder = this.tracer.spanBuilder();
			String parent = getter.get(carrier, "parent");
			if (parent != null) {
				SimpleTraceContext context = new SimpleTraceContext();
				context.setTraceId(parent.substring(0, parent.indexOf('/')));
				context.setSpanId(parent.substring(parent.indexOf('/') + 1));
				builder.setParent(context);
			}
			return builder;
		}

	}

}
