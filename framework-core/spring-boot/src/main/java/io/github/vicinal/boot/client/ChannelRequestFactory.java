package io.github.vicinal.boot.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

import io.github.vicinal.channel.Reply;
import io.github.vicinal.peer.PeerAnnouncement;

/**
 * Asks peers for their paths, on requests that belong to a channel; leaves all others
 * untouched. It sees the address after load balancing, which is the peer's own.
 */
final class ChannelRequestFactory implements ClientHttpRequestFactory {

	private final ClientHttpRequestFactory delegate;

	private static final StackWalker STACK = StackWalker
		.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE, StackWalker.Option.SHOW_HIDDEN_FRAMES));

	private final HttpLegs legs;

	private final @Nullable Duration readTimeout;

	private final boolean redirectsSilently;

	/**
	 * Creates the factory.
	 * @param delegate makes the requests
	 * @param legs knows the calls of channels
	 * @param readTimeout how long the client waits, or {@code null}
	 * @param redirectsSilently whether the client may follow redirects without telling
	 */
	ChannelRequestFactory(ClientHttpRequestFactory delegate, HttpLegs legs, @Nullable Duration readTimeout,
			boolean redirectsSilently) {
		this.delegate = delegate;
		this.legs = legs;
		this.readTimeout = readTimeout;
		this.redirectsSilently = redirectsSilently;
	}

	/** An interceptor calls what comes after it, and so stands on the stack. */
	private static Collection<String> interceptors() {
		return STACK.walk((frames) -> frames.map(StackWalker.StackFrame::getDeclaringClass)
			.filter((type) -> ClientHttpRequestInterceptor.class.isAssignableFrom(type)
					&& !type.getName().startsWith("org.springframework."))
			.map(Class::getName)
			.collect(Collectors.toCollection(TreeSet::new)));
	}

	@Override
	public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
		HttpLeg leg = this.legs.current();
		ClientHttpRequest request = this.delegate.createRequest((leg != null) ? leg.target(uri) : uri, method);
		if (leg != null && leg.inspects()) {
			leg.inspect(false, this.readTimeout, interceptors());
		}
		return (leg != null) ? new ChannelRequest(request, uri, leg, this.redirectsSilently) : request;
	}

	private static final class ChannelRequest implements ClientHttpRequest, StreamingHttpOutputMessage {

		private final ClientHttpRequest request;

		/** As the client knows it; the request may go to another replica. */
		private final URI uri;

		private final HttpLeg leg;

		private final boolean redirectsSilently;

		private @Nullable WatchedBody body;

		ChannelRequest(ClientHttpRequest request, URI uri, HttpLeg leg, boolean redirectsSilently) {
			this.request = request;
			this.uri = uri;
			this.leg = leg;
			this.redirectsSilently = redirectsSilently;
		}

		@Override
		public ClientHttpResponse execute() throws IOException {
			Reply.Failure replayed = this.leg.replayed();
			if (replayed != null) {
				return new ReplayedResponse(replayed);
			}
			this.leg.sending(getURI(), getHeaders());
			getHeaders().set(PeerAnnouncement.REQUEST_HEADER, this.leg.contractName());
			ClientHttpResponse response = executed();
			this.leg.answered(getURI(), response.getStatusCode().value(), response.getHeaders());
			return response;
		}

		private ClientHttpResponse executed() throws IOException {
			try {
				return this.request.execute();
			}
			catch (IOException ex) {
				if (this.redirectsSilently && (this.body == null || this.body.begun)) {
					this.leg.failed(this.body != null);
				}
				throw ex;
			}
		}

		@Override
		public void setBody(Body body) {
			if (this.request instanceof StreamingHttpOutputMessage streaming) {
				this.body = new WatchedBody(body);
				streaming.setBody(this.body);
				return;
			}
			try {
				body.writeTo(this.request.getBody());
			}
			catch (IOException ex) {
				throw new java.io.UncheckedIOException(ex);
			}
		}

		@Override
		public OutputStream getBody() throws IOException {
			return this.request.getBody();
		}

		@Override
		public HttpMethod getMethod() {
			return this.request.getMethod();
		}

		@Override
		public URI getURI() {
			return this.uri;
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.request.getHeaders();
		}

		@Override
		public Map<String, Object> getAttributes() {
			return this.request.getAttributes();
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

		ReplayedResponse(Reply.Failure failure) {
			this.failure = failure;
			failure.headers().forEach(this.headers::addAll);
		}

		@Override
		public HttpStatusCode getStatusCode() {
			return HttpStatusCode.valueOf(this.failure.status());
		}

		@Override
		public String getStatusText() {
			HttpStatus known = HttpStatus.resolve(this.failure.status());
			return (known != null) ? known.getReasonPhrase() : "";
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

		@Override
		public InputStream getBody() {
			return new ByteArrayInputStream(this.failure.body());
		}

		@Override
		public void close() {
		}

	}

}
