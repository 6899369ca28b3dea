package io.github.vicinal.boot.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.path.PathException;
import io.github.vicinal.replica.Outcome;
import io.github.vicinal.replica.Replica;
import io.github.vicinal.replica.ReplicaChoice;
import io.github.vicinal.requestserver.Rejection;
import org.jspecify.annotations.Nullable;

/** One attempt of a call at one replica. Completes exactly once. */
final class ReplicaAttempt {

	private static final int REFUSED_STATUS = 503;

	private static final int SERVER_ERRORS = 500;

	private final ReplicaChoice choice;

	private final Replica replica;

	private final @Nullable URI uri;

	private final int mostReplicas;

	private final Map<String, String> metadata;

	private final int met;

	private final long start = System.nanoTime();

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile int status;

	private volatile boolean refusedBeforeExecution;

	/** Whether the replica has sent the request on to another server. */
	private volatile boolean redirected;

	/** Whether there was a connection, over which at least a part of the request went. */
	private volatile boolean connected;

	/** Whether a connection that is refused may be one that a redirect asked for. */
	private volatile boolean unsure;

	/**
	 * Begins an attempt at a configured replica.
	 * @param choice keeps the account
	 * @param replica the replica
	 * @param uri where HTTP requests are to go
	 * @param mostReplicas maximum number of replicas that the call may be made at
	 */
	ReplicaAttempt(ReplicaChoice choice, Replica replica, @Nullable URI uri, int mostReplicas) {
		this(choice, replica, uri, mostReplicas, Map.of());
	}

	/**
	 * Begins an attempt at a replica to which a load balancer sends HTTP requests.
	 * @param choice keeps the account
	 * @param replica the replica
	 * @param metadata the metadata of the replica's registration
	 */
	ReplicaAttempt(ReplicaChoice choice, Replica replica, Map<String, String> metadata) {
		this(choice, replica, null, 1, metadata);
	}

	private ReplicaAttempt(ReplicaChoice choice, Replica replica, @Nullable URI uri, int mostReplicas,
			Map<String, String> metadata) {
		this.choice = choice;
		this.replica = replica;
		this.uri = uri;
		this.mostReplicas = mostReplicas;
		this.metadata = metadata;
		this.met = replica.begin();
	}

	/** Returns what the registration of the replica says, empty if there is none. */
	Map<String, String> metadata() {
		return this.metadata;
	}

	Replica replica() {
		return this.replica;
	}

	/** Returns the maximum number of replicas that the call may be made at. */
	int mostReplicas() {
		return this.mostReplicas;
	}

	String address() {
		return this.replica.address();
	}

	/** Returns where a request goes instead of where the client sent it. */
	URI target(URI asked) {
		if (this.uri == null) {
			return asked;
		}
		if ("https".equalsIgnoreCase(asked.getScheme()) && !"https".equals(this.uri.getScheme())) {
			throw new InvalidChannelException(
					"The client calls %s, but its instance %s does not use https, which would be less safe"
						.formatted(asked, this.uri),
					"Begin the instances with https://");
		}
		String text = asked.toString();
		int authority = text.indexOf("://") + 3;
		int rest = authority;
		while (rest < text.length() && "/?#".indexOf(text.charAt(rest)) < 0) {
			rest++;
		}
		return URI.create(this.uri.getScheme() + "://" + this.uri.getRawAuthority() + text.substring(rest));
	}

	/**
	 * Notes the status of an answer.
	 * @param latest the status
	 * @param refused whether the answer says that the request was not executed, which
	 * only our own servers say: others send 503 for whatever reason
	 */
	void answered(int latest, boolean refused) {
		this.status = latest;
		this.refusedBeforeExecution = latest == REFUSED_STATUS && refused;
	}

	/** Notes that the replica sent the request on: what follows is another server's. */
	void redirected() {
		this.redirected = true;
	}

	/**
	 * Notes a failure in an HTTP client that follows redirects without notice.
	 * @param wasConnected whether a part of the request was sent, so that a connection
	 * which is refused is not the first one
	 */
	void failed(boolean wasConnected) {
		this.unsure = true;
		this.connected |= wasConnected;
	}

