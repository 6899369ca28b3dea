package io.github.vicinal.boot.topic;

import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

/** Calls the method of a listener. */
@FunctionalInterface
interface ListenerInvoker {

	/**
	 * Calls the method.
	 * @param message the message
	 * @param acknowledgement {@code null} if the method takes none
	 * @return what the method returned
	 * @throws Exception what the method has thrown, or why its arguments could not be
	 * resolved
	 */
	@Nullable Object invoke(Message<Object> message, @Nullable PendingAcknowledgement acknowledgement) throws Exception;

}
