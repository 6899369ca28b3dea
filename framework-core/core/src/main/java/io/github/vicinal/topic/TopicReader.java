package io.github.vicinal.topic;

import java.time.Duration;
import java.util.List;

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
 * Each message, or each batch, is handed from one thread to another.
 * {@link Topics#subscribe} spares that and is faster. The messages of a batch are
 * confirmed when all of them are, or when the reader is closed: if its process is killed
 * before, all of them come again.
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

	/**
	 * Waits for messages, and takes all that are here: one, unless the reader was made
	 * with batches. The messages before them are handled.
	 * @return the messages; unmodifiable, empty if the reader is closed
	 * @throws InterruptedException if the calling thread is interrupted; no message is
	 * lost
	 */
	List<Message<T>> takeAll() throws InterruptedException;

	/**
	 * Waits for messages for a limited time, and takes all that are here: one, unless the
	 * reader was made with batches. The messages before them are handled.
	 * @param patience maximum time to wait; zero to look only
	 * @return the messages; unmodifiable, empty if there are none or the reader is closed
	 * @throws InterruptedException if the calling thread is interrupted; no message is
	 * lost
	 */
	List<Message<T>> pollAll(Duration patience) throws InterruptedException;

	/** Confirms that the messages that were taken last are handled, if there are any. */
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
	 * Ends the subscription. In a stream messages that were taken and neither
	 * acknowledged nor followed by others go to another subscriber.
	 */
	@Override
	void close();

}
