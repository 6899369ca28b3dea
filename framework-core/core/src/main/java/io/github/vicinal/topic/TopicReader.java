package io.github.vicinal.topic;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A subscriber that takes its messages itself, one after the other. A message is handled
 * when the reader is asked for the next one, or by {@link #acknowledge()}. Until then its
 * room is not free, and nothing further is fetched. For one thread at a time; only
 * {@link #close()} may be called by any thread.
 *
 * <pre class="code">
 * try (TopicReader&lt;Order&gt; reader = topics.reader(orders, "billing")) {
 *     for (Message&lt;Order&gt; message = reader.take(); message != null; message = reader.take()) {
 *         bill(message.payload());
 *     }
 * }
 * </pre>
 *
 * Each message is handed from one thread to another. {@link Topics#subscribe} spares that
 * and is faster.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public interface TopicReader<T> extends AutoCloseable {

	/**
	 * Waits for the next message. The message before it is handled.
	 * @return the message, {@code null} if the reader is closed
	 * @throws InterruptedException if the calling thread is interrupted; no message is
	 * lost
	 */
	@Nullable Message<T> take() throws InterruptedException;

	/**
	 * Waits for the next message for a limited time. The message before it is handled.
	 * @param patience maximum time to wait; zero to look only
	 * @return the message, {@code null} if there is none or the reader is closed
	 * @throws InterruptedException if the calling thread is interrupted; no message is
	 * lost
	 */
	@Nullable Message<T> poll(Duration patience) throws InterruptedException;

	/** Confirms that the message that was taken last is handled, if there is one. */
	void acknowledge();

	/**
	 * Returns whether the reader was closed, by itself or with its topics.
	 * @return whether it gets no more messages
	 */
	boolean isClosed();

	/**
	 * Returns what this reader has got so far.
	 * @return numbers of this moment
	 */
	SubscriptionReport report();

	/**
	 * Ends the subscription. In a stream a message that was taken and neither
	 * acknowledged nor followed by another one goes to another subscriber.
	 */
	@Override
	void close();

}
