package io.github.vicinal.boot.topic;

import java.util.List;

import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

/** Calls the method of a listener. */
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

	/**
	 * Calls a method that takes batches.
	 * @param messages the messages, at least one
	 * @param acknowledgement {@code null} if the method takes none
	 * @return what the method returned
	 * @throws Exception what the method has thrown, or why its arguments could not be
	 * resolved
	 */
	@Nullable Object invokeAll(List<Message<Object>> messages, @Nullable PendingAcknowledgement acknowledgement) throws Exception;

}
