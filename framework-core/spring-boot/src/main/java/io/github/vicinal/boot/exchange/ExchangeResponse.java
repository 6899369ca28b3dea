package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Locale;

import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.boot.client.NettyFailures;
import io.github.vicinal.boot.client.Redirects;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ResponseHead;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.StreamUtils;

/** The response of an exchange, whose body comes as it is read. */
final class ExchangeResponse implements ClientHttpResponse, Redirects.OfAskedServer {

	private final ClientExchange exchange;

	private final int status;

	private final HttpHeaders headers;

	private final boolean empty;

	/** Whether the library has texts of its own for statuses. */
	private final boolean phrases;

	private final String reason;

	private final boolean jdk;

	private final boolean netty;

	private final @Nullable String encoding;

	private final boolean jetty;

	/** Time from which on nothing is read any more, or {@code null}. */
	private final @Nullable Long deadlineNanos;

	private @Nullable InputStream body;

	/**
	 * Waits for the head of a response.
	 * @param exchange the exchange
	 * @param method the method of its request
	 * @param library what the HTTP library would do to the response
	 * @param deadlineNanos the time from which on nothing is read any more, {@code null}
	 * if each read has a time-out of its own
	 */
	ExchangeResponse(ClientExchange exchange, HttpMethod method, LibraryAdditions library, @Nullable Long deadlineNanos)
			throws IOException {
		if (deadlineNanos != null) {
			exchange.readTimeout(deadlineNanos - System.nanoTime());
		}
		ResponseHead head = exchange.response();
		this.exchange = exchange;
		this.deadlineNanos = deadlineNanos;
		this.status = head.status();
		HttpHeaders received = new HttpHeaders();
		boolean ofJetty = library.isJetty();
		// The JDK's client has the names in lower case.
		head.fields()
			.forEach((name, value) -> received.add(library.hasPhrases() ? name.toLowerCase(Locale.ROOT) : name,
					ofJetty ? JettyFields.read(name, value) : value));
		this.empty = method.equals(HttpMethod.HEAD) || this.status < 200 || this.status == 204 || this.status == 304
				|| library.losesBody(method, this.status);
		this.phrases = library.hasPhrases();
		this.reason = head.reason();
		this.jdk = library.isJdk();
		this.netty = library.isNetty();
		this.jetty = ofJetty;
		if (this.netty && NettyFields.hasNoBody(method, this.status)) {
			received.remove(HttpHeaders.TRANSFER_ENCODING);
		}
		this.encoding = library.decodes() ? BodyDecoding.encoding(received) : null;
		// Spring lets them be changed with HttpURLConnection only.
		this.headers = library.isUrlConnection() ? received : HttpHeaders.readOnlyHttpHeaders(received);
		if (this.encoding != null) {
			received.remove(HttpHeaders.CONTENT_ENCODING);
			if (received.remove(HttpHeaders.CONTENT_LENGTH) != null && this.netty) {
				received.set(HttpHeaders.TRANSFER_ENCODING, "chunked");
			}
			// The library fails here if the body is not what it says.
			getBody();
		}
	}

	@Override
	public HttpStatusCode getStatusCode() {
		return HttpStatusCode.valueOf(this.status);
	}

	@Override
	public String getStatusText() {
		if (!this.phrases) {
			return this.reason;
		}
		HttpStatus known = HttpStatus.resolve(this.status);
		return (known != null) ? known.getReasonPhrase() : "";
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.headers;
	}

	@Override
	public InputStream getBody() throws IOException {
		InputStream known = this.body;
		if (known == null) {
			ResponseBody raw = raw();
			known = this.empty ? InputStream.nullInputStream()
					: (this.encoding != null) ? BodyDecoding.decoded(raw, this.encoding) : raw;
			this.body = known;
		}
		return known;
	}

	private ResponseBody raw() {
		Long deadline = this.deadlineNanos;
		return (deadline != null) ? new TimedBody(this.exchange, deadline, this.jetty)
				: this.netty ? new NettyBody(this.exchange)
						: this.jdk ? new JdkBody(this.exchange) : new ResponseBody(this.exchange);
	}

	/**
	 * Reads what is left, as Spring's responses of all libraries but Jetty's do, so that
	 * the handler gets to its end.
	 */
	@Override
	public void close() {
		if (this.jetty) {
			this.exchange.close();
			return;
		}
		try {
			StreamUtils.drain(getBody());
		}
		catch (IOException ex) {
			// Nobody wants to know what is missing.
		}
		finally {
			this.exchange.close();
		}
	}

	/** A body that ends early as that of the JDK's client. */
	private static final class JdkBody extends ResponseBody {

		JdkBody(ClientExchange exchange) {
			super(exchange);
		}

		@Override
		IOException cutOff(SocketException failure) {
			return LibraryFailures.lostByJdk(failure);
		}

	}

	/** A body that ends early as that of Reactor Netty: an unchecked exception, once. */
	private static final class NettyBody extends ResponseBody {

		private boolean ended;

		NettyBody(ClientExchange exchange) {
			super(exchange);
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			if (this.ended) {
				return -1;
			}
			try {
				int count = super.read(target, offset, length);
				this.ended = count < 0;
				return count;
			}
			catch (SocketTimeoutException ex) {
				this.ended = true;
				throw NettyFailures.bodyTimedOut();
			}
		}

		@Override
		IOException cutOff(SocketException failure) {
			this.ended = true;
			throw NettyFailures.bodyLost(failure);
		}

		@Override
		public void close() {
			this.ended = true;
			super.close();
		}

	}

	/**
	 * A body that is there until the time-out of the request has passed, however fast its
	 * parts come. Spring closes that of the JDK's client then; Jetty's client aborts it.
	 */
	private static final class TimedBody extends ResponseBody {

		private final ClientExchange exchange;

		private final long deadlineNanos;

		private final boolean jetty;

		TimedBody(ClientExchange exchange, long deadlineNanos, boolean jetty) {
			super(exchange);
			this.jetty = jetty;
			this.exchange = exchange;
			this.deadlineNanos = deadlineNanos;
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			long left = this.deadlineNanos - System.nanoTime();
			if (left <= 0) {
				this.exchange.close();
				throw late();
			}
			this.exchange.readTimeout(left);
			try {
				return super.read(target, offset, length);
			}
			catch (SocketTimeoutException ex) {
				IOException raised = late();
				raised.addSuppressed(ex);
				throw raised;
			}
		}

		private IOException late() {
			return this.jetty ? JettyFailures.timedOut() : new IOException("closed");
		}

		@Override
		IOException cutOff(SocketException failure) {
			if (!this.jetty) {
				return LibraryFailures.lostByJdk(failure);
			}
			IOException raised = JettyFailures.lost();
			raised.addSuppressed(failure);
			return raised;
		}

	}

}
