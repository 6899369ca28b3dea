package io.github.vicinal.boot.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.ResponseHead;
import io.github.vicinal.exchange.ServerExchange;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.cookie.CookieHeaderNames;
import io.netty.handler.codec.http.cookie.DefaultCookie;
import io.netty.handler.codec.http.cookie.ServerCookieEncoder;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import org.springframework.http.support.Netty4HeadersAdapter;

/**
 * The response of an exchange, framed as Reactor Netty frames it. Nothing is written
 * while the client does not read.
 */
final class NettyResponse extends AbstractServerHttpResponse {

	/** Maximum number of bytes that are handed on at once. */
	private static final int PART_BYTES = 64 * 1024;

	private static final int CHUNKED = -1;

	private final ServerExchange exchange;

	private final EventLoop loop;

	private final boolean head;

	/** Can be changed after the commit, other than what the application sees. */
	private final HttpHeaders framed;

	private boolean sent;

	/** The length that was announced, -1 if none was. */
	private long length = CHUNKED;

	private long written;

	NettyResponse(ServerExchange exchange, EventLoop loop, boolean head) {
		// These check names and values as those of Reactor Netty do.
		this(exchange, loop, head,
				new HttpHeaders(new Netty4HeadersAdapter(DefaultHttpHeadersFactory.headersFactory().newHeaders())));
	}

	private NettyResponse(ServerExchange exchange, EventLoop loop, boolean head, HttpHeaders headers) {
		super(DefaultDataBufferFactory.sharedInstance, headers);
		this.framed = headers;
		this.exchange = exchange;
		this.loop = loop;
		this.head = head;
	}

	/** There is no response of Reactor Netty. */
	@Override
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	public <T> T getNativeResponse() {
		return (T) this.exchange;
	}

	/** Returns 200 before a status is set, as Reactor Netty does. */
	@Override
	public HttpStatusCode getStatusCode() {
		HttpStatusCode status = super.getStatusCode();
		return (status != null) ? status : HttpStatus.OK;
	}

	@Override
	protected void applyStatusCode() {
		// Read when the head is sent.
	}

	@Override
	protected void applyHeaders() {
		// As above.
	}

	@Override
	protected void applyCookies() {
		getCookies().values()
			.forEach((values) -> values.forEach((cookie) -> getHeaders().add(HttpHeaders.SET_COOKIE,
					ServerCookieEncoder.STRICT.encode(encoded(cookie)))));
	}

	private static DefaultCookie encoded(ResponseCookie cookie) {
		DefaultCookie encoded = new DefaultCookie(cookie.getName(), cookie.getValue());
		if (!cookie.getMaxAge().isNegative()) {
			encoded.setMaxAge(cookie.getMaxAge().toSeconds());
		}
		if (cookie.getDomain() != null) {
			encoded.setDomain(cookie.getDomain());
		}
		if (cookie.getPath() != null) {
			encoded.setPath(cookie.getPath());
		}
		encoded.setSecure(cookie.isSecure());
		encoded.setHttpOnly(cookie.isHttpOnly());
		encoded.setPartitioned(cookie.isPartitioned());
		if (cookie.getSameSite() != null) {
			encoded.setSameSite(CookieHeaderNames.SameSite.valueOf(cookie.getSameSite()));
		}
		return encoded;
	}

