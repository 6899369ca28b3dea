package io.github.vicinal.exchange;

import java.util.Map;

import io.github.vicinal.channel.CallOverHttp;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallPath;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of exchanges: which way the next one goes. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ExchangeClient {

	private static final ContractMethod BEGIN = HttpExchanges.Contracts.method("begin");

	private static final ContractMethod BEGIN_IDEMPOTENT = HttpExchanges.Contracts.method("beginIdempotent");

	private static final @Nullable Object[] NO_MESSAGE = { null };

	private final Channel channel;

	/**
	 * Creates a client.
	 * @param channel the channel of {@link HttpExchanges#contract()}, whose peers are all
	 * servers that the application calls
	 */
	public ExchangeClient(Channel channel) {
		this.channel = channel;
	}

	/**
	 * Returns the channel.
	 * @return the channel
	 */
	public Channel channel() {
		return this.channel;
	}

	/**
	 * Returns the path that the next exchange with a peer takes.
	 * @param address the peer's HTTP address, {@code host:port}
	 * @param idempotent whether the request may be repeated by the definition of its
	 * method
	 * @param library the name of the HTTP library whose request it is: the peer must have
	 * seen one of its requests over HTTP, since libraries add headers of their own
	 * @return the route, or {@code null} if the request goes over HTTP
	 */
	public @Nullable Route route(String address, boolean idempotent, String library) {
		Peer peer = this.channel.known(address);
		if (peer == null || !peer.hasPath()) {
			return null;
		}
		ContractMethod method = method(idempotent);
		if (peer.httpOnlyReason(method) != null) {
			return null;
		}
		Map<String, String> headers = peer.frameHeaders(library);
		if (headers == null) {
			return null;
		}
		CallPath path = peer.path(method, NO_MESSAGE);
		return (path != null) ? new Route(peer, path, method, headers) : null;
	}

	/**
	 * Notes that a request is sent over HTTP.
	 * @param peer the peer
	 * @param idempotent whether the request may be repeated
	 * @return the request, which must be ended
	 */
	public CallOverHttp overHttp(Peer peer, boolean idempotent) {
		return peer.callingOverHttp(method(idempotent), NO_MESSAGE, peer.hasPath());
	}

	static ContractMethod method(boolean idempotent) {
		return idempotent ? BEGIN_IDEMPOTENT : BEGIN;
	}

	/**
	 * The way of one exchange.
	 *
	 * @param peer the peer
	 * @param path an open path to it
	 * @param method the method of the contract that begins the exchange
	 * @param headers the headers of its calls; not to be changed
	 * @since 0.1.0
	 */
	public record Route(Peer peer, CallPath path, ContractMethod method, Map<String, String> headers) {
	}

}
