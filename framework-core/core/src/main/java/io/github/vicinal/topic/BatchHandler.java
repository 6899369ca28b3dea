package io.github.vicinal.topic;

import java.util.List;

/**
 * Handles the messages of a subscriber in batches. A subscriber whose
 * {@link SubscriberSettings#maxBatch() maximum} is one gets lists of one message.
 *
 * <pre class="code">
 * BatchHandler&lt;Order&gt; billing = (messages) -&gt; bill(messages);
 * topics.subscribe(orders, SubscriberSettings.of("billing").withMaxBatch(100), billing);
 * </pre>
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
@FunctionalInterface
public interface BatchHandler<T> extends MessageHandler<T> {

	@Override
	void handleAll(List<Message<T>> messages) throws Exception;

	@Override
	default void handle(Message<T> message) throws Exception {
		handleAll(List.of(message));
	}

}
