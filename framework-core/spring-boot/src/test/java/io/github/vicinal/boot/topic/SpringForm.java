package io.github.vicinal.boot.topic;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.testing.topic.SubscriberForm;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;

import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Ways to subscribe with Spring. */
public enum SpringForm implements SubscriberForm {

	/** A method with {@link AffinityListener}. */
	LISTENER {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			return listen(topics, settings, name, listener(shape, settings.model(), handler), handler);
		}

		@Override
		public boolean supports(Shape shape) {
			return true;
		}

		@Override
		public boolean isObserved() {
			return true;
		}

	},

	/** A listener that acknowledges on another thread. */
	ACKNOWLEDGING {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			return listen(topics, settings, name, (settings.model() == TopicModel.STREAM)
					? new AcknowledgingStream(handler) : new AcknowledgingPubSub(handler), handler);
		}

		@Override
		public boolean supports(Shape shape) {
			return shape == Shape.SINGLE;
		}

		@Override
		public boolean isObserved() {
			return true;
		}

	},

	/** Reactor, which asks for all messages at once. */
	REACTOR {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			Disposable subscriber = JdkFlowAdapter.flowPublisherToFlux(topics.flow(settings, name))
				.subscribe((message) -> handle(handler, message));
			return subscriber::dispose;
		}

		@Override
		public boolean supports(Shape shape) {
			return shape == Shape.SINGLE;
		}

		@Override
		public boolean isObserved() {
			return false;
		}

	};

	private static final String TOPIC = "${kit.topic}";

	private static final String NAME = "${kit.name}";

	private static final String ERRORS = "kitErrors";

	private static void handle(MessageHandler<byte[]> handler, Message<byte[]> message) {
		try {
			handler.handle(message);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Object listener(Shape shape, TopicModel model, MessageHandler<byte[]> handler) {
		boolean stream = model == TopicModel.STREAM;
		return switch (shape) {
			case SINGLE -> stream ? new SingleStream(handler) : new SinglePubSub(handler);
			case RETRIED -> stream ? new RetriedStream(handler) : new RetriedPubSub(handler);
			case BATCHED, BATCHED_RETRIED -> stream ? new BatchStream(handler) : new BatchPubSub(handler);
			case DEAD_LETTERED -> stream ? new DeadStream(handler) : new DeadPubSub(handler);
		};
	}

	private static AutoCloseable listen(Topics topics, TopicSettings<byte[]> settings, String name, Object listener,
			MessageHandler<byte[]> handler) {
		GenericApplicationContext context = new GenericApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("kit", Map.of("kit.topic", settings.name(), "kit.name", name)));
		registerListener(context, listener);
		context.registerBean(ERRORS, TopicErrorHandler.class,
				() -> (message, cause) -> failed(handler, message, cause));
		AffinityListenerRegistry registry = new AffinityListenerRegistry();
		context.registerBean(AffinityListenerRegistry.class, () -> registry);
		Topics notifying = new NotifyingTopics(topics, handler);
		context.registerBean(TopicListeners.class, () -> new TopicListeners(context.getBeanFactory(),
				(topic) -> notifying, new Rooms(settings), registry));
		context.refresh();
		return context;
	}

	@SuppressWarnings("unchecked")
	private static <L> void registerListener(GenericApplicationContext context, L listener) {
		context.registerBean("kitListener", (Class<L>) listener.getClass(), () -> listener);
	}

	@SuppressWarnings("unchecked")
	private static void failed(MessageHandler<byte[]> handler, Message<?> message, Exception cause) {
		Message<byte[]> bytes = (Message<byte[]>) message;
		handler.failed(bytes, bytes.payload(), cause);
	}

	/** Only the topic itself has the room of the test. */
	private record Rooms(TopicSettings<byte[]> settings) implements TopicRooms {

		@Override
		public <T> TopicSettings<T> settings(String name, TopicModel model, Type type) {
			return name.equals(this.settings.name())
					? new TopicSettings<>(name, model, type, this.settings.capacityBytes(), this.settings.whenFull(),
							this.settings.patience())
					: new TopicSettings<>(name, model, type, TopicSettings.DEFAULT_CAPACITY_BYTES,
							this.settings.whenFull(), this.settings.patience());
		}

	}

	/** Notifies the handler of a test, too, when its subscription is closing. */
	private record NotifyingTopics(Topics all, MessageHandler<byte[]> notified) implements Topics {

		@Override
		public <T> Topic<T> topic(TopicSettings<T> settings) {
			return this.all.topic(settings);
		}

		@Override
		public <T> Subscription subscribe(TopicSettings<T> settings, SubscriberSettings subscriber,
				MessageHandler<T> handler) {
			MessageHandler<byte[]> also = this.notified;
			return this.all.subscribe(settings, subscriber, new MessageHandler<>() {

				@Override
				public void handle(Message<T> message) throws Exception {
					handler.handle(message);
				}

				@Override
				public void handleAll(List<Message<T>> messages) throws Exception {
					handler.handleAll(messages);
				}

				@Override
				public void failed(Message<T> message, byte[] published, Exception cause) {
					handler.failed(message, published, cause);
				}

				@Override
				public boolean needsPublished() {
					return handler.needsPublished();
				}

				@Override
				public void closing() {
					handler.closing();
					also.closing();
				}

			});
		}

		@Override
		public List<TopicReport> topics() {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<SubscriptionReport> subscriptions() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			// The environment closes them.
		}

	}

	/** A listener that passes messages on. */
	private abstract static class Listener {

		final MessageHandler<byte[]> handler;

		Listener(MessageHandler<byte[]> handler) {
			this.handler = Objects.requireNonNull(handler);
		}

		void acknowledge(Message<byte[]> message, Acknowledgement acknowledgement) {
			Thread thread = new Thread(() -> {
				try {
					this.handler.handle(message);
					acknowledgement.acknowledge();
				}
				catch (Exception ex) {
					acknowledgement.reject(ex);
				}
			}, "kit-acknowledging");
			thread.setDaemon(true);
			thread.start();
		}

	}

	private static final class SinglePubSub extends Listener {

		SinglePubSub(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, name = NAME)
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class SingleStream extends Listener {

		SingleStream(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, model = TopicModel.STREAM, name = NAME)
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class RetriedPubSub extends Listener {

		RetriedPubSub(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, name = NAME, maxAttempts = 3, backOffMillis = Shape.BACK_OFF_MILLIS,
				errorHandler = ERRORS)
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class RetriedStream extends Listener {

		RetriedStream(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, model = TopicModel.STREAM, name = NAME, maxAttempts = 3,
				backOffMillis = Shape.BACK_OFF_MILLIS, errorHandler = ERRORS)
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class BatchPubSub extends Listener {

		BatchPubSub(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, name = NAME, maxAttempts = 3, maxBatch = 8,
				backOffMillis = Shape.BACK_OFF_MILLIS, errorHandler = ERRORS)
		void on(List<Message<byte[]>> messages) throws Exception {
			this.handler.handleAll(messages);
		}

	}

	private static final class BatchStream extends Listener {

		BatchStream(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, model = TopicModel.STREAM, name = NAME, maxAttempts = 3, maxBatch = 8,
				backOffMillis = Shape.BACK_OFF_MILLIS, errorHandler = ERRORS)
		void on(List<Message<byte[]>> messages) throws Exception {
			this.handler.handleAll(messages);
		}

	}

	private static final class DeadPubSub extends Listener {

		DeadPubSub(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, name = NAME, maxAttempts = 2, deadLetter = TOPIC + ".dead")
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class DeadStream extends Listener {

		DeadStream(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, model = TopicModel.STREAM, name = NAME, maxAttempts = 2,
				deadLetter = TOPIC + ".dead")
		void on(Message<byte[]> message) throws Exception {
			this.handler.handle(message);
		}

	}

	private static final class AcknowledgingPubSub extends Listener {

		AcknowledgingPubSub(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, name = NAME)
		void on(Message<byte[]> message, Acknowledgement acknowledgement) {
			acknowledge(message, acknowledgement);
		}

	}

	private static final class AcknowledgingStream extends Listener {

		AcknowledgingStream(MessageHandler<byte[]> handler) {
			super(handler);
		}

		@AffinityListener(topic = TOPIC, model = TopicModel.STREAM, name = NAME)
		void on(Message<byte[]> message, Acknowledgement acknowledgement) {
			acknowledge(message, acknowledgement);
		}

	}

}
