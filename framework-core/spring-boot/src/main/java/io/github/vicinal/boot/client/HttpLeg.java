package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;

/**
 * One call of a channel on its way through an HTTP client. Used by one thread at a time.
 */
final class HttpLeg {

	private final Channel channel;

	private final Reply.@Nullable Failure replayed;

	private final @Nullable Watcher watcher;

	private @Nullable ReplicaTurn turn;

	private @Nullable String address;

	private @Nullable URI sent;

	private int status;

	private boolean comparable;

	private boolean redirected;

	private boolean elsewhere;

	/**
	 * Creates a leg for a request that is sent.
	 * @param channel the channel that the call belongs to
	 * @param watcher is told what the request shows of its client
	 */
	HttpLeg(Channel channel, Watcher watcher) {
		this(channel, null, watcher);
	}

	/**
	 * Creates a leg for a request that is not sent.
	 * @param channel the channel that the call belongs to
	 * @param replayed the failure that the HTTP client is to see instead
	 */
	HttpLeg(Channel channel, Reply.Failure replayed) {
		this(channel, replayed, null);
	}

	private HttpLeg(Channel channel, Reply.@Nullable Failure replayed, @Nullable Watcher watcher) {
		this.channel = channel;
		this.replayed = replayed;
		this.watcher = watcher;
	}

	/** Learns from the request of a call. */
	interface Watcher {

		/** Returns whether the first of these is still missing. */
		boolean inspects();

		void inspect(boolean ofWebClient, @Nullable Duration readTimeout, Collection<String> interceptors);

		void sending(HttpHeaders headers);

	}

	boolean inspects() {
		return this.watcher != null && this.watcher.inspects();
	}

	void inspect(boolean ofWebClient, @Nullable Duration readTimeout, Collection<String> interceptors) {
		if (this.watcher != null) {
			this.watcher.inspect(ofWebClient, readTimeout, interceptors);
		}
	}

	Reply.@Nullable Failure replayed() {
		return this.replayed;
	}

	/** Says which replica the call goes to. */
	HttpLeg to(@Nullable ReplicaTurn chosen) {
		this.turn = chosen;
		return this;
	}

	@Nullable ReplicaTurn turn() {
		return this.turn;
	}

	/** Returns where a request goes, which the client may not know. */
	URI target(URI asked) {
		return (this.turn != null) ? this.turn.target(asked) : asked;
	}

	Channel channel() {
		return this.channel;
	}

	String contractName() {
		return this.channel.contract().name();
	}

	/** Returns the address that the request went to, once it is known. */
	@Nullable String address() {
		return this.address;
	}

	/** Returns the status of the answer, 0 if there was none. */
	int status() {
		return this.status;
	}

	/** Says that the call could have taken another path as well. */
	HttpLeg comparable(boolean couldHave) {
		this.comparable = couldHave;
		return this;
	}

	boolean comparable() {
		return this.comparable && !this.redirected;
	}

	/** Says that the call goes to a host that it names itself. */
	HttpLeg elsewhere(boolean goesElsewhere) {
		this.elsewhere = goesElsewhere;
		return this;
	}

	boolean elsewhere() {
		return this.elsewhere;
	}

	/**
	 * Notes that the client followed a redirect: what it gets is another server's, and
	 * says nothing of the one that was asked.
	 */
	void redirected() {
		this.redirected = true;
		if (this.turn != null) {
			this.turn.redirected();
		}
	}

	/**
	 * Notes a failure in an HTTP client that follows redirects without telling.
	 * @param connected whether a part of the request was sent
	 */
	void failed(boolean connected) {
		if (this.turn != null) {
			this.turn.failed(connected);
		}
	}

	void sending(URI uri, HttpHeaders headers) {
		boolean first = this.sent == null;
		this.sent = uri;
		this.redirected = false;
		this.address = address(target(uri));
		if (first && this.watcher != null) {
			this.watcher.sending(headers);
		}
	}

	/** Returns the URI of the request, once it is sent. */
	@Nullable URI sent() {
		return this.sent;
	}

	void answered(URI uri, int answer, HttpHeaders headers) {
		this.status = answer;
		if (this.redirected || this.elsewhere) {
			return;
		}
		if (this.turn != null) {
			this.turn.answered(answer, headers.containsHeader(HttpHeaders.RETRY_AFTER));
		}
		String announcement = headers.getFirst(PeerAnnouncement.HEADER);
		String peer = address(target(uri));
		this.address = peer;
		if (announcement == null) {
			this.channel.silent(peer);
			return;
		}
		try {
			this.channel.announced(peer, PeerAnnouncement.parse(announcement));
		}
		catch (MalformedAnnouncementException ex) {
			this.channel.ignored(peer, String.valueOf(ex.getMessage()));
		}
	}

	static String address(URI uri) {
		int port = uri.getPort();
		if (port < 0) {
			port = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
		}
		return uri.getHost() + ":" + port;
	}

}
