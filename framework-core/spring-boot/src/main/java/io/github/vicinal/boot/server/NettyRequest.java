package io.github.vicinal.boot.server;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ServerExchange;
import io.github.vicinal.server.HttpRequiredException;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.netty.http.server.HttpServerConfig;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.http.support.Netty4HeadersAdapter;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * The request of an exchange, as Reactor Netty would have made it of a connection's
 * bytes. Its body is read as it is requested, on the event loop.
 */
final class NettyRequest extends AbstractServerHttpRequest {

	private static final AtomicLong IDS = new AtomicLong();

	private static final int READ_BYTES = 8192;

	/** The method, two spaces, the version and the line's end. */
	private static final int LINE_BYTES = 14;

	/** A colon, a space and the line's end. */
	private static final int FIELD_BYTES = 4;

	/** Fields that a parser or a pipeline of Netty acts on. */
	private static final Set<String> OF_CONNECTION = Set.of("expect", "upgrade", "http2-settings", "te", "trailer",
			"proxy-connection");

	private static final Pattern METHOD = Pattern.compile("[A-Z]+");

	private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	private static final Pattern HOST = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?");

	private final ServerExchange exchange;

	private final ConnectionFacts facts;

	private final EventLoop loop;

	NettyRequest(ServerExchange exchange, ConnectionFacts facts, EventLoop loop) {
		super(HttpMethod.valueOf(exchange.head().method()), uri(exchange.head(), facts), null,
				headers(exchange.head().fields(), facts));
		this.exchange = exchange;
		this.facts = facts;
		this.loop = loop;
	}

	/**
	 * Checks that Reactor Netty would hand the request on. It answers any other request
	 * itself, over HTTP.
	 * @throws HttpRequiredException if it is not
	 */
	static void check(ServerExchange exchange, ConnectionFacts facts, HttpServerConfig config) {
		RequestHead head = exchange.head();
		String target = head.target();
		if (!METHOD.matcher(head.method()).matches() || head.method().equals("CONNECT") || !target.startsWith("/")
				|| target.indexOf('#') >= 0
				|| head.method().length() + target.length() + LINE_BYTES > config.decoder().maxInitialLineLength()) {
			throw new HttpRequiredException("its request line is unusual");
		}
		checkFields(head.fields(), config.decoder().maxHeaderSize());
		try {
			uri(head, facts);
		}
		catch (IllegalArgumentException ex) {
			throw new HttpRequiredException("its request line is unusual");
		}
	}

	private static void checkFields(HttpFields fields, int maxBytes) {
		int bytes = 0;
		int hosts = 0;
		int framings = 0;
		for (int i = 0; i < fields.size(); i++) {
			String name = fields.name(i);
			String value = fields.value(i);
			String lower = name.toLowerCase(Locale.ROOT);
			bytes += name.length() + value.length() + FIELD_BYTES;
			switch (lower) {
				case "host" -> hosts += HOST.matcher(value).matches() ? 1 : 2;
				case "content-length" -> framings += (length(value) >= 0) ? 1 : 2;
				case "transfer-encoding" -> framings += value.equals("chunked") ? 1 : 2;
				default -> {
				}
			}
			if (OF_CONNECTION.contains(lower) || !NAME.matcher(name).matches() || !isValue(value)) {
				throw new HttpRequiredException("its header " + name + " is unusual");
			}
		}
		if (hosts != 1 || framings > 1 || bytes > maxBytes) {
			throw new HttpRequiredException("its headers are unusual");
		}
	}

	/** A parser takes spaces around a value off, and refuses other control characters. */
	private static boolean isValue(String value) {
		return value.equals(value.strip()) && value.chars().allMatch((c) -> c >= ' ' && c != 127 && c < 256);
	}

	private static long length(String value) {
		return (!value.isEmpty() && value.length() <= 18 && value.chars().allMatch((c) -> c >= '0' && c <= '9'))
				? Long.parseLong(value) : -1;
	}

	private static URI uri(RequestHead head, ConnectionFacts facts) {
		String host = Objects.requireNonNull(head.fields().first("host"));
		int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
		String authority = (colon >= 0 && host.substring(colon + 1).equals("80")) ? host.substring(0, colon) : host;
		return URI.create(facts.scheme() + "://" + authority + head.target());
	}

