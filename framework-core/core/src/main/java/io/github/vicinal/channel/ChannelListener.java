package io.github.vicinal.channel;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

/**
 * Notified of the path that each call of a channel takes. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ChannelListener {

	/**
	 * Notifies that a call takes a path. For HTTP this happens when the request is about
	 * to be sent. It may still become an HTTP exchange and travel over another path:
	 * exchanges are not notified of, and are counted by the meter
	 * {@code vicinal.http.exchanges}. For any other path it happens when the path has
	 * carried the call, with any outcome, on the thread that made the call. A path that
	 * could not carry the call is left out in favour of the one that the call goes on to.
	 * So is a call that an interceptor ends by an exception of its own.
	 * @param channel the channel
	 * @param method the method that is called
	 * @param path the path that the call takes; HTTP for all calls that no typed path
	 * carries
	 * @param reason why no typed path carries the call, or {@code null} if one does
	 */
	void calling(Channel channel, ContractMethod method, PathKind path, @Nullable String reason);

}
