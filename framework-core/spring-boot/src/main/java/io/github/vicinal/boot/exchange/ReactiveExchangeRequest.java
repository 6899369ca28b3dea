package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.Optional;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
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

	private final ReactiveLibrary library;

	private @Nullable String cookies;

	/** Whether the library has to decide on the cookies. */
	private boolean oddCookies;

	/** Number of bytes of a body that is here, or -1. */
	private long measured = -1;

	private @Nullable Publisher<? extends DataBuffer> body;

	/**
	 * Creates a request.
	 * @param method its method
	 * @param uri where it goes
	 * @param library the library that would send it
	 */
	ReactiveExchangeRequest(HttpMethod method, URI uri, ReactiveLibrary library) {
		this.method = method;
		this.uri = uri;
		this.library = library;
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
		return this.library.buffers();
	}

	/**
	 * The library's own object of this request.
	 * @throws NeedsLibraryException if there is none outside of the library
	 */
	@Override
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	public <T> T getNativeRequest() {
		Object known = this.library.nativeRequest(this);
		if (known == null) {
			throw new NeedsLibraryException();
		}
		return (T) known;
	}

	/** The application asks for what only the library has. */
	@SuppressWarnings("serial")
	static final class NeedsLibraryException extends RuntimeException {

		NeedsLibraryException() {
			super("the request goes over HTTP, because its native object is asked for", null, false, false);
		}

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
			String value = this.library.cookies(this);
			this.cookies = value;
			this.oddCookies = value == null;
		}
	}

	/**
	 * Takes a body of one buffer from its publisher, if the library needs it to know its
	 * length.
	 */
	Mono<Void> measured() {
		Publisher<? extends DataBuffer> published = this.body;
		if (!this.library.measuresBodies() || !(published instanceof Mono<? extends DataBuffer> mono)) {
			return Mono.empty();
		}
		return mono.map(ReactiveExchangeRequest::bytes)
			.map(Optional::of)
			.defaultIfEmpty(Optional.empty())
			.doOnNext(this::measured)
			.then();
	}

	/** A redirect may send them once more. */
	private static byte[] bytes(DataBuffer buffer) {
		try {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			return bytes;
		}
		finally {
			DataBufferUtils.release(buffer);
		}
	}

	private void measured(Optional<byte[]> bytes) {
		this.measured = bytes.map((known) -> (long) known.length).orElse(-1L);
		this.body = bytes
			.<Publisher<? extends DataBuffer>>map((known) -> Mono.fromSupplier(() -> bufferFactory().wrap(known)))
			.orElse(null);
	}

	/** Returns the header of cookies, if there are any. */
	Optional<String> cookieHeader() {
		return Optional.ofNullable(this.cookies);
	}

	/** Returns the body, or {@code null} if there is none. */
	@Nullable Publisher<? extends DataBuffer> body() {
		return this.body;
	}

	/** Returns the length of the body by its header, or -1. */
	long length() {
		if (this.measured >= 0) {
			return this.measured;
		}
		long length = (this.body != null) ? getHeaders().getContentLength() : 0;
		return (this.body != null && length <= 0) ? -1 : length;
	}

	/**
	 * Returns what precedes the body on the wire.
	 * @return the head, or {@code null} if the library has to decide on it
	 */
	@Nullable RequestHead head() {
		HttpFields.Builder fields = HttpFields.builder();
		HttpHeaders headers = getHeaders();
		if (OfLibraries.rewrites(this.uri) || OfLibraries.FIELDS.stream().anyMatch(headers::containsHeader)
				|| headers.containsHeader(PeerAnnouncement.REQUEST_HEADER) || this.oddCookies || isUnmeasured()) {
			return null;
		}
		for (var header : headers.headerSet()) {
			String name = header.getKey();
			if (!NettyFields.isText(name, false)) {
				return null;
			}
			if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
				continue;
			}
			for (String value : header.getValue()) {
				if (!NettyFields.isText(value, true)) {
					return null;
				}
				fields.add(name, value);
			}
		}
		if (this.cookies != null) {
			fields.add(HttpHeaders.COOKIE, this.cookies);
		}
		fields.add(HttpHeaders.HOST, this.library.host(this.uri));
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
		else if (this.library.saysEmpty(this.method)) {
			fields.add(HttpHeaders.CONTENT_LENGTH, "0");
		}
		String path = this.uri.getRawPath();
		String target = (path == null || path.isEmpty()) ? "/" : path;
		String query = this.uri.getRawQuery();
		RequestHead head = new RequestHead(this.method.name(), (query != null) ? target + "?" + query : target,
				fields.build());
		return head.fits() ? head : null;
	}

	/** Returns whether the library collects the body, or says a length without one. */
	private boolean isUnmeasured() {
		if (!this.library.measuresBodies()) {
			return false;
		}
		if (this.measured >= 0) {
			return this.measured > 0 && getHeaders().getContentLength() == 0;
		}
		return (this.body != null) ? !this.library.saysEmpty(this.method)
				: getHeaders().containsHeader(HttpHeaders.CONTENT_LENGTH);
	}

	/**
	 * Makes another request the same as this one.
	 * @param next the other request
	 * @param unsent the body, if it is not to be taken from its publisher again
	 */
	Mono<Void> copyTo(ClientHttpRequest next, @Nullable DataBuffer unsent) {
		next.getHeaders().putAll(getHeaders());
		next.getCookies().addAll(getCookies());
		next.getAttributes().putAll(getAttributes());
		return (unsent != null) ? next.writeWith(Mono.just(unsent)) : writeBody(next);
	}

	/** Writes the body to another request. */
	Mono<Void> writeBody(ClientHttpRequest next) {
		Publisher<? extends DataBuffer> published = this.body;
		return (published != null) ? next.writeWith(published) : next.setComplete();
	}

}
