package io.github.vicinal.boot.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.AbstractStreamingClientHttpRequest;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.StreamUtils;

/**
 * Asks peers for their paths, on requests that belong to a channel; leaves all others
 * untouched. It sees the address after load balancing, which is the peer's own.
 */
final class ChannelRequestFactory implements ClientHttpRequestFactory {

	private static final int REFUSED_STATUS = 503;

	/** Makes the requests. Caches of calls look through the field, by its name. */
	private final ClientHttpRequestFactory delegate;

	/** The same with its known properties. */
	private final PlainRequests.Factory library;

	/** Makes requests that are calls: the same client, with a time-out. */
	private final PlainRequests.Factory calls;

	private static final StackWalker STACK = StackWalker
		.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE, StackWalker.Option.SHOW_HIDDEN_FRAMES));

	private final HttpLegs legs;

	/** Makes the requests that belong to no channel, or have nothing to ask for it. */
	private final PlainRequests plain;

	/**
	 * Creates the factory.
	 * @param library makes the requests
	 * @param calls makes those that are calls of channels
	 * @param legs knows the calls of channels
	 * @param plain makes the requests that belong to no channel
	 */
	ChannelRequestFactory(PlainRequests.Factory library, PlainRequests.Factory calls, HttpLegs legs,
			PlainRequests plain) {
		this.delegate = library.delegate();
		this.library = library;
		this.calls = calls;
		this.legs = legs;
		this.plain = plain;
	}

	/** Returns what makes the requests. */
	ClientHttpRequestFactory delegate() {
		return this.delegate;
	}

	/** An interceptor calls what comes after it, and so stands on the stack. */
	private static Collection<String> interceptors() {
		return STACK.walk((frames) -> frames.map(StackWalker.StackFrame::getDeclaringClass)
			.filter(ClientHttpRequestInterceptor.class::isAssignableFrom)
			.map(Class::getName)
			.collect(Collectors.toCollection(TreeSet::new)));
	}

	@Override
	public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
		HttpLeg leg = this.legs.current();
		if (leg != null) {
			return new ChannelRequest(uri, method, leg);
		}
		return this.plain.create(this.library, uri, method);
	}

	/**
	 * A request that may be that of a call. Whether it is, and where it goes, is known
	 * once its attributes are.
	 */
	private final class ChannelRequest extends AbstractStreamingClientHttpRequest {

		/** URI as the client knows it; the request may go to another replica. */
		private final URI uri;

		private final HttpMethod method;

		private final HttpLeg leg;

		ChannelRequest(URI uri, HttpMethod method, HttpLeg leg) {
			this.uri = uri;
			this.method = method;
			this.leg = leg;
		}

		@Override
		protected ClientHttpResponse executeInternal(HttpHeaders headers,
				StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
			if (!this.leg.owns(this.method, this.uri, getAttributes())) {
				return request(ChannelRequestFactory.this.delegate, this.uri, headers, body).execute();
			}
			if (this.leg.inspects()) {
				this.leg.inspect(false, ChannelRequestFactory.this.library.readTimeout(), interceptors());
			}
			Reply.Failure replayed = this.leg.replay();
			if (replayed != null) {
				return replayed(replayed, headers, body);
			}
			WatchedBody watched = (body != null) ? new WatchedBody(body) : null;
			this.leg.sending(this.uri, headers);
			ClientHttpRequest request = request(maker(), this.leg.target(this.uri), headers, watched);
			if (!this.leg.elsewhere() && !this.leg.exchanged()) {
				HttpHeaders all = request.getHeaders();
				this.leg.ask(RequestSize.of(request.getURI(), all), HttpLeg.names(all), false, all::set);
			}
			ClientHttpResponse response = executed(request, watched);
			int status = response.getStatusCode().value();
			if (ChannelRequestFactory.this.library.redirectsSilently()
					&& (this.leg.maybeCached() || status == REFUSED_STATUS)
					&& Redirects.mayBeBehind(response, request.getURI())) {
				this.leg.mayBeBehindRedirect();
			}
			this.leg.answered(this.uri, status, response.getHeaders());
			return response;
		}

		/** Returns what makes the request that is being sent. */
		private ClientHttpRequestFactory maker() {
			PlainRequests.Factory factory = this.leg.mayStream() ? ChannelRequestFactory.this.library
					: ChannelRequestFactory.this.calls;
			PlainRequests plain = ChannelRequestFactory.this.plain;
			return this.leg.leavesToExchanges(plain::paths) ? (target, asked) -> plain.create(factory, target, asked)
					: factory.delegate();
		}

		/** The response to a call that was made, or what a redirect leads to. */
		private ClientHttpResponse replayed(Reply.Failure failure, HttpHeaders headers,
				StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
			RedirectRules rules = ChannelRequestFactory.this.library.redirects();
			if (rules != null && rules.failsWith(failure)) {
				throw new IOException("Invalid redirection");
			}
			RedirectRules.Hop hop = (rules != null) ? rules.after(this.method, this.leg.target(this.uri), failure)
					: null;
			HttpHeaders kept = new HttpHeaders();
			kept.putAll(headers);
			if (rules == null || hop == null || !rules.mayLeave(this.leg.target(this.uri), hop, kept)) {
				return new ReplayedResponse(failure, this.method, ChannelRequestFactory.this.library.additions());
			}
			ClientHttpResponse response = request(ChannelRequestFactory.this.delegate, hop.uri(), hop.method(),
					hop.keepsHeaders() ? kept : HttpHeaders.EMPTY, hop.keepsBody() ? body : null)
				.execute();
			this.leg.followed(response.getStatusCode().value());
			return response;
		}

		private ClientHttpRequest request(ClientHttpRequestFactory factory, URI target, HttpHeaders headers,
				StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
			return request(factory, target, this.method, headers, body);
		}

		private ClientHttpRequest request(ClientHttpRequestFactory factory, URI target, HttpMethod asked,
				HttpHeaders headers, StreamingHttpOutputMessage.@Nullable Body body) throws IOException {
			ClientHttpRequest request = factory.createRequest(target, asked);
			request.getHeaders().putAll(headers);
			getAttributes().forEach((name, value) -> {
				if (!name.equals(HttpLeg.ATTRIBUTE)) {
					request.getAttributes().put(name, value);
				}
			});
			if (body != null && request instanceof StreamingHttpOutputMessage streaming) {
				streaming.setBody(body);
			}
			else if (body != null) {
				body.writeTo(request.getBody());
			}
			return request;
		}

		private ClientHttpResponse executed(ClientHttpRequest request, @Nullable WatchedBody watched)
				throws IOException {
			this.leg.executing(true);
			try {
				return request.execute();
			}
			catch (IOException ex) {
				if (ChannelRequestFactory.this.library.redirectsSilently() && (watched == null || watched.begun)) {
					this.leg.failed(watched != null);
				}
				nameInstance(ex, request.getURI());
				throw ex;
			}
			finally {
				this.leg.executing(false);
			}
		}

		/**
		 * Libraries have exceptions without a stack trace that they throw again and
		 * again: what is said of one request is not added to these.
		 */
		private void nameInstance(IOException failure, URI target) {
			if (!target.equals(this.uri) && failure.getStackTrace().length > 1) {
				failure.addSuppressed(new OtherInstance(target));
			}
		}

		@Override
		public HttpMethod getMethod() {
			return this.method;
		}

		@Override
		public URI getURI() {
			return this.uri;
		}

	}

	/**
	 * Names the instance that a failed request went to, which Spring's own message cannot
	 * know: that is about the address of the client. Like Spring's, it leaves out the
	 * query, which may be secret.
	 */
	private static final class OtherInstance extends Exception {

		private static final long serialVersionUID = 1L;

		OtherInstance(URI target) {
			super("The request went to %s://%s".formatted(target.getScheme(), target.getRawAuthority()));
		}

		/** Only the message matters. */
		@Override
		public synchronized Throwable fillInStackTrace() {
			return this;
		}

	}

	/**
	 * A body that knows whether it was asked for, as it is once there is a connection.
	 */
	private static final class WatchedBody implements StreamingHttpOutputMessage.Body {

		private final StreamingHttpOutputMessage.Body body;

		/** Some clients write bodies on another thread. */
		private volatile boolean begun;

		WatchedBody(StreamingHttpOutputMessage.Body body) {
			this.body = body;
		}

		@Override
		public void writeTo(OutputStream out) throws IOException {
			this.begun = true;
			this.body.writeTo(out);
		}

		@Override
		public boolean repeatable() {
			return this.body.repeatable();
		}

	}

	/** The response that the peer's web stack would have written. */
	private static final class ReplayedResponse implements ClientHttpResponse {

		private final Reply.Failure failure;

		private final HttpHeaders headers = new HttpHeaders();

		private final HttpMethod method;

		private final LibraryAdditions library;

		private @Nullable InputStream body;

		ReplayedResponse(Reply.Failure failure, HttpMethod method, LibraryAdditions library) {
			this.failure = failure;
			this.method = method;
			this.library = library;
			failure.headers().forEach(this.headers::addAll);
			this.headers.remove(Reply.Failure.CUT_OFF_HEADER);
		}

		@Override
		public HttpStatusCode getStatusCode() {
			return HttpStatusCode.valueOf(this.failure.status());
		}

		@Override
		public String getStatusText() {
			HttpStatus known = this.library.hasPhrases() ? HttpStatus.resolve(this.failure.status()) : null;
			return (known != null) ? known.getReasonPhrase() : "";
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

		@Override
		public InputStream getBody() {
			InputStream known = this.body;
			if (known == null) {
				known = newBody();
				this.body = known;
			}
			return known;
		}

		private InputStream newBody() {
			if (this.library.losesBody(this.method, this.failure.status())) {
				return InputStream.nullInputStream();
			}
			InputStream bytes = new ByteArrayInputStream(this.failure.body());
			if (!this.failure.isCutOff()) {
				return bytes;
			}
			return this.library.isNetty() ? CutOffBody.ofNetty(bytes)
					: new CutOffBody(bytes, "The peer ended the response before it was complete");
		}

		/** Reads what is left, as Spring does: with Reactor Netty that may fail. */
		@Override
		public void close() {
			try {
				StreamUtils.drain(getBody());
			}
			catch (IOException ex) {
				// Nobody wants to know what is missing.
			}
		}

	}

}
