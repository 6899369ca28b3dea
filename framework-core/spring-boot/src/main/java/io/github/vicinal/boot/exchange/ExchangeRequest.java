package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.client.PlainRequests;
import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.client.Redirects;
import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.AbstractStreamingClientHttpRequest;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;

/** A request that becomes an exchange if there is a path when it is executed. */
final class ExchangeRequest extends AbstractStreamingClientHttpRequest {

	private final Exchanges exchanges;

	private final PlainRequests.Factory factory;

	private final URI uri;

	private final HttpMethod method;

	ExchangeRequest(Exchanges exchanges, PlainRequests.Factory factory, URI uri, HttpMethod method) {
		this.exchanges = exchanges;
		this.factory = factory;
		this.uri = uri;
		this.method = method;
	}

	@Override
	public HttpMethod getMethod() {
		return this.method;
	}

	@Override
	public URI getURI() {
		return this.uri;
	}

	@Override
	protected ClientHttpResponse executeInternal(HttpHeaders headers, StreamingHttpOutputMessage.@Nullable Body body)
			throws IOException {
		ExchangeClient client = headers.containsHeader(PeerAnnouncement.REQUEST_HEADER) ? null
				: this.exchanges.client();
		if (client == null) {
			return request(this.factory.delegate(), this.uri, this.method, headers, body).execute();
		}
		String address = this.uri.getHost() + ":" + ExchangeRequests.port(this.uri);
		ExchangeClient.Route route = (decidesItself(headers, body != null)
				|| this.factory.additions().of(this.uri) != null) ? null
						: client.route(address, Exchanges.isIdempotent(this.method.name()), this.factory.library());
		if (route != null) {
			ClientHttpResponse response = exchange(route, headers, body);
			if (response != null) {
				return response;
			}
		}
		return overHttp(client, address, headers, body);
	}

	/**
	 * Returns whether the library would change the request: it encodes the URI and writes
	 * the fields of the connection itself.
	 */
	private boolean decidesItself(HttpHeaders headers, boolean body) {
		if (this.factory.additions().isUrlConnection() && UrlConnectionFields.areDecided(this.method, headers, body)) {
			return true;
		}
		if (this.factory.additions().isNetty() && NettyFields.areDecided(this.method, headers, body)) {
			return true;
		}
		if (this.factory.additions().isJetty() && JettyFields.areDecided(this.uri, headers)) {
			return true;
		}
		return OfLibraries.rewrites(this.uri) || OfLibraries.FIELDS.stream().anyMatch(headers::containsHeader)
				|| (!body && headers.containsHeader(HttpHeaders.CONTENT_LENGTH)
						&& !"0".equals(headers.getFirst(HttpHeaders.CONTENT_LENGTH)));
	}

	private ClientHttpResponse overHttp(ExchangeClient client, String address, HttpHeaders headers,
			StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
		Peer peer = this.exchanges.peer(client, address, () -> this.factory.additions().of(this.uri) == null);
		HttpAttempt attempt = new HttpAttempt(this.exchanges, client, peer, this.method.name(), this.factory.library());
		ClientHttpRequest request = request(this.factory.delegate(), this.uri, this.method, headers, body);
		Set<String> names = new LinkedHashSet<>(request.getHeaders().headerNames());
		if (this.factory.additions().isUrlConnection() && UrlConnectionFields.replacesAccept(this.method, headers)) {
			names.add(HttpHeaders.ACCEPT);
		}
		RequestSize size = RequestSize.of(this.uri, request.getHeaders());
		attempt.ask(this.factory.additions().withCookies(size, this.uri), names, request.getHeaders()::set);
		ClientHttpResponse response = null;
		try {
			response = request.execute();
			int status = response.getStatusCode().value();
			attempt.answered(status, response.getHeaders().getFirst(PeerAnnouncement.HEADER),
					!this.factory.redirectsSilently() || !Redirects.mayBeBehind(response, request.getURI()));
			return response;
		}
		finally {
			if (response == null) {
				attempt.failed();
			}
		}
	}

	private ClientHttpRequest request(ClientHttpRequestFactory delegate, URI target, HttpMethod asked,
			HttpHeaders headers, StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
		ClientHttpRequest request = delegate.createRequest(target, asked);
		request.getHeaders().putAll(headers);
		request.getAttributes().putAll(getAttributes());
		if (body != null && request instanceof StreamingHttpOutputMessage streaming) {
			streaming.setBody(body);
		}
		else if (body != null) {
			body.writeTo(request.getBody());
		}
		return request;
	}

	private @Nullable ClientHttpResponse exchange(ExchangeClient.Route route, HttpHeaders headers,
			StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
		ExchangeResponse response;
		try {
			response = response(route, head(headers, body != null), body);
		}
		catch (SocketTimeoutException | SocketException ex) {
			throw LibraryFailures.of(ex, this.factory.additions());
		}
		return (response != null) ? redirected(response, headers, body) : null;
	}

