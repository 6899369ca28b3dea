package io.github.vicinal.channel;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.peer.PathKind;

/**
 * Is told which path each call of a channel is about to take. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ChannelListener {

	/**
	 * A call is about to be made; over HTTP, its request is about to be sent. A call that
	 * goes on to the next path is told again.
	 * @param channel the channel
	 * @param method the method that is called
	 * @param path the path that the call takes
	 * @param reason why the call goes over HTTP, or {@code null} for a better path
	 */
	void calling(Channel channel, ContractMethod method, PathKind path, @Nullable String reason);

}
