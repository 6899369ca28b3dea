package io.github.vicinal.boot.topic;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.remote.RemoteTopics;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Mono;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.convert.converter.Converter;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Parameters of listeners, when they run, and where messages go that they cannot handle.
 */
@Timeout(60)
class TopicListenerTests {

	private Path directory;

	private ApplicationContextRunner runner;

	/** Each of them waits until all of them stop. */
	@Test
	void listenersStopSideBySide() {
		CyclicBarrier all = new CyclicBarrier(3);
		AffinityListenerRegistry registry = new AffinityListenerRegistry();
		for (int i = 0; i < 3; i++) {
			Subscription subscription = mock(Subscription.class);
			willAnswer((invocation) -> all.await(30, TimeUnit.SECONDS)).given(subscription).close();
			registry.register(new AffinityListenerContainer("listener" + i, "place", true, () -> subscription));
		}
		TopicListeners listeners = new TopicListeners(new DefaultListableBeanFactory(), mock(TopicPlaces.class),
				mock(TopicRooms.class), registry);
		listeners.start();
		listeners.stop();
		assertThat(all.isBroken()).isFalse();
		assertThat(registry.getListenerContainers()).noneMatch(AffinityListenerContainer::isRunning);
	}

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

	private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
		T next = queue.poll(20, TimeUnit.SECONDS);
		assertThat(next).isNotNull();
		return next;
	}

	private static Topic<Order> orders(Topics topics) {
		return topics.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
	}

	@Test
	void listenersTakeWhatThoseOfSpringTake() {
		this.runner.withUserConfiguration(Arguments.class).run((context) -> {
			Arguments beans = context.getBean(Arguments.class);
			Topic<Order> topic = context.getBean(TopicFactory.class).topic("orders", TopicModel.PUB_SUB, Order.class);
			while (topic.report().subscribers().size() < 3) {
				Thread.onSpinWait();
			}
			topic.publish(new Order(7), Map.of("origin", "shop"));
			assertThat(List.of(next(beans.seen), next(beans.seen), next(beans.seen))).containsExactlyInAnyOrder(
					"Order[number=7] shop null orders 1", "Order[number=7] shop false", "Order[number=7] shop orders");
		});
	}

	@Test
	void aMessageIsHandledWhenItIsAcknowledged() {
		this.runner.withUserConfiguration(Manual.class).run((context) -> {
			Manual beans = context.getBean(Manual.class);
			Topic<Order> topic = orders(context.getBean(Topics.class));
			topic.publish(new Order(1));
			topic.publish(new Order(2));
			Acknowledgement first = next(beans.acknowledgements);
			assertThat(beans.acknowledgements.poll(50, TimeUnit.MILLISECONDS)).isNull();
			first.reject(new IllegalStateException("not yet"));
			first.acknowledge();
			next(beans.acknowledgements).acknowledge();
			next(beans.acknowledgements);
			assertThat(beans.numbers).containsExactly(1, 1, 2);
			AffinityListenerContainer container = context.getBean(AffinityListenerRegistry.class)
				.getListenerContainer("manual.handle");
			assertThat(container).isNotNull();
			container.stop();
			assertThat(topic.report().usedBytes()).isPositive();
			container.start();
			next(beans.acknowledgements).acknowledge();
			while (topic.report().usedBytes() > 0) {
				Thread.onSpinWait();
			}
			assertThat(beans.numbers).containsExactly(1, 1, 2, 2);
		});
	}

	@Test
	void aMessageIsHandledWhenItsStageIsComplete() {
		this.runner.withUserConfiguration(Stages.class).run((context) -> {
			Stages beans = context.getBean(Stages.class);
			Topic<Order> topic = orders(context.getBean(Topics.class));
			topic.publish(new Order(1));
			next(beans.stages).completeExceptionally(new IllegalStateException("not yet"));
			CompletableFuture<Void> second = next(beans.stages);
			assertThat(topic.report().usedBytes()).isPositive();
			second.complete(null);
			while (topic.report().usedBytes() > 0) {
				Thread.onSpinWait();
			}
		});
	}

	@Test
	void aMessageThatCannotBeHandledGoesToTheErrorHandlerAndThenToTheDeadLetters() {
		this.runner.withUserConfiguration(Failing.class).run((context) -> {
			Failing beans = context.getBean(Failing.class);
			Topics topics = context.getBean(Topics.class);
			Topic<Order> topic = orders(topics);
			topic.publish(new Order(1), Map.of("origin", "shop"));
			topic.publish(new Order(2));
			try (TopicReader<Order> dead = topics
				.reader(TopicSettings.of("orders.dead", TopicModel.STREAM, Order.class), "dead")) {
				Message<Order> message = dead.take();
				assertThat(message).isNotNull();
				assertThat(message.payload()).isEqualTo(new Order(2));
				assertThat(message.headers()).containsEntry(DeadLetterHeaders.TOPIC, "orders")
					.containsEntry(DeadLetterHeaders.SEQUENCE, "2")
					.containsEntry(DeadLetterHeaders.SUBSCRIBER, "billing")
					.containsEntry(DeadLetterHeaders.EXCEPTION, "java.lang.IllegalArgumentException")
					.containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "not mine either")
					.containsKey(DeadLetterHeaders.PUBLISHER);
			}
			assertThat(beans.attempts).containsExactly(1, 1, 1, 2, 2, 2);
			assertThat(beans.handled).containsExactly("Order[number=1] java.lang.IllegalStateException: never");
		});
	}

	/** Another application may have another idea of what an order is. */
	@Test
	void aPayloadThatCannotBeReadGoesTheSameWayAsItIs() {
		this.runner.withUserConfiguration(Failing.class).run((context) -> {
			Failing beans = context.getBean(Failing.class);
			Topics topics = context.getBean(Topics.class);
			Topic<Map> topic = topics.topic(TopicSettings.of("orders", TopicModel.STREAM, Map.class));
			topic.publish(Map.of("number", "handled"), Map.of("origin", "shop"));
			topic.publish(Map.of("number", "no number"), Map.of("origin", "shop"));
			topic.publishWritten("{\"number\":3,".getBytes(UTF_8), Map.of("origin", "desk"));
			topic.publish(Map.of("number", 2));
			assertThat(next(beans.handled)).startsWith("{\"number\":\"handled\"} ").contains("cannot be read");
			try (TopicReader<byte[]> dead = topics
				.reader(TopicSettings.of("orders.dead", TopicModel.STREAM, byte[].class), "dead")) {
				Message<byte[]> message = dead.poll(Duration.ofSeconds(20));
				assertThat(message).isNotNull();
				assertThat(message.payload()).asString().isEqualTo("{\"number\":\"no number\"}");
				assertThat(message.headers()).containsEntry("origin", "shop")
					.containsEntry(DeadLetterHeaders.TOPIC, "orders")
					.containsEntry(DeadLetterHeaders.SEQUENCE, "2")
					.containsEntry(DeadLetterHeaders.SUBSCRIBER, "billing")
					.containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "not mine either");
				message = dead.poll(Duration.ofSeconds(20));
				assertThat(message).isNotNull();
				assertThat(message.payload()).as("truncated").asString().isEqualTo("{\"number\":3,");
				assertThat(message.headers()).containsEntry("origin", "desk")
					.containsEntry(DeadLetterHeaders.SEQUENCE, "3");
				message = dead.poll(Duration.ofSeconds(20));
				assertThat(message).as("others go on").isNotNull();
				assertThat(message.payload()).asString().isEqualTo("{\"number\":2}");
			}
			assertThat(beans.attempts).containsExactly(2, 2, 2);
			assertThat(topics.subscriptions()).extracting(SubscriptionReport::failed).contains(4L);
		});
	}

	/** What its type leaves out stays in it, and what it does to it does not. */
	@Test
	void eachAttemptAndTheDeadLettersHaveWhatWasPublished() {
		this.runner.withUserConfiguration(Changing.class).run((context) -> {
			Topics topics = context.getBean(Topics.class);
			orders(topics).publish(new Order(7));
			try (TopicReader<byte[]> dead = topics
				.reader(TopicSettings.of("orders.dead", TopicModel.STREAM, byte[].class), "dead")) {
				Message<byte[]> message = dead.poll(Duration.ofSeconds(20));
				assertThat(message).isNotNull();
				assertThat(new String(message.payload(), UTF_8)).isEqualTo("{\"number\":7}");
			}
			assertThat(context.getBean(Changing.class).seen).containsExactly("untouched", "untouched", "untouched");
		});
	}

	@Test
	void anApplicationHasAnnotationsOfItsOwn() {
		this.runner.withUserConfiguration(Composed.class).run((context) -> {
			orders(context.getBean(Topics.class)).publish(new Order(7));
			assertThat(next(context.getBean(Composed.class).orders)).isEqualTo(new Order(7));
		});
	}

	@Test
	void aMethodMayListenToSeveralTopics() {
		this.runner.withUserConfiguration(Several.class).run((context) -> {
			assertThat(context.getBean(AffinityListenerRegistry.class).getListenerContainerIds())
				.containsExactlyInAnyOrder("several.handle.orders", "returns", "several.composed.gifts",
						"several.composed.samples");
			Topics topics = context.getBean(Topics.class);
			BlockingQueue<String> seen = context.getBean(Several.class).seen;
			for (String topic : List.of("orders", "returned", "gifts", "samples")) {
				topics.topic(TopicSettings.of(topic, TopicModel.STREAM, Order.class)).publish(new Order(7));
				assertThat(next(seen)).isEqualTo(topic + " Order[number=7]");
			}
			assertThat(seen).isEmpty();
		});
	}

	/** As Spring's own listeners do. */
	@Test
	void aMethodThatIsOverriddenListensAsTheOneThatOverridesItSays() {
		this.runner.withUserConfiguration(Overriding.class)
			.run((context) -> assertThat(context.getBean(AffinityListenerRegistry.class).getListenerContainerIds())
				.containsExactly("overriding"));
	}

	/** A dead-letter topic of one kind of payload can be read as such. */
	@Test
	void listenersShareADeadLetterTopic() {
		this.runner.withUserConfiguration(SharingJson.class).run((context) -> {
			Topics topics = context.getBean(Topics.class);
			orders(topics).publish(new Order(7));
			topics.topic(TopicSettings.of("notes", TopicModel.STREAM, Note.class)).publish(new Note());
			try (TopicReader<Map> dead = topics.reader(TopicSettings.of("dead", TopicModel.STREAM, Map.class),
					"dead")) {
				assertThat(Stream.of(dead.poll(Duration.ofSeconds(20)), dead.poll(Duration.ofSeconds(20))))
					.extracting(Message::payload)
					.containsExactlyInAnyOrder(Map.of("number", 7), Map.of("state", "untouched"));
			}
		});
		this.runner.withUserConfiguration(SharingJson.class, SharingText.class).run((context) -> {
			Topics topics = context.getBean(Topics.class);
			orders(topics).publish(new Order(7));
			topics.topic(TopicSettings.of("texts", TopicModel.STREAM, String.class)).publish("text");
			try (TopicReader<byte[]> dead = topics.reader(TopicSettings.of("dead", TopicModel.STREAM, byte[].class),
					"dead")) {
				assertThat(Stream.of(dead.poll(Duration.ofSeconds(20)), dead.poll(Duration.ofSeconds(20))))
					.extracting((message) -> new String(message.payload(), UTF_8))
					.containsExactlyInAnyOrder("{\"number\":7}", "text");
			}
		});
	}

	@Test
	void listenersAreStartedAndStoppedByTheirIds() {
		this.runner.withUserConfiguration(Late.class).withPropertyValues("late.start=false").run((context) -> {
			AffinityListenerRegistry registry = context.getBean(AffinityListenerRegistry.class);
			assertThat(registry.getListenerContainerIds()).containsExactly("late");
			AffinityListenerContainer container = registry.getListenerContainer("late");
			assertThat(container).isNotNull();
			assertThat(container.isRunning()).isFalse();
			assertThat(container.report()).isNull();
			Late beans = context.getBean(Late.class);
			Topic<Order> topic = orders(context.getBean(Topics.class));
			topic.publish(new Order(1));
			container.start();
			container.start();
			assertThat(next(beans.orders)).isEqualTo(new Order(1));
			container.stop();
			assertThat(container.isRunning()).isFalse();
			topic.publish(new Order(2));
			assertThat(beans.orders.poll(50, TimeUnit.MILLISECONDS)).isNull();
			container.start();
			assertThat(next(beans.orders)).isEqualTo(new Order(2));
			assertThat(registry.getListenerContainer("other")).isNull();
		});
	}

	@Test
	void mistakesFailTheStart() {
		this.runner.withUserConfiguration(Late.class, SameId.class)
			.withPropertyValues("late.start=true")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("have the same id 'late': give each an id of its own")
				.hasMessageContaining("Late.handle")
				.hasMessageContaining("SameId.handle"));
		this.runner.withUserConfiguration(SameTopicTwice.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("have the same id 'twice.handle.orders': give each an id of its own"));
		this.runner.withUserConfiguration(Late.class)
			.withPropertyValues("late.start=perhaps")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("The autoStartup of listener Late.handle must be true or false, not 'perhaps'"));
		this.runner.withUserConfiguration(NoHandler.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("NoHandler.handle names the error handler 'nobody'"));
		this.runner.withUserConfiguration(Circle.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("the dead-letter topic is 'orders' itself"));
		this.runner.withUserConfiguration(OnlyHeaders.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining(
						"must have a parameter for the payload or a Message of it, of one type, but has none"));
		this.runner.withUserConfiguration(Answers.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("must return nothing, a CompletionStage or a Mono, but returns String"));
		this.runner.withUserConfiguration(Part.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Part.handle takes the part 'number' of its payload")
				.hasMessageContaining("take the whole payload"));
		this.runner.withUserConfiguration(Concurrent.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Concurrent.handle has a concurrency of 2")
				.hasMessageContaining("use the model STREAM"));
	}

	@Test
	void aTopicThatCannotBeUsedIsExplainedWhenTheApplicationStarts() {
		this.runner.withUserConfiguration(Reactive.class)
			.withPropertyValues("vicinal.topics.named.orders.durable=true")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("add vicinal-chronicle");
				assertThat(analysis.getAction()).contains("vicinal.topics.*");
			});
		this.runner.withUserConfiguration(Reactive.class)
			.withPropertyValues("vicinal.rendezvous.directory=/proc/self/nowhere")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription())
				.contains("Topics cannot be used: ", "/proc/self/nowhere"));
		assertThat(new TopicFailureAnalyzer().analyze(new TopicException("in a runner"))).isNull();
	}

	private static FailureAnalysis analysis(@Nullable Throwable failure) {
		assertThat(failure).isNotNull();
		List<FailureAnalysis> analyses = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class,
					SpringFactoriesLoader.FailureHandler.logging(LogFactory.getLog(TopicListenerTests.class)))
			.stream()
			.filter((analyzer) -> analyzer.getClass().getName().startsWith("io.github.vicinal."))
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.toList();
		assertThat(analyses).hasSize(1);
		return analyses.get(0);
	}

	@Test
	void aMonoIsSubscribedAndAwaited() {
		this.runner.withUserConfiguration(Reactive.class).run((context) -> {
			Topic<Order> topic = orders(context.getBean(Topics.class));
			topic.publish(new Order(1));
			topic.publish(new Order(2));
			Reactive beans = context.getBean(Reactive.class);
			assertThat(next(beans.ended)).isEqualTo("1");
			assertThat(next(beans.ended)).isEqualTo("2");
			assertThat(next(beans.ended)).isEqualTo("2");
			assertThat(next(beans.ended)).isEqualTo("2 is left: no money");
		});
	}

	@Test
	void headersAreConvertedByTheConvertersOfTheApplication() {
		this.runner.withUserConfiguration(Converting.class).run((context) -> {
			orders(context.getBean(Topics.class)).publish(new Order(1), Map.of("next", "no. 7"));
			assertThat(next(context.getBean(Converting.class).orders)).isEqualTo(new Order(7));
		});
	}

	/**
	 * Spring makes two bean definitions of it, one for the proxy and one for the target.
	 */
	@Test
	void aListenerOfAScopedProxyIsSubscribedOnce() {
		this.runner.withUserConfiguration(Scopes.class).run((context) -> {
			assertThat(context.getBean(AffinityListenerRegistry.class).getListenerContainerIds())
				.containsExactly("scoped.handle");
			orders(context.getBean(Topics.class)).publish(new Order(1));
			assertThat(next(context.getBean(Scopes.class).orders)).isEqualTo(new Order(1));
		});
	}

	@Test
	void aListenerMayBeInheritedFromAGenericClass() {
		this.runner.withUserConfiguration(OrderListener.class).run((context) -> {
			OrderListener beans = context.getBean(OrderListener.class);
			Topic<Order> topic = orders(context.getBean(Topics.class));
			topic.publish(new Order(1));
			assertThat(next(beans.payloads)).isEqualTo(new Order(1));
			Topic<Order> whole = context.getBean(Topics.class)
				.topic(TopicSettings.of("whole", TopicModel.STREAM, Order.class));
			whole.publish(new Order(2));
			assertThat(next(beans.payloads)).isEqualTo(List.of(new Order(2)));
		});
	}

	@Test
	void payloadsMayHaveTypeParameters() {
		this.runner.withUserConfiguration(ManyOrders.class).run((context) -> {
			ParameterizedTypeReference<List<Order>> type = new ParameterizedTypeReference<>() {
			};
			TopicFactory factory = context.getBean(TopicFactory.class);
			Topic<List<Order>> topic = factory.topic("orders", TopicModel.STREAM, type);
			assertThat(factory.topic("orders", TopicModel.STREAM, type)).isSameAs(topic);
			topic.publish(List.of(new Order(1), new Order(2)));
			assertThat(next(context.getBean(ManyOrders.class).payloads)).isEqualTo(List.of(new Order(1), new Order(2)));
		});
	}

	@Test
	void payloadsAreValidatedAsThoseOfSpringAre() {
		this.runner.withUserConfiguration(Validating.class).run((context) -> {
			Topics topics = context.getBean(Topics.class);
			orders(topics).publish(new Order(-1));
			orders(topics).publish(new Order(1));
			assertThat(next(context.getBean(Validating.class).orders)).isEqualTo(new Order(1));
			try (TopicReader<Order> dead = topics
				.reader(TopicSettings.of("orders.dead", TopicModel.STREAM, Order.class), "dead")) {
				Message<Order> message = dead.poll(Duration.ofSeconds(20));
				assertThat(message).isNotNull();
				assertThat(message.payload()).isEqualTo(new Order(-1));
				assertThat(message.headers()).containsEntry(DeadLetterHeaders.EXCEPTION,
						MethodArgumentNotValidException.class.getName());
			}
		});
	}

	@Test
	void propertiesAreFoundForEachNameOfATopic() {
		this.runner
			.withPropertyValues("vicinal.topics.named.orders.capacity=256KB",
					"vicinal.topics.named.orders.dead.capacity=64KB",
					"vicinal.topics.named.orders.dead.subscribers=audit, desk",
					"vicinal.topics.named.orders.dead.remote-publishers[0]=10.0.0.7:7400",
					"vicinal.topics.named.new_orders.capacity=128KB",
					"vicinal.topics.named.new_orders.dead.capacity=1MB", "vicinal.topics.named[a.b].capacity=512KB")
			.run((context) -> {
				TopicRooms rooms = context.getBean(TopicRooms.class);
				assertThat(capacity(rooms, "orders")).isEqualTo(256 << 10);
				assertThat(capacity(rooms, "orders.dead")).isEqualTo(64 << 10);
				assertThat(capacity(rooms, "orders.dead_.billing")).isEqualTo(64 << 10);
				assertThat(capacity(rooms, "new_orders")).isEqualTo(128 << 10);
				assertThat(capacity(rooms, "new_orders.dead")).isEqualTo(1 << 20);
				assertThat(capacity(rooms, "a.b")).isEqualTo(512 << 10);
				assertThat(capacity(rooms, "orders.other")).isEqualTo(4 << 20);
				TopicGrants grants = context.getBean(TopicGrants.class);
				assertThat(grants.maySubscribe("orders.dead", "spy")).isFalse();
				assertThat(grants.maySubscribe("orders.dead", "desk")).isTrue();
				assertThat(context.getBean(RemoteTopics.class).publishers("orders.dead"))
					.containsExactly("10.0.0.7:7400");
			});
	}

	@Test
	void aCapacityThatIsTooLargeIsRefusedWithItsValue() {
		this.runner.withPropertyValues("vicinal.topics.named.orders.capacity=4GB")
			.run((context) -> assertThatExceptionOfType(TopicException.class)
				.isThrownBy(() -> capacity(context.getBean(TopicRooms.class), "orders"))
				.withMessageContaining("The capacity of topic 'orders'")
				.withMessageContaining("4294967296"));
	}

	private static int capacity(TopicRooms rooms, String topic) {
		return rooms.settings(topic, TopicModel.STREAM, Order.class).capacityBytes();
	}

	@Test
	void reactorTakesAFlow() {
		this.runner.run((context) -> {
			Topics topics = context.getBean(Topics.class);
			Topic<Order> topic = orders(topics);
			topic.publishAll(List.of(new Order(1), new Order(2), new Order(3), new Order(4), new Order(5)), Map.of());
			assertThat(take(topics, 3)).containsExactly(1, 2, 3);
			// What the first flow had taken ahead is returned, perhaps behind the other
			// one.
			assertThat(take(topics, 2)).containsExactlyInAnyOrder(4, 5);
			while (topic.report().usedBytes() > 0) {
				Thread.onSpinWait();
			}
		});
	}

	private static @Nullable List<Integer> take(Topics topics, int count) {
		return JdkFlowAdapter
			.flowPublisherToFlux(topics.flow(TopicSettings.of("orders", TopicModel.STREAM, Order.class), "flux"))
			.map((message) -> message.payload().number())
			.take(count)
			.collectList()
			.block(Duration.ofSeconds(20));
	}

	@Test
	void anApplicationWithoutAGrantIsRefused() {
		this.runner
			.withPropertyValues("spring.application.name=shop", "vicinal.topics.named.orders.publishers=billing",
					"vicinal.topics.named.orders.subscribers=shop,audit")
			.run((context) -> {
				TopicFactory factory = context.getBean(TopicFactory.class);
				assertThatExceptionOfType(TopicException.class)
					.isThrownBy(() -> factory.topic("orders", TopicModel.STREAM, Order.class))
					.withMessageContaining("'shop' may not publish to topic 'orders'");
				assertThat(factory.topic("other", TopicModel.STREAM, Order.class)).isNotNull();
				TopicGrants grants = context.getBean(TopicGrants.class);
				assertThat(grants.maySubscribe("orders", "shop")).isTrue();
				assertThat(grants.maySubscribe("orders", "spy")).isFalse();
				assertThat(grants.maySubscribe("orders.bell", "spy")).isFalse();
				assertThat(grants.mayPublish("orders.bell", "billing")).isTrue();
				assertThat(grants.mayPublish("other.bell", "spy")).isTrue();
			});
	}

	@Test
	void otherHostsTakePartByProperties() {
		this.runner
			.withPropertyValues("vicinal.topics.named.orders.other-hosts=true",
					"vicinal.topics.named.bills.remote-publishers=10.0.0.7:7400, shop.example.org:7400")
			.run((context) -> {
				RemoteTopics remote = context.getBean(RemoteTopics.class);
				assertThat(remote.isOffered("orders")).isTrue();
				assertThat(remote.isOffered("bills")).isFalse();
				assertThat(remote.isOffered("others")).isFalse();
				assertThat(remote.publishers("bills")).containsExactly("10.0.0.7:7400", "shop.example.org:7400");
				assertThat(remote.publishers("orders")).isEmpty();
				TopicFactory factory = context.getBean(TopicFactory.class);
				assertThatExceptionOfType(TopicsUnavailableException.class)
					.isThrownBy(() -> factory.topic("orders", TopicModel.STREAM, Order.class))
					.withMessageContaining("add vicinal-transport-tcp");
				assertThat(factory.topic("bills", TopicModel.STREAM, Order.class)).isNotNull();
			});
	}

	@Test
	void withoutSpringMessagingPayloadMessageAndAcknowledgementAreThere() throws Exception {
		Method method = ReflectionUtils.findMethod(Plain.class, "handle", Order.class, Message.class,
				Acknowledgement.class);
		assertThat(method).isNotNull();
		PlainInvoker invoker = new PlainInvoker(new Plain(), method);
		Message<Object> message = new Message<>("orders", new Order(3), Map.of(), "publisher", 1, 0, false);
		assertThat(invoker.invoke(message, new PendingAcknowledgement())).isEqualTo("Order[number=3] 1");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> invoker.invoke(message, null))
			.withMessage("no acknowledgement");
	}

	@Test
	void nativeImagesKeepListenersAndTheirPayloads() {
		DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
		factory.registerBeanDefinition("late", new RootBeanDefinition(Late.class));
		factory.registerBeanDefinition("several", new RootBeanDefinition(Several.class));
		factory.registerBeanDefinition("none", new RootBeanDefinition(String.class));
		ListenerAotProcessor processor = new ListenerAotProcessor();
		BeanRegistrationAotContribution contribution = processor.processAheadOfTime(RegisteredBean.of(factory, "late"));
		assertThat(contribution).isNotNull();
		RuntimeHints hints = new RuntimeHints();
		GenerationContext context = mock();
		given(context.getRuntimeHints()).willReturn(hints);
		contribution.applyTo(context, mock());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Late.class, "handle")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Order.class)).accepts(hints);
		contribution = processor.processAheadOfTime(RegisteredBean.of(factory, "several"));
		assertThat(contribution).isNotNull();
		contribution.applyTo(context, mock());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Several.class, "handle")).accepts(hints);
		assertThat(processor.processAheadOfTime(RegisteredBean.of(factory, "none"))).isNull();
	}

	record Order(int number) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Scopes {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@Bean
		static CustomScopeConfigurer scopes() {
			CustomScopeConfigurer scopes = new CustomScopeConfigurer();
			scopes.addScope("thread", new SimpleThreadScope());
			return scopes;
		}

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Scoped scoped() {
			return new Scoped(this.orders);
		}

	}

	static class Scoped {

		private final BlockingQueue<Order> orders;

		Scoped(BlockingQueue<Order> orders) {
			this.orders = orders;
		}

		@AffinityListener(topic = "orders", model = TopicModel.STREAM)
		void handle(Order order) {
			this.orders.add(order);
		}

	}

	abstract static class GenericListener<T> {

		final BlockingQueue<Object> payloads = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM)
		void handle(T payload) {
			this.payloads.add(payload);
		}

		@AffinityListener(topic = "whole", model = TopicModel.STREAM)
		void whole(Message<T> message) {
			this.payloads.add(List.of(message.payload()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ManyOrders {

		final BlockingQueue<Object> payloads = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM)
		void handle(List<Order> orders) {
			this.payloads.add(orders);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OrderListener extends GenericListener<Order> {

	}

	/** Knows nothing of numbers. */
	static final class Note {

		public String state = "untouched";

	}

	@Configuration(proxyBeanMethods = false)
	static class Changing {

		final List<String> seen = new CopyOnWriteArrayList<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxAttempts = 3, backOffMillis = 1,
				deadLetter = "orders.dead")
		void handle(Note note) {
			this.seen.add(note.state);
			note.state = "changed";
			throw new IllegalStateException("never");
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@AffinityListener(topic = "", model = TopicModel.STREAM)
	@interface Competing {

		@AliasFor(annotation = AffinityListener.class, attribute = "topic")
		String value();

	}

	@Configuration(proxyBeanMethods = false)
	static class Composed {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@Competing("orders")
		void handle(Order order) {
			this.orders.add(order);
		}

	}

	@Configuration(value = "several", proxyBeanMethods = false)
	static class Several {

		private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "${topic:orders}", model = TopicModel.STREAM)
		@AffinityListener(id = "returns", topic = "returned", model = TopicModel.STREAM)
		void handle(Message<Order> message) {
			this.seen.add(message.topic() + " " + message.payload());
		}

		@Competing("gifts")
		@AffinityListener(topic = "samples", model = TopicModel.STREAM)
		void composed(Message<Order> message) {
			this.seen.add(message.topic() + " " + message.payload());
		}

	}

	@Configuration(value = "twice", proxyBeanMethods = false)
	static class SameTopicTwice {

		@AffinityListener(topic = "orders")
		@AffinityListener(topic = "orders")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	static class Overridden {

		@AffinityListener(id = "overridden", topic = "orders")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Overriding extends Overridden {

		@Override
		@AffinityListener(id = "overriding", topic = "orders")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Part {

		@AffinityListener(topic = "orders")
		void handle(@Payload("number") int number) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Concurrent {

		@AffinityListener(topic = "orders", concurrency = 2)
		void handle(Order order) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reactive {

		private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxAttempts = 2, backOffMillis = 1,
				errorHandler = "complain")
		Mono<Void> handle(Order order) {
			return Mono.delay(Duration.ofMillis(1)).then(Mono.fromRunnable(() -> {
				this.ended.add(String.valueOf(order.number()));
				if (order.number() == 2) {
					throw new IllegalStateException("no money");
				}
			}));
		}

		@Bean
		TopicErrorHandler complain() {
			return (message, cause) -> this.ended
				.add(((Order) message.payload()).number() + " is left: " + cause.getMessage());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Converting {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@Bean
		Converter<String, Order> numbers() {
			return new Converter<>() {

				@Override
				public Order convert(String text) {
					return new Order(Integer.parseInt(text.substring("no. ".length())));
				}

			};
		}

		@AffinityListener(topic = "orders", model = TopicModel.STREAM)
		void handle(Order order, @Header("next") Order next) {
			this.orders.add(next);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SharingJson {

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, deadLetter = "dead")
		void order(Order order) {
			throw new IllegalStateException("never");
		}

		@AffinityListener(topic = "notes", model = TopicModel.STREAM, deadLetter = "dead")
		void note(Note note) {
			throw new IllegalStateException("never");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SharingText {

		@AffinityListener(topic = "texts", model = TopicModel.STREAM, deadLetter = "dead")
		void text(String text) {
			throw new IllegalStateException("never");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Validating {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@Bean
		Validator validator() {
			return Validator.forInstanceOf(Order.class, (order, errors) -> {
				if (order.number() < 0) {
					errors.reject("negative");
				}
			});
		}

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, deadLetter = "orders.dead")
		void handle(@Validated Order order) {
			this.orders.add(order);
		}

	}

	static class Plain {

		String handle(Order order, Message<Order> message, @Nullable Acknowledgement acknowledgement) {
			if (acknowledgement == null) {
				throw new IllegalStateException("no acknowledgement");
			}
			return order + " " + message.sequence();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Arguments {

		private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders")
		void annotated(@Payload Order order, @Header("origin") String origin,
				@Header(name = "none", required = false) @Nullable String none, @Headers Map<String, Object> headers,
				@Header(TopicHeaders.SEQUENCE) long sequence) {
			this.seen.add(order + " " + origin + " " + none + " " + headers.get(TopicHeaders.TOPIC) + " " + sequence);
		}

		@AffinityListener(topic = "orders")
		void whole(org.springframework.messaging.Message<Order> message) {
			this.seen.add(message.getPayload() + " " + message.getHeaders().get("origin") + " "
					+ message.getHeaders().get(TopicHeaders.REDELIVERED));
		}

		@AffinityListener(topic = "orders")
		void both(Message<Order> message, MessageHeaders headers) {
			this.seen.add(message.payload() + " " + headers.get("origin") + " " + message.topic());
		}

	}

	@Configuration(value = "manual", proxyBeanMethods = false)
	static class Manual {

		private final BlockingQueue<Acknowledgement> acknowledgements = new LinkedBlockingQueue<>();

		private final BlockingQueue<Integer> numbers = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxAttempts = 5, backOffMillis = 1)
		void handle(Order order, Acknowledgement acknowledgement) {
			this.numbers.add(order.number());
			this.acknowledgements.add(acknowledgement);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Stages {

		private final BlockingQueue<CompletableFuture<Void>> stages = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxAttempts = 2, backOffMillis = 1)
		CompletableFuture<Void> handle(Order order) {
			CompletableFuture<Void> stage = new CompletableFuture<>();
			this.stages.add(stage);
			return stage;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Failing {

		private final BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();

		private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, name = "billing", maxAttempts = 3,
				backOffMillis = 1, errorHandler = "handler", deadLetter = "${dead:orders.dead}")
		void handle(Order order) {
			this.attempts.add(order.number());
			throw new IllegalStateException("never");
		}

		@Bean
		TopicErrorHandler handler() {
			return (message, cause) -> {
				if (message.payload() instanceof byte[] bytes && new String(bytes, UTF_8).contains("handled")) {
					this.handled.add(new String(bytes, UTF_8) + " " + cause);
					return;
				}
				if (!message.payload().equals(new Order(1))) {
					throw new IllegalArgumentException("not mine either", cause);
				}
				this.handled.add(message.payload() + " " + cause);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

		@AffinityListener(id = "late", topic = "orders", model = TopicModel.STREAM, autoStartup = "${late.start}")
		void handle(Order order) {
			this.orders.add(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SameId {

		@AffinityListener(id = "late", topic = "orders")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoHandler {

		@AffinityListener(topic = "orders", errorHandler = "nobody")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Circle {

		@AffinityListener(topic = "orders", deadLetter = "orders")
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnlyHeaders {

		@AffinityListener(topic = "orders")
		void handle(@Headers Map<String, Object> headers) {
			throw new AssertionError(headers);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Answers {

		@AffinityListener(topic = "orders")
		String handle(Order order) {
			throw new AssertionError(order);
		}

	}

}
