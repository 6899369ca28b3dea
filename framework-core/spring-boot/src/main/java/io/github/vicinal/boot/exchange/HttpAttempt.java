package io.github.vicinal.boot.exchange;

import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;

import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.channel.CallOverHttp;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes over HTTP to a server that may be asked: it asks for paths, and
 * learns from the response. Used by one thread at a time.
 */
final class HttpAttempt {

	private final Exchanges exchanges;

	private final Peer peer;

	private final String library;

	private final CallOverHttp call;

	private final long start = System.nanoTime();

	private final boolean confirms;

	/** Whether the request is too large to ask. */
	private boolean unasked;

	/**
	 * Begins an attempt.
	 * @param exchanges what the application's exchanges have in common
	 * @param client chooses paths
	 * @param peer the server
	 * @param method the method of the request
	 * @param library the name of the HTTP library that makes the request
	 */
	HttpAttempt(Exchanges exchanges, ExchangeClient client, Peer peer, String method, String library) {
		this.exchanges = exchanges;
		this.peer = peer;
		this.library = library;
		this.confirms = peer.confirms();
		this.call = client.overHttp(peer, Exchanges.isIdempotent(method));
	}

	/**
	 * Adds the headers that ask, unless the request would be too large with them.
	 * @param size the size of the request without them
	 * @param names the names of all other headers that the client knows of
	 * @param header sets a header
	 */
	void ask(RequestSize size, Iterable<String> names, BiConsumer<String, String> header) {
		this.unasked = !size.ask(new ContractInquiry(HttpExchanges.contract().name(), this.confirms, false).format(),
				String.join(",", names).toLowerCase(Locale.ROOT), header);
	}

	/**
	 * Learns from the response.
	 * @param status its status
	 * @param announcement what the server says of itself, or {@code null}
	 * @param own whether the response is that of the server that was asked, and not of
	 * one that a redirect led to
	 */
	void answered(int status, @Nullable String announcement, boolean own) {
		this.call.end(System.nanoTime() - this.start, status, own);
		if (!own) {
			return;
		}
		if (this.unasked) {
			this.peer.unasked(RequestSize.TOO_LARGE);
			return;
		}
		if (announcement == null) {
			if (status < 300) {
				this.peer.silent();
			}
			return;
		}
		try {
			PeerAnnouncement announced = PeerAnnouncement.parse(announcement);
			String problem = announced.paths().isEmpty() ? null
					: this.exchanges.detour(this.peer.address(), announced.arrival());
			this.peer.announced(
					(problem == null) ? announced
							: new PeerAnnouncement(announced.peer(), Set.of(), announced.contractHash(), problem),
					this.start, this.exchanges.rule(this.peer.address()), this.library);
		}
		catch (MalformedAnnouncementException ex) {
			this.peer.ignored(String.valueOf(ex.getMessage()));
		}
	}

	/** Notes that there was no response. */
	void failed() {
		this.call.end(System.nanoTime() - this.start, 0, false);
	}

}
