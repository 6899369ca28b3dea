package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.stream.Collectors;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.reactive.AbstractClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequest;

/**
 * A request of a reactive client that may become an exchange. It is sent after it is
 * complete, as that of the JDK's connector is, and so it can still go over HTTP.
 */
final class ReactiveExchangeRequest extends AbstractClientHttpRequest {

	private final HttpMethod method;

	private final URI uri;

	private final boolean saysEmpty;

	private @Nullable Publisher<? extends DataBuffer> body;

	/**
	 * Creates a request.
	 * @param method its method
	 * @param uri where it goes
	 * @param saysEmpty whether the library says of each request without a body that it
	 * has none
	 */
	ReactiveExchangeRequest(HttpMethod method, URI uri, boolean saysEmpty) {
		this.method = method;
		this.uri = uri;
		this.saysEmpty = saysEmpty;
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
	public DataBufferFactory bufferFactory() {
		return DefaultDataBufferFactory.sharedInstance;
	}

	/** A request of the JDK's client, as its connector returns one. */
	@Override
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	public <T> T getNativeRequest() {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.uri)
			.method(this.method.name(), HttpRequest.BodyPublishers.noBody());
		getHeaders().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
				values.forEach((value) -> request.header(name, value));
			}
		});
		return (T) request.build();
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> publisher) {
		return doCommit(() -> {
			this.body = publisher;
			return Mono.empty();
		});
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> publishers) {
		return writeWith(Flux.from(publishers).concatMap((part) -> part));
	}

	@Override
	public Mono<Void> setComplete() {
		return doCommit(Mono::empty);
	}

	@Override
	protected void applyHeaders() {
	}

	@Override
	protected void applyCookies() {
		if (!getCookies().isEmpty()) {
			getHeaders().add(HttpHeaders.COOKIE,
					getCookies().values()
						.stream()
						.flatMap((values) -> values.stream())
						.map(Object::toString)
						.collect(Collectors.joining(";")));
		}
	}

	/** Returns the body, or {@code null} if there is none. */
	@Nullable Publisher<? extends DataBuffer> body() {
		return this.body;
	}

	/** Returns the length of the body by its header, or -1. */
	long length() {
		long length = (this.body != null) ? getHeaders().getContentLength() : 0;
		return (this.body != null && length <= 0) ? -1 : length;
	}

	/**
	 * Returns what precedes the body on the wire.
	 * @return the head, or {@code null} if the library has to say what it thinks of it
	 */
	@Nullable RequestHead head() {
		HttpFields.Builder fields = HttpFields.builder();
		HttpHeaders headers = getHeaders();
		if (OfLibraries.rewrites(this.uri) || OfLibraries.FIELDS.stream().anyMatch(headers::containsHeader)
				|| headers.containsHeader(PeerAnnouncement.REQUEST_HEADER)) {
			return null;
		}
		for (var header : headers.headerSet()) {
			String name = header.getKey();
			if (!isText(name, false)) {
				return null;
			}
			if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
				continue;
			}
			for (String value : header.getValue()) {
				if (!isText(value, true)) {
					return null;
				}
				fields.add(name, value);
			}
		}
		fields.add(HttpHeaders.HOST,
				(this.uri.getPort() >= 0) ? this.uri.getHost() + ":" + this.uri.getPort() : this.uri.getHost());
		if (!headers.containsHeader(HttpHeaders.ACCEPT)) {
			fields.add(HttpHeaders.ACCEPT, "*/*");
		}
		long length = length();
		if (length > 0) {
			fields.add(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
		}
		else if (length < 0) {
			fields.add(HttpHeaders.TRANSFER_ENCODING, "chunked");
		}
		else if (this.saysEmpty || this.method.equals(HttpMethod.POST) || this.method.equals(HttpMethod.PUT)
				|| this.method.equals(HttpMethod.PATCH)) {
			fields.add(HttpHeaders.CONTENT_LENGTH, "0");
		}
		String path = this.uri.getRawPath();
		String target = (path == null || path.isEmpty()) ? "/" : path;
		String query = this.uri.getRawQuery();
		RequestHead head = new RequestHead(this.method.name(), (query != null) ? target + "?" + query : target,
				fields.build());
		return head.fits() ? head : null;
	}

	/** Returns whether the library accepts a name or a value. */
	private static boolean isText(@Nullable String text, boolean value) {
		if (text == null || (text.isEmpty() && !value)) {
			return false;
		}
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			boolean ok = value ? (c >= ' ' || c == '\t') && c != 0x7F && c <= 0xFF : c > ' ' && c < 0x7F && c != ':';
			if (!ok) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Makes another request the same as this one.
	 * @param next the other request
	 * @param unsent the body, if it is not to be taken from its publisher again
	 */
	Mono<Void> copyTo(ClientHttpRequest next, @Nullable DataBuffer unsent) {
		next.getHeaders().putAll(getHeaders());
		next.getAttributes().putAll(getAttributes());
		return (unsent != null) ? next.writeWith(Mono.just(unsent)) : writeBody(next);
	}

	/** Writes the body to another request. */
	Mono<Void> writeBody(ClientHttpRequest next) {
		Publisher<? extends DataBuffer> published = this.body;
		return (published != null) ? next.writeWith(published) : next.setComplete();
	}

}
