package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ResponseHead;
import io.github.vicinal.peer.PeerAnnouncement;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.cookie.Cookie;
import org.apache.hc.client5.http.cookie.CookieStore;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.StreamClosedException;
import org.apache.hc.core5.http.io.entity.BasicHttpEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.StreamUtils;

/**
 * Exchanges of Apache HttpClient 5: the last element of its chain before a connection is
 * taken, so that its cookies, redirects, retries, authentication and compression are as
 * ever. Thread-safe.
 */
final class ApacheExchanges implements ExecChainHandler {

	/** Name of the element in the client's chain. */
	static final String NAME = "VICINAL";

	private static final Logger logger = LoggerFactory.getLogger(ApacheExchanges.class);

	private static final String LIBRARY = "Apache HttpClient";

	private static final String ELEMENT = "org.apache.hc.client5.http.impl.classic.ExecChainElement";

	private static final String MAIN = ".MainClientExec";

	private final Exchanges exchanges;

	/** Time-out of requests that set none, or {@code null}. */
	private final @Nullable Duration readTimeout;

	/** Whether the client's servers are services of the application's own system. */
	private final boolean services;

	/** Builder of the client. */
	private final HttpClientBuilder builder;

	/** {@code null} before the first request, when the builder has been set up. */
	private volatile @Nullable Repetition repetition;

	/**
	 * The client's processing of each request and response; {@code null} before the first
	 * request, and if it cannot be found.
	 */
	private volatile @Nullable HttpProcessor processor;

	/** Whether the processing was looked for. */
	private volatile boolean inspected;

	ApacheExchanges(HttpClientBuilder builder, Exchanges exchanges, @Nullable Duration readTimeout, boolean services) {
		this.builder = builder;
		this.exchanges = exchanges;
		this.readTimeout = readTimeout;
		this.services = services;
	}

	private @Nullable HttpProcessor processor(ExecChain chain) {
		if (!this.inspected) {
			try {
				this.processor = inspected(chain);
			}
			catch (UnknownLayoutException ex) {
				logger.warn("Requests of Apache HttpClient go over HTTP: it cannot be inspected ({})", ex.getMessage());
			}
			this.inspected = true;
		}
		return this.processor;
	}

	private static @Nullable HttpProcessor inspected(ExecChain chain) throws UnknownLayoutException {
		for (Object element = Fields.firstNamed(chain, ELEMENT); element != null; element = Fields.get(element,
				"next")) {
			Object handler = Fields.required(element, "handler");
			if (handler.getClass().getName().endsWith(MAIN)) {
				return (HttpProcessor) Fields.required(handler, "httpProcessor");
			}
		}
		return null;
	}

	/** Returns whether a client makes exchanges. */
	static boolean areIn(Object client) {
		try {
			for (Object element = Fields.get(client, "execChain"); element != null; element = Fields.get(element,
					"next")) {
				if (Fields.required(element, "handler") instanceof ApacheExchanges) {
					return true;
				}
			}
			return false;
		}
		catch (UnknownLayoutException ex) {
			return false;
		}
	}

	private boolean mayAsk(HttpHost target) {
		return this.services ? this.exchanges.mayAskService(target.getSchemeName(), target.getHostName(), port(target))
				: this.exchanges.mayAsk(target.getSchemeName(), target.getHostName(), port(target));
	}

	@Override
	public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
			throws IOException, HttpException {
		HttpHost target = scope.route.getTargetHost();
		HttpProcessor known = processor(chain);
		if (known == null || scope.route.getProxyHost() != null
				|| request.containsHeader(PeerAnnouncement.REQUEST_HEADER) || !mayAsk(target)) {
			return chain.proceed(request, scope);
		}
		ExchangeClient client = this.exchanges.client();
		if (client == null) {
			return chain.proceed(request, scope);
		}
		String address = target.getHostName() + ":" + port(target);
		ExchangeClient.Route route = upgrades(request) ? null
				: client.route(address, Exchanges.isIdempotent(request.getMethod()), LIBRARY);
		if (route != null) {
			ClassicHttpResponse response = exchange(route, request, scope, known);
			if (response != null) {
				return response;
			}
		}
		return overHttp(client, this.exchanges.peer(client, address, () -> true), request, scope, chain);
	}

