package io.github.vicinal.boot.client;

import io.github.vicinal.channel.CallOverHttp;
import io.github.vicinal.channel.Peer;
import org.jspecify.annotations.Nullable;

/**
 * The request of one call that is in flight over HTTP. Thread-safe: one thread may cancel
 * a reactive call while another one sends it.
 */
final class HttpInFlight {

	private @Nullable CallOverHttp current;

	private boolean ended;

	/**
	 * Notes that a request is sent; the one before it is no longer in flight.
	 * @param peer where it goes, or {@code null} if that is no peer of the channel
	 */
	synchronized void sending(@Nullable Peer peer, ClientCall call) {
		if (this.current != null) {
			this.current.repeated();
			this.current = null;
		}
		if (!this.ended && peer != null) {
			this.current = peer.callingOverHttp(call.plan().method(), call.arguments(), call.comparable());
		}
	}

	/**
	 * Ends the call: no request of it is in flight any more, nor ever will be.
	 * @param nanos time since the last request was sent
	 * @param status status of the response, 0 if there is none
	 * @param own whether the response is that of the peer
	 */
	synchronized void end(long nanos, int status, boolean own) {
		this.ended = true;
		if (this.current != null) {
			this.current.end(nanos, status, own);
			this.current = null;
		}
	}

}
