package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.RouteRules;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges of an application's HTTP clients: which requests may become some, and how
 * each is made. Nothing is opened before the first request to a server that may be asked.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class Exchanges implements AutoCloseable {

	/** Idempotent methods (RFC 9110, section 9.2.2). */
	private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

	/** Requests that begin another protocol. */
	private static final String UPGRADE = "upgrade";

	private static final Logger logger = LoggerFactory.getLogger(Exchanges.class);

	private final AskedPeers asked;

	private final RegisteredPaths registered = new RegisteredPaths();

	private final Supplier<ExchangeClient> maker;

	private final ExecutorService connector;

	private final RouteRules rules;

	private final ExchangeCounts counts = new ExchangeCounts();

	private volatile @Nullable ExchangeClient client;

	private boolean closed;

	/**
	 * Creates the exchanges of an application.
	 * @param named names of hosts that are asked for paths although they are not this
	 * machine's
	 * @param ownPort the port of the application's own server, {@code null} if it has
	 * none
	 * @param maker makes the client once it is needed
	 * @param connector runs the client's attempts to connect; shut down with the
	 * exchanges
	 * @param rules which paths may stand in for requests
	 */
	Exchanges(Collection<String> named, Supplier<@Nullable Integer> ownPort, Supplier<ExchangeClient> maker,
			ExecutorService connector, RouteRules rules) {
		this.rules = rules;
		this.asked = new AskedPeers(named, ownPort);
		this.maker = maker;
		this.connector = connector;
	}

	/**
	 * Returns whether a server may be asked for its paths.
	 * @param scheme of the request
	 * @param host of the server
	 * @param port of the server
	 */
	boolean mayAsk(String scheme, String host, int port) {
		return isHttp(scheme) && this.asked.mayAsk(host, port, false);
	}

	/**
	 * Returns whether a server that is a service of the application's own may be asked
	 * for its paths.
	 * @param scheme of the request
	 * @param host of the server
	 * @param port of the server
	 */
	boolean mayAskService(String scheme, String host, int port) {
		return isHttp(scheme) && this.asked.mayAsk(host, port, true);
	}

	/**
	 * Notes that an address is that of a service of the application's own, such as an
	 * instance that its load balancer has chosen. It is asked for its paths if it belongs
	 * to a private network, without being named.
	 * @param host of the server
	 * @param port of the server
	 */
	void service(String host, int port) {
		this.asked.service(host, port);
	}

	/**
	 * Notes that an instance was chosen, as {@link #service(String, int)} does, and what
	 * its registration says about where it listens for paths.
	 * @param host of the instance
	 * @param port of the instance
	 * @param metadata the metadata of its registration
	 */
	void service(String host, int port, Map<String, String> metadata) {
		service(host, port);
		ExchangeClient known = this.client;
		String address = host + ":" + port;
		if (!metadata.isEmpty() && (known == null || known.channel().known(address) == null)) {
			this.registered.note(address, metadata);
		}
	}

	/**
	 * Returns the server that a request is about to be sent to over HTTP, and that may be
	 * asked for its paths. Lets paths prepare for one that is not known yet.
	 * @param made chooses paths
	 * @param address of the server, {@code host:port}
	 * @param direct whether the HTTP library sends the request to that address, and
	 * through no proxy
	 */
	Peer peer(ExchangeClient made, String address, BooleanSupplier direct) {
		Map<String, String> said = this.registered.take(address);
		if (!said.isEmpty() && direct.getAsBoolean()) {
			made.channel().expect(address, said);
		}
		return made.channel().peer(address);
	}

	/** Returns whether requests of a scheme may be exchanges at all. */
	static boolean isHttp(String scheme) {
		return "http".equalsIgnoreCase(scheme);
	}

	/**
	 * Returns whether nothing has to be waited for before it is known whether a server
	 * may be asked.
	 * @param host of the server
	 */
	boolean isKnown(String host) {
		return this.client != null && this.asked.isKnown(host);
	}

	/**
	 * Returns why requests may not go to the server itself: something that they are sent
	 * to sends them on, and may change or refuse them.
	 * @param address the address that requests are sent to, {@code host:port}
	 * @param arrival where the server says that they arrive
	 * @return the reason, or {@code null}
	 */
	@Nullable String detour(String address, String arrival) {
		return this.asked.detour(address, arrival);
	}

	/**
	 * Returns which paths may stand in for requests to an address. A server that is named
	 * is asked wherever it {@linkplain #detour says} that requests arrive, but paths over
	 * the network go around nothing that sends them on.
	 * @param address the address that requests are sent to, {@code host:port}
	 */
	PathRule rule(String address) {
		return this.rules.of(URI.create("http://" + address));
	}

	/** Returns whether a request may be repeated by the definition of its method. */
	static boolean isIdempotent(String method) {
		return IDEMPOTENT.contains(method);
	}

	/** Returns whether a request can only go over HTTP, as it begins something else. */
	static boolean leavesHttp(String name, String value) {
		return name.equalsIgnoreCase(UPGRADE) && !value.toLowerCase(Locale.ROOT).startsWith("h2c");
	}

	/**
	 * Returns the paths that exchanges with a service of the application's own may take.
	 * @param target where a request of a channel goes
	 * @param mayWait whether the caller may wait until it is known where the name leads
	 * @return empty if the server may not be asked
	 */
	Collection<PathKind> paths(URI target, boolean mayWait) {
		String host = target.getHost();
		String scheme = String.valueOf(target.getScheme());
		if (host == null || !isHttp(scheme)) {
			return Set.of();
		}
		int port = ExchangeRequests.port(target);
		service(host, port);
		if ((mayWait || isKnown(host)) && !mayAsk(scheme, host, port)) {
			return Set.of();
		}
		ExchangeClient made = client();
		return (made == null) ? Set.of()
				: made.channel().settings().paths().stream().filter((kind) -> !kind.equals(PathKind.HTTP)).toList();
	}

	/** Returns the client, which is made if it was not there. */
	@Nullable ExchangeClient client() {
		ExchangeClient known = this.client;
		return (known != null) ? known : make();
	}

	private synchronized @Nullable ExchangeClient make() {
		if (this.client == null && !this.closed) {
			this.client = this.maker.get();
		}
		return this.client;
	}

	/**
	 * Makes an exchange.
	 * @param route its way
	 * @param head the head of the request
	 * @param body the body, or {@code null} if there is none
	 * @param timeoutNanos how long the client waits, or {@link ClientExchange#NO_TIMEOUT}
	 * @param repetition requests that may be executed twice
	 * @return the exchange, or {@code null} if the request goes over HTTP instead: it was
	 * not executed, or may be repeated
	 * @throws IOException if neither is so
	 */
	@Nullable ClientExchange make(ExchangeClient.Route route, RequestHead head, @Nullable OutgoingBody body, long timeoutNanos,
			Repetition repetition) throws IOException {
		if (body == null) {
			try {
				return took(route, ClientExchange.begin(route, head, ByteBuffer.allocate(0), true, timeoutNanos));
			}
			catch (PathException ex) {
				return failed(ex, head, true, repetition.includes(head.method(), false));
			}
		}
		PartsOutput parts = new PartsOutput(route, head, timeoutNanos);
		try {
			body.writeTo(parts);
			return took(route, parts.end());
		}
		catch (IOException | RuntimeException | Error ex) {
			PathException untaken = parts.untaken();
			if (untaken != null && !(ex instanceof Error)) {
				// Converters put exceptions of their own around it.
				return failed(untaken, head, body.isRepeatable(), repetition.includes(head.method(), true));
			}
			parts.abort();
			throw ex;
		}
	}

	/** Counts a request that has gone to the server. */
	ClientExchange took(ExchangeClient.Route route, ClientExchange exchange) {
		this.counts.count(route.path().kind());
		return exchange;
	}

	/**
	 * Decides on a request without an answer.
	 * @param failure why there is none
	 * @param head the head of the request
	 * @param repeatable whether its body can be written again
	 * @param sentAgain whether the library sends it again, although it may have been
	 * executed
	 * @return {@code null} if it goes over HTTP
	 * @throws IOException if it does not
	 */
	static @Nullable ClientExchange failed(PathException failure, RequestHead head, boolean repeatable,
			boolean sentAgain) throws IOException {
		boolean waited = switch (failure.reason()) {
			case TIMEOUT, INTERRUPTED -> true;
			default -> false;
		};
		if (!waited && repeatable && (!failure.maybeExecuted() || sentAgain)) {
			logger.debug("{} goes over HTTP: {}", head, failure.getMessage());
			return null;
		}
		throw ClientExchange.failure(failure);
	}

	/**
	 * Describes the servers that were asked, if any.
	 * @return the report, or {@code null} if there were none
	 */
	public @Nullable ChannelReport report() {
		ExchangeClient known = this.client;
		return (known != null) ? known.channel().report() : null;
	}

	/**
	 * Returns the number of requests by path.
	 * @return live counts
	 */
	ExchangeCounts counts() {
		return this.counts;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		ExchangeClient known = this.client;
		if (known != null) {
			known.channel().close();
		}
		this.connector.shutdown();
	}

}
