package io.github.vicinal.transport.testing.topic;

import java.util.List;
import java.util.concurrent.Flow;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;

/** Ways to subscribe without Spring. */
public enum CoreForm implements SubscriberForm {

	/** A {@link MessageHandler}. */
	HANDLER {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			return topics.subscribe(settings,
					new SubscriberSettings(name, 1, shape.maxAttempts(), Shape.backOff(), shape.maxBatch()), handler);
		}

		@Override
		public boolean supports(Shape shape) {
			return shape != Shape.DEAD_LETTERED;
		}

		@Override
		public boolean isObserved() {
			return true;
		}

	},

	/** A {@link TopicReader} that a thread asks for messages. */
	READER {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			TopicReader<byte[]> reader = topics.reader(settings, name, shape.maxBatch());
			Thread thread = new Thread(() -> read(reader, handler), "kit-reader");
			thread.setDaemon(true);
			thread.start();
			return reader;
		}

		@Override
		public boolean supports(Shape shape) {
			return shape == Shape.SINGLE || shape == Shape.BATCHED;
		}

	},

	/** A {@link Flow.Publisher} whose subscriber asks for one message at a time. */
	FLOW {

		@Override
		public AutoCloseable subscribe(Topics topics, TopicSettings<byte[]> settings, String name, Shape shape,
				MessageHandler<byte[]> handler) {
			FlowSubscriber subscriber = new FlowSubscriber(handler);
			topics.flow(settings, name).subscribe(subscriber);
			return subscriber;
		}

		@Override
		public boolean supports(Shape shape) {
			return shape == Shape.SINGLE;
		}

	};

	@Override
	public boolean isObserved() {
		return false;
	}

	private static void read(TopicReader<byte[]> reader, MessageHandler<byte[]> handler) {
		try {
			List<Message<byte[]>> messages = reader.takeAll();
			while (!messages.isEmpty()) {
				handler.handleAll(messages);
				messages = reader.takeAll();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class FlowSubscriber implements Flow.Subscriber<Message<byte[]>>, AutoCloseable {

		private final MessageHandler<byte[]> handler;

		private volatile Flow.Subscription subscription;

		@SuppressWarnings("NullAway") // Flows call onSubscribe first.
		FlowSubscriber(MessageHandler<byte[]> handler) {
			this.handler = handler;
		}

		@Override
		public void onSubscribe(Flow.Subscription subscription) {
			this.subscription = subscription;
			subscription.request(1);
		}

		@Override
		public void onNext(Message<byte[]> message) {
			try {
				this.handler.handle(message);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			this.subscription.request(1);
		}

		@Override
		public void onError(Throwable cause) {
			throw new IllegalStateException(cause);
		}

		@Override
		public void onComplete() {
			// Closed with the topics.
		}

		@Override
		public void close() {
			this.subscription.cancel();
		}

	}

}
