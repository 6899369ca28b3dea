package io.github.vicinal.boot.client;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.ContractInquiry.Structure;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;
import io.github.vicinal.requestserver.Rejection;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * One call of a channel on its way through an HTTP client. Used by one thread at a time.
 */
final class HttpLeg {

	/** The attribute of a request that holds its {@link Mark}. */
	static final String ATTRIBUTE = HttpLeg.class.getName();

	private final ClientCall call;

	private final Channel channel;

	private final MethodPlan plan;

	private final Reply.@Nullable Failure replayed;

	/** Failure that the HTTP client is to see instead of a response. */
	private final @Nullable IOException failing;

	/** The attempt at a replica that this leg is a part of. */
	private final @Nullable ReplicaAttempt replicaAttempt;

	/** Receives what comes; {@code null} if nothing is to be kept. */
	private @Nullable CallAnswer answer;

	/** The peer that the request went to, once that is known. */
	private @Nullable Peer peer;

	private @Nullable URI sent;

	private int status;

	/** Start of the client's last attempt. */
	private long start = System.nanoTime();

	private boolean redirected;

	/** Whether the client may follow a redirect without reporting it. */
	private boolean hidesRedirects;

	/** Whether the call goes to a host that it names itself. */
	private boolean elsewhere;

	/** Whether the request asks whether the address still leads to the peer. */
	private boolean confirms;

	/** Whether the request asks if it reaches the handler that its method matches. */
	private boolean proves;

	/** Whether the request may become an exchange, and asks nothing for the channel. */
	private boolean exchanged;

	/** Whether the request is too large to ask. */
	private boolean unasked;

	private final HttpInFlight inFlight = new HttpInFlight();

	/** Whether the request of this call is marked as such. */
	private boolean marked;

	private boolean replayDone;

	/** Whether the request of this call is on its way. */
	private boolean executing;

	/** The maker of this call's request; {@code null} if it is not known. */
	private @Nullable Object maker;

	/** Creates a leg whose requests are sent. */
	HttpLeg(ClientCall call) {
		this(call, null, null);
	}

	/**
	 * Creates a leg that replays a response.
	 * @param replayed what the HTTP client is to see instead of a response
	 */
	HttpLeg(ClientCall call, Reply.Failure replayed) {
		this(call, replayed, null);
	}

	/**
	 * Creates the leg of a call that got no answer.
	 * @param failing what the HTTP client is to see instead of a response
	 */
	HttpLeg(ClientCall call, IOException failing) {
		this(call, null, failing);
	}

	private HttpLeg(ClientCall call, Reply.@Nullable Failure replayed, @Nullable IOException failing) {
		this.call = call;
		this.channel = call.client().channel();
		this.plan = call.plan();
		this.replayed = replayed;
		this.failing = failing;
		this.replicaAttempt = call.replicaAttempt();
		this.answer = call.answer();
		this.elsewhere = sends() && this.plan.goesElsewhere(call.arguments());
	}

	/** Returns whether the requests of the leg are sent, and not replayed. */
	private boolean sends() {
		return this.replayed == null && this.failing == null;
	}

	/** Request attribute that holds the call to which a request belongs. */
	static final class Mark {

		private @Nullable HttpLeg leg;

		void set(HttpLeg current) {
			this.leg = current;
			current.marked();
		}

	}

	/** Returns whether this is a call of a method, and not of another client's. */
	boolean calls(Method method) {
		return this.plan.method().method().equals(method);
	}

	/** Says that the request of this call has a {@link Mark}. */
	void marked() {
		this.marked = true;
	}

	/**
	 * Returns whether a request is that of this call, and not one that interceptors,
	 * error handlers or converters send meanwhile on the same thread. Clients that are
	 * made by hand do not mark theirs; it is known by its HTTP method and the end of its
	 * path. What is sent after an error was replayed is a new attempt of the client.
	 */
	boolean owns(HttpMethod method, URI uri, Map<String, Object> attributes) {
		if (this.replayDone) {
			return false;
		}
		if (attributes.get(ATTRIBUTE) instanceof Mark mark && mark.leg != null) {
			return mark.leg == this;
		}
		// An interceptor may drop attributes; to execute the call again would be worse.
		return (!this.marked || this.replayed != null) && this.plan.matches(method.name(), uri, this.call.arguments());
	}

	/** Says that the request of this call is on its way, or no longer. */
	void executing(boolean isExecuting) {
		this.executing = isExecuting;
	}

	boolean executing() {
		return this.executing;
	}

	/** Returns whether no request has shown yet what does not change. */
	boolean inspects() {
		return sends() && this.call.client().inspector().inspects();
	}

	/**
	 * Notes what a request shows of its client.
	 * @param ofWebClient whether the client is a {@code WebClient}
	 * @param readTimeout how long the client waits, or {@code null}
	 * @param interceptors class names of the interceptors
	 */
	void inspect(boolean ofWebClient, @Nullable Duration readTimeout, Collection<String> interceptors) {
		if (sends()) {
			this.call.client().inspector().inspect(ofWebClient, readTimeout, interceptors);
		}
	}