	private static int port(HttpHost host) {
		return (host.getPort() >= 0) ? host.getPort() : "https".equalsIgnoreCase(host.getSchemeName()) ? 443 : 80;
	}

	private static boolean upgrades(ClassicHttpRequest request) {
		Header upgrade = request.getFirstHeader(HttpHeaders.UPGRADE);
		return upgrade != null && Exchanges.leavesHttp(upgrade.getName(), upgrade.getValue());
	}

	private ClassicHttpResponse overHttp(ExchangeClient client, Peer peer, ClassicHttpRequest request,
			ExecChain.Scope scope, ExecChain chain) throws IOException, HttpException {
		HttpAttempt attempt = new HttpAttempt(this.exchanges, client, peer, request.getMethod(), LIBRARY);
		List<String> names = new ArrayList<>();
		RequestSize size = new RequestSize(0).with(request.getMethod(), request.getRequestUri());
		for (Header header : request.getHeaders()) {
			names.add(header.getName());
			size = size.with(header.getName(), header.getValue());
		}
		for (Cookie cookie : cookies(scope.clientContext)) {
			size = size.with(cookie.getName(), cookie.getValue());
		}
		names.addAll(ADDED);
		attempt.ask(size, names, request::setHeader);
		ClassicHttpResponse response = null;
		try {
			response = chain.proceed(request, scope);
			return response;
		}
		finally {
			request.removeHeaders(PeerAnnouncement.REQUEST_HEADER);
			request.removeHeaders(PeerAnnouncement.SENT_HEADERS_HEADER);
			if (response != null) {
				Header announcement = response.getFirstHeader(PeerAnnouncement.HEADER);
				attempt.answered(response.getCode(), (announcement != null) ? announcement.getValue() : null, true);
				response.removeHeaders(PeerAnnouncement.HEADER);
			}
			else {
				attempt.failed();
			}
		}
	}

	/** Returns the cookies that the client may add. */
	private static List<Cookie> cookies(HttpClientContext context) {
		CookieStore store = context.getCookieStore();
		return (store != null) ? store.getCookies() : List.of();
	}

	/** Headers that the client itself adds to requests, later than here. */
	private static final List<String> ADDED = List.of("cookie", "authorization");

	private @Nullable ClassicHttpResponse exchange(ExchangeClient.Route route, ClassicHttpRequest request,
			ExecChain.Scope scope, HttpProcessor known) throws IOException, HttpException {
		Header[] before = request.getHeaders();
		HttpClientContext context = scope.clientContext;
		context.setRoute(scope.route);
		context.setRequest(request);
		HttpEntity entity = request.getEntity();
		known.process(request, entity, context);
		RequestHead head = head(request, scope.route.getTargetHost());
		ClientExchange exchange = null;
		ClassicHttpResponse response = null;
		try {
			exchange = head.fits() ? this.exchanges.make(route, head, (entity != null) ? new EntityBody(entity) : null,
					timeout(context), repetition()) : null;
			if (exchange == null) {
				request.setHeaders(before);
				return null;
			}
			response = response(exchange, request);
			context.setResponse(response);
			known.process(response, response.getEntity(), context);
			return response;
		}
		finally {
			if (exchange != null && response == null) {
				exchange.close();
			}
		}
	}

	private Repetition repetition() {
		Repetition known = this.repetition;
		if (known == null) {
			known = repetition(this.builder);
			this.repetition = known;
		}
		return known;
	}