	private static HttpHeaders headers(HttpFields fields, ConnectionFacts facts) {
		HttpHeaders headers = new HttpHeaders(new Netty4HeadersAdapter(
				DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders()));
		fields.forEach(headers::add);
		facts.headers().forEach((name, values) -> {
			if (!name.equals("host") && !headers.containsHeader(name)) {
				headers.addAll(facts.spelled(name), values);
			}
		});
		return headers;
	}

	@Override
	protected MultiValueMap<String, HttpCookie> initCookies() {
		// Reactor Netty has them in this order, too.
		Map<String, List<HttpCookie>> byName = new HashMap<>();
		for (String value : getHeaders().getOrEmpty(HttpHeaders.COOKIE)) {
			for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(value)) {
				byName.computeIfAbsent(cookie.name(), (name) -> new ArrayList<>())
					.add(new HttpCookie(cookie.name(), cookie.value()));
			}
		}
		return new LinkedMultiValueMap<>(byName);
	}

	@Override
	public InetSocketAddress getRemoteAddress() {
		return address(this.facts.remoteAddr(), 0);
	}

	@Override
	public InetSocketAddress getLocalAddress() {
		return address(this.facts.localAddr(), this.facts.localPort());
	}

	private static InetSocketAddress address(String literal, int port) {
		try {
			return new InetSocketAddress(InetAddress.getByName(literal), port);
		}
		catch (UnknownHostException ex) {
			return InetSocketAddress.createUnresolved(literal, port);
		}
	}

	@Override
	protected @Nullable SslInfo initSslInfo() {
		return null;
	}

	/** Id as short as that of a connection, whose number precedes it. */
	@Override
	protected String initId() {
		return "%08x-%d".formatted(System.identityHashCode(this.loop), IDS.incrementAndGet());
	}

	/** There is no request of Reactor Netty. */
	@Override
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	public <T> T getNativeRequest() {
		return (T) this.exchange;
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.create((sink) -> {
			Reader reader = new Reader(sink);
			sink.onRequest((count) -> reader.work());
			sink.onCancel(this.exchange::stopReading);
		});
	}

	/** Reads what has come, as far as it was requested; never waits. */
	private final class Reader implements Runnable {

		private final FluxSink<DataBuffer> sink;

		private final AtomicInteger work = new AtomicInteger();

		/** Remaining bytes of the announced length; -1 if it is unknown. */
		private long unread = getHeaders().getContentLength();

		private boolean ended;

		Reader(FluxSink<DataBuffer> sink) {
			this.sink = sink;
		}

		void work() {
			if (this.work.getAndIncrement() > 0) {
				return;
			}
			if (NettyRequest.this.loop.inEventLoop()) {
				run();
			}
			else {
				NettyExchanges.goOn(NettyRequest.this.loop, NettyRequest.this.exchange, this);
			}
		}

		@Override
		public void run() {
			int missed = this.work.get();
			while (missed != 0) {
				try {
					read();
				}
				catch (IOException | RuntimeException ex) {
					this.ended = true;
					this.sink.error(ex);
				}
				missed = this.work.addAndGet(-missed);
			}
		}

		private void read() throws IOException {
			ServerExchange from = NettyRequest.this.exchange;
			while (!this.ended && !this.sink.isCancelled()) {
				if (this.unread == 0) {
					end();
					return;
				}
				int available = from.available();
				// At the end, to read says whether the client has gone.
				if (available > 0 ? this.sink.requestedFromDownstream() == 0 : !from.isFullyRead()) {
					if (available == 0) {
						from.whenReadable(() -> NettyExchanges.goOn(NettyRequest.this.loop, from, this::work));
					}
					return;
				}
				byte[] bytes = new byte[Math.max(1, Math.min(READ_BYTES, available))];
				int limit = (this.unread < 0) ? bytes.length : (int) Math.min(this.unread, bytes.length);
				int count = from.read(bytes, 0, limit);
				if (count < 0) {
					end();
					return;
				}
				this.unread = (this.unread < 0) ? -1 : this.unread - count;
				this.sink.next(DefaultDataBufferFactory.sharedInstance.wrap(ByteBuffer.wrap(bytes, 0, count)));
			}
		}

		private void end() throws IOException {
			this.ended = true;
			if (this.unread > 0) {
				throw new EOFException(
						"The body of the request ends %d bytes before its length".formatted(this.unread));
			}
			this.sink.complete();
		}

	}

}
