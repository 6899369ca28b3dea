package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Learns from the HTTP requests of one channel what its calls over other paths have to
 * know of the client. Thread-safe.
 */
final class RequestInspector {

	private static final String UNSEEN = "the Feign client shows neither its requests nor its responses; it does with "
			+ "feign.Client.Default";

	private final Channel channel;

	private final ClientTraits traits;

	private final KnownAdditions additions;

	/** The name by which the client knows the service. */
	private final @Nullable String clientName;

	/** Learned from the first request that was sent; {@code null} until then. */
	private volatile @Nullable UriTemplates uris;

	RequestInspector(Channel channel, ClientTraits traits, KnownAdditions additions, @Nullable String clientName) {
		this.channel = channel;
		this.traits = traits;
		this.additions = additions;
		this.clientName = clientName;
	}

	/** Returns the templates of URIs, or {@code null} as long as no request was sent. */
	@Nullable UriTemplates uris() {
		return this.uris;
	}

	/** Returns whether no request has shown yet what does not change. */
	boolean inspects() {
		return !this.traits.inspected();
	}

	void inspect(boolean ofWebClient, @Nullable Duration readTimeout, Collection<String> interceptors) {
		this.traits.inspect(ofWebClient, readTimeout, interceptors);
	}

	/**
	 * Notes that the first request of a call is about to be sent.
	 * @param target where it goes
	 * @param headers its headers
	 */
	void sending(ClientCall call, URI target, HttpHeaders headers) {
		if (this.additions.get().proxied(target)) {
			this.traits.proxied(HttpAddress.of(target));
		}
		if (call.plan().method().httpOnlyReason() == null) {
			// Headers may come from a map otherwise, or from the annotation.
			Set<String> explained = call.plan().explainedHeaders(call.arguments());
			explained.addAll(this.additions.get().headers().keySet());
			this.traits.sending(headers, explained);
		}
		if (call.client().hasListeners()) {
			call.carried(PathKind.HTTP, call.client().routes().reasonForHttp(call));
		}
	}

	/**
	 * Notes that a call over HTTP has ended.
	 * @param sent the URI of its request, or {@code null} if the request was not seen
	 * @param seen whether it is known to which peer the request went
	 */
	void ended(ClientCall call, @Nullable URI sent, boolean seen) {
		if (sent != null && this.uris == null) {
			this.uris = UriTemplates.learn(sent, call.plan().path(), this.clientName);
		}
		if (seen) {
			return;
		}
		if (call.client().kind().isOfSpring()) {
			this.channel.unseenOverHttp();
		}
		else {
			String restriction = this.traits.restriction();
			this.channel.leftToHttp((restriction != null) ? restriction : UNSEEN);
		}
	}

}