	/**
	 * Returns what is repeated without asking the client. By default it would do the
	 * same, a second later. If its application has told it what to repeat, it does that
	 * by itself.
	 * @param builder builder of the client
	 */
	static Repetition repetition(HttpClientBuilder builder) {
		try {
			boolean told = Fields.get(builder, "retryStrategy") != null
					|| Boolean.TRUE.equals(Fields.get(builder, "automaticRetriesDisabled"));
			return told ? Repetition.OF_SAFE : Repetition.OF_IDEMPOTENT;
		}
		catch (UnknownLayoutException ex) {
			return Repetition.OF_SAFE;
		}
	}

	private static RequestHead head(ClassicHttpRequest request, HttpHost target) {
		HttpFields.Builder fields = HttpFields.builder();
		boolean host = false;
		for (Header header : request.getHeaders()) {
			String value = header.getValue();
			fields.add(header.getName(), (value != null) ? value : "");
			host |= header.getName().equalsIgnoreCase(HttpHeaders.HOST);
		}
		if (!host) {
			fields.add(HttpHeaders.HOST, target.toHostString());
		}
		String path = request.getPath();
		return new RequestHead(request.getMethod(), (path == null || path.isEmpty()) ? "/" : path, fields.build());
	}

	private long timeout(HttpClientContext context) {
		Timeout asked = context.getRequestConfigOrDefault().getResponseTimeout();
		if (asked != null && asked.isEnabled()) {
			return asked.toDuration().toNanos();
		}
		Duration configured = this.readTimeout;
		return (configured != null && !configured.isZero()) ? configured.toNanos() : ClientExchange.NO_TIMEOUT;
	}

	private static ClassicHttpResponse response(ClientExchange exchange, ClassicHttpRequest request)
			throws IOException {
		ResponseHead head = exchange.response();
		int status = head.status();
		BasicClassicHttpResponse response = new BasicClassicHttpResponse(status, head.reason());
		response.setVersion(HttpVersion.HTTP_1_1);
		head.fields().forEach(response::addHeader);
		boolean entity = status >= 200 && status != 204 && status != 304 && !request.getMethod().equals("HEAD");
		if (!entity) {
			exchange.close();
			return response;
		}
		Header length = response.getFirstHeader(HttpHeaders.CONTENT_LENGTH);
		Header type = response.getFirstHeader(HttpHeaders.CONTENT_TYPE);
		Header encoding = response.getFirstHeader(HttpHeaders.CONTENT_ENCODING);
		InputStream body = new ApacheBody(exchange, length == null);
		response.setEntity(new BasicHttpEntity(body, (length != null) ? length(length.getValue()) : -1,
				(type != null) ? ContentType.parseLenient(type.getValue()) : null,
				(encoding != null) ? encoding.getValue() : null, length == null));
		return response;
	}

	/** A body that ends early as the client's own streams do. */
	private static final class ApacheBody extends ResponseBody {

		private final boolean chunked;

		private volatile boolean closed;

		ApacheBody(ClientExchange exchange, boolean chunked) {
			super(exchange);
			this.chunked = chunked;
		}

		@Override
		IOException cutOff(SocketException failure) {
			if (this.closed) {
				return new StreamClosedException();
			}
			ConnectionClosedException closed = new ConnectionClosedException(
					this.chunked ? "Premature end of chunk coded message body: closing chunk expected"
							: "Premature end of Content-Length delimited message body");
			closed.initCause(failure);
			return closed;
		}

		/** The client's own streams read what is left when they are closed. */
		@Override
		public void close() {
			try {
				StreamUtils.drain(this);
			}
			catch (IOException ex) {
				// Nobody wants to know what is missing.
			}
			finally {
				this.closed = true;
				super.close();
			}
		}

	}

	private static long length(String value) {
		try {
			return Long.parseLong(value);
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

	/** An entity as the client writes it. */
	private record EntityBody(HttpEntity entity) implements OutgoingBody {

		@Override
		public void writeTo(OutputStream out) throws IOException {
			this.entity.writeTo(out);
		}

		@Override
		public boolean isRepeatable() {
			return this.entity.isRepeatable();
		}

	}

}
