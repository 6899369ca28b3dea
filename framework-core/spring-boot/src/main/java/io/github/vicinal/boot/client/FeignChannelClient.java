package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import feign.Client;
import feign.Request;
import feign.RequestTemplate;
import feign.Response;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Asks peers for their paths, on requests that belong to a channel, in front of Feign's
 * own client; leaves all others untouched. It sees the address after load balancing,
 * which is the peer's own. Thread-safe.
 */
final class FeignChannelClient implements UrlConnectionClient {

	private final HttpLegs legs;

	/** Makes the requests. */
	private final Client delegate;

	private final PlainRequests plain;

	private final LibraryAdditions library = LibraryAdditions.ofUrlConnection();

	/**
	 * Creates the client.
	 * @param legs knows the calls of channels
	 * @param delegate makes the requests
	 * @param plain knows which paths requests may take instead of HTTP
	 */
	FeignChannelClient(HttpLegs legs, Client delegate, PlainRequests plain) {
		this.legs = legs;
		this.delegate = delegate;
		this.plain = plain;
	}

	@Override
	public Response execute(Request request, Request.Options options) throws IOException {
		HttpLeg leg = this.legs.current();
		URI uri = (leg != null && isOf(leg, request.requestTemplate())) ? uri(request) : null;
		if (leg == null || uri == null) {
			return this.delegate.execute(request, options);
		}
		if (leg.inspects()) {
			leg.inspect(false, timeout(options), List.of());
		}
		leg.fail();
		Reply.Failure replayed = leg.replay();
		if (replayed != null) {
			return followed(leg, FeignReplies.response(replayed, request, this.library), request, leg.target(uri),
					options);
		}
		return sent(leg, request, uri, options);
	}

	/** Returns whether a request is that of a call. */
	static boolean isOf(HttpLeg leg, @Nullable RequestTemplate template) {
		return template != null && template.methodMetadata() != null
				&& leg.owns(template.methodMetadata().method(), template.feignTarget());
	}

	static @Nullable URI uri(Request request) {
		try {
			return new URI(request.url());
		}
		catch (URISyntaxException ex) {
			return null;
		}
	}

	static @Nullable Duration timeout(Request.Options options) {
		return (options.readTimeout() > 0) ? Duration.ofMillis(options.readTimeoutMillis()) : null;
	}

	static HttpHeaders headers(Map<String, Collection<String>> fields) {
		HttpHeaders headers = new HttpHeaders();
		fields.forEach((name, values) -> headers.addAll(name, new ArrayList<>(values)));
		return headers;
	}

	private Response sent(HttpLeg leg, Request request, URI uri, Request.Options options) throws IOException {
		Map<String, Collection<String>> headers = new LinkedHashMap<>(request.headers());
		HttpHeaders shown = headers(headers);
		leg.sending(uri, shown);
		URI target = leg.target(uri);
		boolean asks = !leg.leavesToExchanges(this.plain::paths) && !leg.elsewhere();
		if (asks) {
			leg.ask(RequestSize.of(target, shown), HttpLeg.names(shown), false,
					(name, value) -> headers.put(name, List.of(value)));
		}
		Request asking = Request.create(request.httpMethod(), (target == uri) ? request.url() : target.toString(),
				headers, request.body(), request.charset(), request.requestTemplate());
		Response response;
		leg.executing(true);
		try {
			response = this.delegate.execute(asking, asks ? FeignRedirects.without(options) : options);
		}
		finally {
			leg.executing(false);
		}
		leg.answered(uri, response.status(), headers(response.headers()));
		Response own = response.toBuilder().request(request).build();
		return asks ? followed(leg, own, request, target, options) : own;
	}

	private Response followed(HttpLeg leg, Response response, Request request, URI target, Request.Options options)
			throws IOException {
		Response followed = FeignRedirects.followed(response, request, target, options, this.delegate);
		if (followed != response) {
			leg.followed(followed.status());
		}
		return followed;
	}

}