	/** Notes how the connector that sends the request follows redirects. */
	void redirects(@Nullable RedirectRules ofConnector) {
		if (sends()) {
			this.call.client().traits().redirects(ofConnector);
		}
	}

	/** Notes whether the connector that sends the request makes exchanges. */
	void exchanges(boolean ofConnector) {
		if (sends()) {
			this.call.client().traits().exchanges(ofConnector);
		}
	}

	/** Returns whether the connector of a {@code WebClient} makes exchanges. */
	boolean exchanges() {
		return this.call.client().traits().exchanges();
	}

	/** Returns how the connector of a {@code WebClient} follows redirects, if known. */
	@Nullable RedirectRules redirects() {
		return this.call.client().traits().redirects();
	}

	/**
	 * Returns whether a request is that of this call.
	 * @param method the method of the interface that it was made for
	 * @param maker what made it, see {@link #madeBy}
	 */
	boolean owns(Method method, @Nullable Object maker) {
		return !this.replayDone && this.maker != null && this.maker == maker
				&& this.call.client().plan(method) == this.plan;
	}

	/**
	 * Returns whether the request of this call was not made yet, or may be made again.
	 */
	boolean awaits() {
		return !this.replayDone;
	}

	/**
	 * Names what makes the request of this call, for clients that can tell it from
	 * requests of others.
	 */
	void madeBy(Object client) {
		this.maker = client;
	}

	/**
	 * Raises the failure that the HTTP client is to see instead of sending, once.
	 * @throws IOException the failure
	 */
	void fail() throws IOException {
		if (this.failing != null) {
			this.replayDone = true;
			throw this.failing;
		}
	}

	/** Returns the failure that the HTTP client is to see instead of sending, once. */
	Reply.@Nullable Failure replay() {
		this.replayDone = this.replayed != null;
		return this.replayed;
	}

	/**
	 * Notes that the response that was replayed was a redirect, which was followed.
	 * @param newStatus the status of the response that the caller gets
	 */
	void followed(int newStatus) {
		this.status = newStatus;
	}

	/** Returns the status of the response that the caller gets, 0 if there is none. */
	int status() {
		return this.status;
	}

	/** Returns whether an error is still to be replayed. */
	boolean replays() {
		return this.replayed != null && !this.replayDone;
	}

	@Nullable ReplicaAttempt replicaAttempt() {
		return this.replicaAttempt;
	}

	/** Returns where a request goes, which the client may not know. */
	URI target(URI asked) {
		return (this.replicaAttempt != null) ? this.replicaAttempt.target(asked) : asked;
	}

	Channel channel() {
		return this.channel;
	}

	/** Returns whether bodies may be streams, which take as long as they take. */
	boolean mayStream() {
		return this.plan.method().httpOnlyReason() != null;
	}

	/**
	 * Has the request that is being sent ask its peer for paths, unless it is too large.
	 * @param size its size without what asks
	 * @param names the names of its headers
	 * @param reactive whether it is the request of a {@code WebClient}
	 * @param header sets a header
	 */
	void ask(RequestSize size, String names, boolean reactive, BiConsumer<String, String> header) {
		RequestSize whole = (this.sent != null) ? this.call.client().additions().withCookies(size, target(this.sent))
				: size;
		this.unasked = !whole.ask(inquiry(reactive), names, header);
		if (this.unasked) {
			this.proves = false;
		}
	}

	private String inquiry(boolean reactive) {
		Structure structure = (this.sent != null)
				? this.call.client().structure().of(this.plan, target(this.sent), this.peer) : null;
		this.proves = structure != null && structure.call() != Structure.OTHER_CALL;
		return new ContractInquiry(this.channel.contract().name(), this.confirms, reactive, structure).format();
	}

	/** Returns whether the request that is being sent needs a connection of TCP. */
	boolean confirms() {
		return this.confirms;
	}

	/**
	 * Notes that the response may be that of a redirect's target, which says nothing of
	 * the server that was asked.
	 */
	void mayBeBehindRedirect() {
		this.answer = null;
		this.hidesRedirects = true;
	}

	/**
	 * Notes whether the client may follow a redirect, of which nothing would be seen.
	 */
	void hidesRedirects(boolean mayFollow) {
		this.hidesRedirects = mayFollow;
	}

	/** Returns whether a failure may be that of a redirect's target. */
	boolean hidesRedirects() {
		return this.hidesRedirects;
	}

	/** Returns whether it matters how far a request came that gets no answer. */
	boolean watchesRequest() {
		return this.replicaAttempt != null && !this.plan.method().idempotent() && this.call.failsOver();
	}

	/** Returns whether a cache may keep the answer. */
	boolean maybeCached() {
		return this.answer != null;
	}

	boolean elsewhere() {
		return this.elsewhere;
	}

	/**
	 * Notes that the client followed a redirect: what it gets is another server's, and
	 * says nothing of the one that was asked.
	 */
	void redirected() {
		this.redirected = true;
		if (this.replicaAttempt != null) {
			this.replicaAttempt.redirected();
		}
	}

