package io.github.vicinal.topic;

import java.time.Instant;

/**
 * Place in a durable topic at which a subscriber begins.
 *
 * @since 0.1.0
 */
public sealed interface ReplayFrom {

	/**
	 * Returns the oldest message that is still there.
	 * @return the start
	 */
	static ReplayFrom start() {
		return new Start();
	}

	/**
	 * Returns the end: only what is published from now on.
	 * @return the end
	 */
	static ReplayFrom end() {
		return new End();
	}

	/**
	 * Returns the first message that was published at a time or later.
	 * @param time the time
	 * @return the place
	 */
	static ReplayFrom time(Instant time) {
		return new Time(time);
	}

	/**
	 * Returns the message with an index, or the next one that is still there.
	 * @param index the {@link Message#sequence() sequence} of a message
	 * @return the place
	 */
	static ReplayFrom index(long index) {
		return new Index(index);
	}

	/**
	 * The oldest message.
	 *
	 * @since 0.1.0
	 */
	record Start() implements ReplayFrom {
	}

	/**
	 * Behind the newest message.
	 *
	 * @since 0.1.0
	 */
	record End() implements ReplayFrom {
	}

	/**
	 * The first message from a time on.
	 *
	 * @param time the time
	 * @since 0.1.0
	 */
	record Time(Instant time) implements ReplayFrom {
	}

	/**
	 * A message.
	 *
	 * @param index its index
	 * @since 0.1.0
	 */
	record Index(long index) implements ReplayFrom {
	}

}
