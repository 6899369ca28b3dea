package io.github.vicinal.topic.observation;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.UnreadableMessageException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes what an application publishes and handles. Does nothing while the registry has
 * no handlers. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TopicObservations {

	private static final TopicPublishObservationConvention PUBLISH = new DefaultTopicPublishObservationConvention();

	private static final TopicProcessObservationConvention PROCESS = new DefaultTopicProcessObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable TopicPublishObservationConvention publish;

	private final @Nullable TopicProcessObservationConvention process;

	/**
	 * Creates the observations of an application.
	 * @param registry the registry
	 * @param publish names the observations of publishing, {@code null} for the default
	 * @param process names the observations of handling, {@code null} for the default
	 */
	public TopicObservations(ObservationRegistry registry, @Nullable TopicPublishObservationConvention publish,
			@Nullable TopicProcessObservationConvention process) {
		this.registry = registry;
		this.publish = publish;
		this.process = process;
	}

	/**
	 * Returns observations that do nothing.
	 * @return observations without a registry
	 */
	public static TopicObservations none() {
		return new TopicObservations(ObservationRegistry.NOOP, null, null);
	}

	/**
	 * Returns whether there is nothing to do now.
	 * @return whether the registry has no handlers
	 */
	public boolean isNoop() {
		return this.registry.isNoop();
	}

	/**
	 * Publishes a message under observation, on the caller's thread.
	 * @param settings the settings of the topic
	 * @param headers what the application publishes with the message
	 * @param publishing publishes the message with the headers that it is given: those of
	 * the application and those of the tracer
	 */
	public void publish(TopicSettings<?> settings, Map<String, String> headers,
			Consumer<Map<String, String>> publishing) {
		TopicPublishContext context = new TopicPublishContext(settings.name(), settings.model(), headers);
		TopicObservationDocumentation.PUBLISH.observation(this.publish, PUBLISH, () -> context, this.registry)
			.observe(() -> publishing.accept(Objects.requireNonNull(context.getCarrier())));
	}

	/**
	 * Returns a handler that observes each attempt to handle a message, and each attempt
	 * to handle a batch as one.
	 * @param subscriber name of the subscriber
	 * @param handler handles the messages
	 * @param <T> the type of the payload
	 * @return the handler, or one around it
	 */
	public <T> MessageHandler<T> observe(String subscriber, MessageHandler<T> handler) {
		return (this.registry == ObservationRegistry.NOOP || !handler.isObserved()) ? handler
				: new ObservedHandler<>(subscriber, handler);
	}

	private Observation process(TopicProcessContext context) {
		return TopicObservationDocumentation.PROCESS.observation(this.process, PROCESS, () -> context, this.registry);
	}

	private final class ObservedHandler<T> implements MessageHandler<T> {

		private final String subscriber;

		private final MessageHandler<T> handler;

		/**
		 * The last attempt of a thread at one message, if it has failed: the error
		 * handler belongs to it.
		 */
		private final ThreadLocal<Observation> lastFailure = new ThreadLocal<>();

		ObservedHandler(String subscriber, MessageHandler<T> handler) {
			this.subscriber = subscriber;
			this.handler = handler;
		}

		@Override
		public void handle(Message<T> message) throws Exception {
			if (isNoop()) {
				this.handler.handle(message);
				return;
			}
			Observation observation = process(new TopicProcessContext(message, this.subscriber));
			this.lastFailure.set(observation);
			observation.<Exception>observeChecked(() -> this.handler.handle(message));
			this.lastFailure.remove();
		}

		@Override
		public void handleAll(List<Message<T>> messages) throws Exception {
			this.lastFailure.remove();
			if (isNoop()) {
				this.handler.handleAll(messages);
				return;
			}
			Observation observation = process(new TopicProcessContext(messages, this.subscriber));
			if (messages.size() == 1) {
				this.lastFailure.set(observation);
			}
			observation.<Exception>observeChecked(() -> this.handler.handleAll(messages));
			this.lastFailure.remove();
		}

		@Override
		public void failed(Message<T> message, Exception cause) {
			afterFailure(message, cause, () -> this.handler.failed(message, cause));
		}

		@Override
		public void failed(Message<T> message, byte[] published, Exception cause) {
			afterFailure(message, cause, () -> this.handler.failed(message, published, cause));
		}

		/**
		 * The trace goes on in the error handler and in the dead letters. The attempt at
		 * a batch belongs to no trace of a message, so a message of it that is given up
		 * is observed by itself.
		 */
		private void afterFailure(Message<?> message, Exception cause, Runnable handling) {
			Observation attempt = this.lastFailure.get();
			this.lastFailure.remove();
			if (attempt != null) {
				attempt.scoped(handling);
			}
			else if (isNoop()) {
				handling.run();
			}
			else {
				observeFailure(message, cause, handling);
			}
		}

		private void observeFailure(Message<?> message, Exception cause, Runnable handling) {
			Observation observation = process(new TopicProcessContext(message, this.subscriber));
			observation.observe(() -> {
				observation.error(cause);
				handling.run();
			});
		}

		@Override
		public void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
			this.lastFailure.remove();
			if (isNoop()) {
				this.handler.unreadable(message, cause);
				return;
			}
			observeFailure(message, cause, () -> this.handler.unreadable(message, cause));
		}

		@Override
		public void closing() {
			this.handler.closing();
		}

		@Override
		public boolean needsPublished() {
			return this.handler.needsPublished();
		}

	}

}