	/**
	 * Notes a failure in an HTTP client that follows redirects without reporting them.
	 * @param connected whether a part of the request was sent
	 */
	void failed(boolean connected) {
		if (this.replicaAttempt != null) {
			this.replicaAttempt.failed(connected);
		}
	}

	void sending(URI uri, HttpHeaders headers) {
		if (target(uri).getRawAuthority() == null) {
			// There is no base URL; the client is about to report that.
			this.elsewhere = true;
			return;
		}
		boolean first = this.sent == null;
		if (this.answer != null) {
			this.answer.sending();
		}
		this.sent = uri;
		this.proves = false;
		this.redirected = false;
		this.hidesRedirects = false;
		String target = HttpAddress.of(target(uri));
		if (!first) {
			this.status = 0;
			this.start = System.nanoTime();
		}
		if (this.replicaAttempt != null) {
			this.replicaAttempt.sending(target, !first);
		}
		if (first && sends()) {
			this.call.client().inspector().sending(this.call, target(uri), headers);
		}
		this.peer = this.elsewhere ? null : this.channel.peer(target);
		this.confirms = this.peer != null && this.peer.confirms();
		this.exchanged = false;
		this.unasked = false;
		this.inFlight.sending(this.peer, this.call);
	}

	/**
	 * Decides whether the request that is being sent may become an exchange: HTTP alone
	 * has the effect that the call must have, and the channel has nothing to ask. The
	 * request is then counted as an exchange and not as a call of the channel. A call
	 * that may go on at another replica only if it was not executed stays on HTTP: there
	 * alone a rejection says so to channels, and a body that was begun shows that there
	 * was a connection.
	 * @param paths returns the paths that exchanges with the target may take; a channel
	 * that may take fewer keeps its requests
	 */
	boolean leavesToExchanges(Function<URI, ? extends Collection<PathKind>> paths) {
		Peer to = this.peer;
		URI uri = this.sent;
		if (to == null || uri == null || this.confirms || watchesRequest() || !this.call.needsHttp(to)
				|| !to.needsNoInquiry(this.plan.method())) {
			return false;
		}
		Collection<PathKind> taken = paths.apply(target(uri));
		this.exchanged = !taken.isEmpty() && this.channel.settings().paths().containsAll(taken);
		if (this.exchanged) {
			this.inFlight.sending(null, this.call);
		}
		return this.exchanged;
	}

	/** Returns whether the request that is being sent may become an exchange. */
	boolean exchanged() {
		return this.exchanged;
	}

	/**
	 * Ends the leg, and learns from it.
	 * @param raised what the HTTP client raised, or {@code null}
	 */
	void end(@Nullable Throwable raised) {
		if (this.replayed != null) {
			this.call.replayed(this, this.replayed, raised);
			return;
		}
		if (this.failing != null) {
			return;
		}
		this.inFlight.end(System.nanoTime() - this.start, this.status, !this.redirected);
		if (!this.elsewhere) {
			this.call.client().inspector().ended(this.call, this.sent, this.peer != null);
		}
	}

	/** Returns the URI of the request, once it is sent. */
	@Nullable URI sent() {
		return this.sent;
	}

	void answered(URI uri, int answeredStatus, HttpHeaders headers) {
		this.status = answeredStatus;
		pass(answeredStatus, headers);
		if (this.redirected || this.elsewhere) {
			return;
		}
		if (this.replicaAttempt != null) {
			this.replicaAttempt.answered(answeredStatus,
					!this.hidesRedirects && headers.containsHeader(Rejection.HEADER));
		}
		if (this.exchanged) {
			return;
		}
		String announcement = headers.getFirst(PeerAnnouncement.HEADER);
		Peer answering = this.channel.peer(HttpAddress.of(target(uri)));
		this.peer = answering;
		if (this.unasked) {
			answering.unasked(RequestSize.TOO_LARGE);
			return;
		}
		if (announcement == null) {
			answering.silent();
			return;
		}
		try {
			PeerAnnouncement latest = PeerAnnouncement.parse(announcement);
			PathRule rule = this.call.client().legs().rules().of(target(uri));
			if (this.proves) {
				answering.announced(latest, this.start, rule, this.plan.method());
			}
			else {
				answering.announced(latest, this.start, rule);
			}
			answering.inquired(latest, this.plan.method());
		}
		catch (MalformedAnnouncementException ex) {
			answering.ignored(String.valueOf(ex.getMessage()));
		}
	}

	/** Lists the names of headers, for the server to know which were added on the way. */
	static String names(HttpHeaders headers) {
		return String.join(",", headers.headerNames()).toLowerCase(Locale.ROOT);
	}

	private void pass(int answeredStatus, HttpHeaders headers) {
		if (this.answer == null) {
			return;
		}
		if (this.redirected) {
			this.answer.unknown();
		}
		else {
			this.answer.received(answeredStatus, headers);
		}
	}

}
