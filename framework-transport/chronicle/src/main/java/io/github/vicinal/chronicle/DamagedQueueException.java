package io.github.vicinal.chronicle;

import io.github.vicinal.topic.TopicException;

/**
 * The files of a durable topic are not what a publisher has written.
 *
 * @since 0.1.0
 */
public final class DamagedQueueException extends TopicException {

	private static final long serialVersionUID = 1L;

	DamagedQueueException(String reason) {
		super(reason);
	}

	DamagedQueueException(String reason, Throwable cause) {
		super(reason, cause);
	}

}