	private @Nullable ExchangeResponse response(ExchangeClient.Route route, RequestHead head,
			StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
		long timeout = timeoutNanos();
		Long deadline = (this.factory.additions().limitsWholeRequests() && timeout != ClientExchange.NO_TIMEOUT)
				? System.nanoTime() + timeout : null;
		ClientExchange exchange = head.fits() ? this.exchanges.make(route, head,
				(body != null) ? new WrittenBody(body) : null, timeout, Repetition.OF_SAFE) : null;
		if (exchange == null) {
			return null;
		}
		ExchangeResponse response = null;
		try {
			response = new ExchangeResponse(exchange, this.method, this.factory.additions(), deadline);
			return response;
		}
		finally {
			if (response == null) {
				exchange.close();
			}
		}
	}

	private RequestHead head(HttpHeaders headers, boolean body) {
		HttpFields.Builder fields = HttpFields.builder();
		boolean urlConnection = this.factory.additions().isUrlConnection();
		boolean netty = this.factory.additions().isNetty();
		boolean jetty = this.factory.additions().isJetty();
		if (urlConnection) {
			UrlConnectionFields.add(this.method, headers, fields);
		}
		else if (netty) {
			NettyFields.add(this.method, headers, body, fields);
		}
		else if (jetty) {
			JettyFields.add(this.method, headers, body, fields);
		}
		else {
			headers.forEach((name, values) -> {
				if (name.equalsIgnoreCase(HttpHeaders.COOKIE)) {
					fields.add(name, String.join("; ", values));
				}
				else if (body || !name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
					// The JDK's client decides itself which empty bodies it announces.
					values.forEach((value) -> fields.add(name, (value != null) ? value : ""));
				}
			});
		}
		if (!headers.containsHeader(HttpHeaders.HOST)) {
			fields.add(netty ? "host" : HttpHeaders.HOST, OfLibraries.host(this.uri, netty));
		}
		if (!urlConnection && !netty && !jetty) {
			if (body && !headers.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
				// As the JDK's client spells it.
				fields.add("Transfer-encoding", "chunked");
			}
			else if (!body && (this.factory.additions().saysEmpty()
					|| !(this.method.equals(HttpMethod.GET) || this.method.equals(HttpMethod.DELETE)))) {
				fields.add(HttpHeaders.CONTENT_LENGTH, "0");
			}
		}
		String path = this.uri.getRawPath();
		String target = (path == null || path.isEmpty()) ? "/" : path;
		String query = this.uri.getRawQuery();
		return new RequestHead(this.method.name(), (query != null) ? target + "?" + query : target, fields.build());
	}

	private long timeoutNanos() {
		Duration timeout = this.factory.additions().responseTimeout(this.factory.readTimeout());
		return (timeout != null && !timeout.isZero()) ? timeout.toNanos() : ClientExchange.NO_TIMEOUT;
	}

	/** The response, or what a redirect leads to, as the library would follow it. */
	private ClientHttpResponse redirected(ExchangeResponse response, HttpHeaders headers,
			StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
		HttpHeaders answered = response.getHeaders();
		this.factory.additions().keepCookies(this.uri, answered.getOrEmpty(HttpHeaders.SET_COOKIE));
		RedirectRules rules = this.factory.redirects();
		int status = response.getStatusCode().value();
		String location = answered.getFirst(HttpHeaders.LOCATION);
		if (rules != null && location == null && rules.requiresLocation(status)) {
			response.close();
			throw LibraryFailures.noLocation(this.factory.additions());
		}
		if (rules == null || location == null || status < 300 || status >= 400) {
			return response;
		}
		RedirectRules.Hop hop = rules.after(this.method, this.uri,
				new Reply.Failure(status, Map.of(HttpHeaders.LOCATION, List.of(location)), new byte[0], ""));
		HttpHeaders kept = new HttpHeaders();
		kept.putAll(headers);
		if (hop == null || (hop.keepsBody() && body != null && !rules.repeatsBodies())
				|| !rules.mayLeave(this.uri, hop, kept)) {
			return response;
		}
		response.close();
		return new FollowedResponse(request(this.factory.delegate(), hop.uri(), hop.method(),
				hop.keepsHeaders() ? kept : HttpHeaders.EMPTY, hop.keepsBody() ? body : null)
			.execute());
	}

	/**
	 * The response of a redirect's target, which does not show that it is one: to its
	 * library the target is what was asked.
	 *
	 * @param response the response
	 */
	private record FollowedResponse(ClientHttpResponse response) implements ClientHttpResponse {

		@Override
		public HttpStatusCode getStatusCode() throws IOException {
			return this.response.getStatusCode();
		}

		@Override
		public String getStatusText() throws IOException {
			return this.response.getStatusText();
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.response.getHeaders();
		}

		@Override
		public InputStream getBody() throws IOException {
			return this.response.getBody();
		}

		@Override
		public void close() {
			this.response.close();
		}

	}

	/** A body as Spring writes it. */
	private record WrittenBody(StreamingHttpOutputMessage.Body body) implements OutgoingBody {

		@Override
		public void writeTo(OutputStream out) throws IOException {
			this.body.writeTo(out);
		}

		@Override
		public boolean isRepeatable() {
			return this.body.repeatable();
		}

	}

}
