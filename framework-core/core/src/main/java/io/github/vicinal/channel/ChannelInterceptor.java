package io.github.vicinal.channel;

import java.util.List;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;

/**
 * Sees every call of every channel that takes a typed path. Thread-safe.
 * <p>
 * HTTP calls pass the HTTP client's own interceptors instead.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ChannelInterceptor {

	/**
	 * Makes the call, and may add headers to the frame before or look at the reply after.
	 * @param channel the name of the channel
	 * @param frame the call
	 * @param next makes the call
	 * @return the reply
	 * @throws PathException if there is no answer
	 */
	Reply intercept(String channel, CallFrame frame, Next next) throws PathException;

	/**
	 * The rest of the way.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	interface Next {

		/**
		 * Makes the call.
		 * @param frame the call
		 * @return the reply
		 * @throws PathException if there is no answer
		 */
		Reply call(CallFrame frame) throws PathException;

	}

	/**
	 * Chains interceptors, the first outermost.
	 * @param channel the name of the channel
	 * @param interceptors the interceptors
	 * @param last makes the call
	 * @return a chain, or {@code last} itself if there are no interceptors
	 */
	static Next chain(String channel, List<ChannelInterceptor> interceptors, Next last) {
		Next chain = last;
		for (int i = interceptors.size() - 1; i >= 0; i--) {
			ChannelInterceptor interceptor = interceptors.get(i);
			Next next = chain;
			chain = (frame) -> interceptor.intercept(channel, frame, next);
		}
		return chain;
	}

}