	@Override
	protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
		if (body instanceof Mono<? extends DataBuffer> one) {
			return one.flatMap((buffer) -> {
				send(buffer.readableByteCount());
				return write(Mono.just(buffer));
			});
		}
		return stream(Flux.from(body));
	}

	@Override
	protected Mono<Void> writeAndFlushWithInternal(Publisher<? extends Publisher<? extends DataBuffer>> bodies) {
		return stream(Flux.from(bodies).concatMap((part) -> part, 1));
	}

	/** The head comes first, as it may be long until something follows. */
	private Mono<Void> stream(Flux<? extends DataBuffer> body) {
		return Mono.defer(() -> {
			send(CHUNKED);
			this.exchange.flush();
			return write(body);
		});
	}

	private Mono<Void> write(Publisher<? extends DataBuffer> body) {
		return Mono.create((sink) -> {
			Writer writer = new Writer(sink);
			sink.onCancel(writer::stop);
			body.subscribe(writer);
		});
	}

	/**
	 * Commits the head.
	 * @param bytes length of the body if nothing else says it, -1 if it is not known
	 */
	private void send(long bytes) {
		if (this.sent) {
			return;
		}
		this.sent = true;
		int status = getStatusCode().value();
		frame(status, bytes);
		HttpFields.Builder fields = HttpFields.builder();
		this.framed.forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.CONNECTION) && !name.equalsIgnoreCase("Keep-Alive")) {
				values.forEach((value) -> fields.add(name, latin(value)));
			}
		});
		this.exchange.commit(new ResponseHead(status, reason(status), fields.build()));
	}

	private static String reason(int status) {
		return HttpResponseStatus.valueOf(status).reasonPhrase();
	}

	/** Says where the body ends, as Reactor Netty does. */
	private void frame(int status, long bytes) {
		HttpHeaders headers = this.framed;
		boolean none = status < 200 || status == 204 || status == 205 || (status == 304 && !this.head);
		if (none) {
			headers.remove(HttpHeaders.CONTENT_LENGTH);
			headers.remove(HttpHeaders.TRANSFER_ENCODING);
			if (status == 205) {
				headers.setContentLength(0);
			}
		}
		else if (!headers.containsHeader(HttpHeaders.CONTENT_LENGTH)
				&& !headers.containsHeader(HttpHeaders.TRANSFER_ENCODING)) {
			if (bytes >= 0 && !this.head) {
				headers.setContentLength(bytes);
			}
			else {
				headers.set(HttpHeaders.TRANSFER_ENCODING, "chunked");
			}
		}
		this.length = (none || this.head || status == 304) ? 0 : Math.max(headers.getContentLength(), CHUNKED);
	}

	/** Reactor Netty writes a question mark for what ISO 8859-1 does not have. */
	private static String latin(String value) {
		if (value.chars().allMatch((c) -> c < 256)) {
			return value;
		}
		StringBuilder text = new StringBuilder(value);
		for (int i = 0; i < text.length(); i++) {
			if (text.charAt(i) > 255) {
				text.setCharAt(i, '?');
			}
		}
		return text.toString();
	}

	/** Ends the exchange when its handler has. */
	void complete() {
		send(0);
		this.exchange.end((this.length > this.written)
				? new IOException(
						"The response is %d bytes shorter than its length".formatted(this.length - this.written))
				: null);
	}

	/** Ends the exchange after what no error handler has taken. */
	void fail(Throwable failure) {
		if (this.sent) {
			this.exchange.end(new IOException("The handler failed in the middle of the response", failure));
			return;
		}
		this.sent = true;
		this.exchange.commit(
				new ResponseHead(500, reason(500), HttpFields.builder().add(HttpHeaders.CONTENT_LENGTH, "0").build()));
		this.exchange.end(null);
	}

	/**
	 * Writes a body as far as the client reads it. Buffers, the end of the body and room
	 * for more come on threads of their own; one thread at a time deals with them.
	 */
	private final class Writer extends BaseSubscriber<DataBuffer> {

		private final MonoSink<Void> sink;

		/** Number of signals since a thread began to process them. */
		private final AtomicInteger work = new AtomicInteger();

		private volatile @Nullable DataBuffer current;

		/** Whether the present write is the last one. */
		private volatile boolean last;

		private volatile @Nullable Throwable failure;

		private volatile boolean stopped;

		Writer(MonoSink<Void> sink) {
			this.sink = sink;
		}

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			subscription.request(1);
		}

		@Override
		protected void hookOnNext(DataBuffer buffer) {
			this.current = buffer;
			drain();
		}

		@Override
		protected void hookOnComplete() {
			this.last = true;
			drain();
		}

		@Override
		protected void hookOnError(Throwable raised) {
			this.failure = raised;
			drain();
		}

		/** The present write may outlast its publisher. */
		void stop() {
			this.stopped = true;
			cancel();
			drain();
		}

		private void drain() {
			if (this.work.getAndIncrement() > 0) {
				return;
			}
			int missed = 1;
			while (missed != 0) {
				step();
				missed = this.work.addAndGet(-missed);
			}
		}

		private void step() {
			DataBuffer buffer = this.current;
			Throwable raised = this.failure;
			boolean written = false;
			if (buffer != null && !this.stopped && raised == null) {
				try {
					if (!offer(buffer)) {
						return;
					}
					written = true;
				}
				catch (IOException ex) {
					cancel();
					raised = ex;
				}
			}
			if (buffer != null) {
				this.current = null;
				DataBufferUtils.release(buffer);
			}
			if (raised != null) {
				this.sink.error(raised);
			}
			else if (this.last) {
				this.sink.success();
			}
			else if (written) {
				request(1);
			}
		}

		/** Hands a buffer on, and returns whether the client has room for all of it. */
		private boolean offer(DataBuffer buffer) throws IOException {
			ServerExchange to = NettyResponse.this.exchange;
			while (buffer.readableByteCount() > 0) {
				int count = Math.min(buffer.readableByteCount(), PART_BYTES);
				ByteBuffer part = ByteBuffer.allocate(wanted(count));
				buffer.toByteBuffer(buffer.readPosition(), part, 0, part.capacity());
				if (!to.offer(part, () -> NettyExchanges.goOn(NettyResponse.this.loop, to, this::drain))) {
					return false;
				}
				NettyResponse.this.written += part.capacity();
				buffer.readPosition(buffer.readPosition() + count);
			}
			to.flush();
			return true;
		}

		/** Nothing is written beyond the length that was announced. */
		private int wanted(int count) {
			long left = NettyResponse.this.length - NettyResponse.this.written;
			return (NettyResponse.this.length < 0) ? count : (int) Math.min(count, left);
		}

	}

}
