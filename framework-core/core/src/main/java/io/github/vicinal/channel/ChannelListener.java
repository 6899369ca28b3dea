package io.github.vicinal.channel;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;

/**
 * Is told which path each call of a channel takes. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ChannelListener {

	/**
	 * A call takes a path: told of HTTP when its request is about to be sent, of any
	 * other path when it has carried the call, with whatever outcome, on the thread that
	 * made it. Of a path that could not carry the call nothing is told, but of the one
	 * that the call goes on to; nor of a call that an interceptor ends by an exception of
	 * its own.
	 * @param channel the channel
	 * @param method the method that is called
	 * @param path the path that the call takes
	 * @param reason why the call goes over HTTP, or {@code null} for a better path
	 */
	void calling(Channel channel, ContractMethod method, PathKind path, @Nullable String reason);

}