	/** Notes the outcome of the call over a typed path. */
	void attempted(Attempt attempt) {
		if (attempt instanceof Attempt.HandlerFailed failed) {
			answered(failed.failure().status(), failed.failure().headers().containsKey(Rejection.HEADER));
		}
	}

	/**
	 * Notes where a request goes. A load balancer that tries again may send it elsewhere:
	 * then this replica's part ends with what it did, and the answer is another's.
	 * @param target the address
	 * @param again whether an attempt was made before
	 */
	void sending(String target, boolean again) {
		if (this.uri != null || isAt(target)) {
			return;
		}
		if (!again) {
			end(Outcome.ABANDONED);
		}
		else if (this.status == REFUSED_STATUS) {
			end(Outcome.REFUSED);
		}
		else if (this.status >= SERVER_ERRORS) {
			end(Outcome.FAILED);
		}
		else {
			end((this.status == 0) ? Outcome.UNANSWERED : Outcome.ANSWERED);
		}
	}

	/** Load balancers may write an IPv6 address without brackets. */
	private boolean isAt(String target) {
		return target.equalsIgnoreCase(address())
				|| target.replace("[", "").replace("]", "").equalsIgnoreCase(address());
	}

	void end(Outcome outcome) {
		if (this.ended.compareAndSet(false, true)) {
			this.choice.end(this.replica, this.met, System.nanoTime() - this.start, outcome);
		}
	}

	/** Ends the attempt with a result, or with what was raised instead. */
	void end(@Nullable Throwable failure) {
		end(outcome(failure));
	}

	private Outcome outcome(@Nullable Throwable failure) {
		if (this.redirected) {
			return Outcome.ABANDONED;
		}
		if (this.status == REFUSED_STATUS) {
			return Outcome.REFUSED;
		}
		if (this.status != 0) {
			return (this.status >= SERVER_ERRORS) ? Outcome.FAILED : Outcome.ANSWERED;
		}
		if (failure == null) {
			return Outcome.ANSWERED;
		}
		if (isConnectFailure(failure)) {
			return this.connected ? Outcome.ABANDONED : Outcome.UNANSWERED;
		}
		if (isTimeout(failure)) {
			return Outcome.TIMED_OUT;
		}
		boolean connection = find(failure, IOException.class) || find(failure, PathException.class);
		return (connection && !isGivenUp(failure)) ? Outcome.UNANSWERED : Outcome.ABANDONED;
	}

	/** Returns whether the call may be made at another replica. */
	boolean mayGoOn(boolean idempotent, @Nullable Throwable failure) {
		if (this.status != 0) {
			return !this.redirected && this.status == REFUSED_STATUS && (idempotent || this.refusedBeforeExecution);
		}
		if (failure == null || isGivenUp(failure)) {
			return false;
		}
		if (isConnectFailure(failure)) {
			// The first connection or, once a redirect was followed, another server's.
			return idempotent || !(this.redirected || this.connected || this.unsure);
		}
		return idempotent && !isTimeout(failure) && outcome(failure) == Outcome.UNANSWERED;
	}

	private static boolean isConnectFailure(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof ConnectException || cause instanceof NoRouteToHostException
					|| cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException
					|| cause instanceof HttpConnectTimeoutException
					|| cause.getClass().getName().endsWith(".ConnectTimeoutException")) {
				return true;
			}
		}
		return false;
	}

	private static boolean isTimeout(Throwable failure) {
		return find(failure, SocketTimeoutException.class) || find(failure, HttpTimeoutException.class)
				|| find(failure, java.util.concurrent.TimeoutException.class);
	}

	private static boolean isGivenUp(Throwable failure) {
		boolean interrupted = find(failure, InterruptedIOException.class) && !isTimeout(failure);
		return interrupted || find(failure, InterruptedException.class) || find(failure, CancellationException.class);
	}

	private static boolean find(Throwable failure, Class<? extends Throwable> type) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (type.isInstance(cause)) {
				return true;
			}
		}
		return false;
	}

}
