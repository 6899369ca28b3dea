package io.github.vicinal.boot.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.channel.PeerCalls;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.replica.Replica;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * One call of a contract method, from the client's proxy to its outcome. It goes through
 * these stages, which are the same however its caller waits:
 * <ol>
 * <li><b>cache</b>, {@link #make()}: the answer may be known</li>
 * <li><b>replica</b> and <b>path</b>, {@link #route}: where the call goes, and over
 * what</li>
 * <li><b>attempt</b>, {@link #attempt()}: the call over a typed path</li>
 * <li><b>outcome</b>, {@link #next}: what the attempt means</li>
 * <li><b>HTTP</b>, {@link #overHttp()} and {@link #run}: the original call, or one that
 * replays a response</li>
 * </ol>
 * {@link #goesOn} ends the attempt at a replica. If it returns {@code true}, the call
 * starts again with {@link #route}. {@link BlockingCalls}, {@link FutureCalls} and
 * {@link ReactiveCalls} run the stages, each in its caller's way. Used by one thread at a
 * time, and published safely to the next one.
 */
final class ClientCall implements CallCache.Call {

	/** Without it the client is a {@code RestClient}, to which publishers are bodies. */
	private static final boolean WEB_CLIENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ClientCall.class.getClassLoader())
			&& ClassUtils.isPresent("org.springframework.web.reactive.function.client.WebClient",
					ClientCall.class.getClassLoader());

	private final ClientChannel client;

	private final MethodPlan plan;

	private final @Nullable Object[] arguments;

	private final Original original;

	private final Timing timing;

	/** Receives the answer, for a cache that may keep it. */
	private final @Nullable CallAnswer answer;

	/** Replicas that the call has left, in the order in which it met them. */
	private List<Replica> met = List.of();

	private @Nullable ReplicaAttempt replicaAttempt;

	private @Nullable String address;

	private @Nullable Peer peer;

	private @Nullable PeerCalls calls;

	private @Nullable CallPath path;

	/** Why the call goes over HTTP, where that is known before it is sent. */
	private @Nullable String reason;

	/** Whether the call could take a typed path if there were one. */
	private boolean comparable;

	private long deadline = CallFrame.NO_DEADLINE;

	private ClientObservation.Call observed = ClientObservation.Call.NOOP;

	/** Whether the caller has received a part of the result. */
	private boolean delivered;

	/**
	 * Creates a call.
	 * @param client the channel of the client that makes it
	 * @param plan the plan of the method
	 * @param timing how the caller waits
	 * @param arguments the arguments; not changed
	 * @param original the HTTP call
	 */
	ClientCall(ClientChannel client, MethodPlan plan, Timing timing, @Nullable Object[] arguments, Original original) {
		this(client, plan, timing, arguments, original, null);
	}

	private ClientCall(ClientChannel client, MethodPlan plan, Timing timing, @Nullable Object[] arguments,
			Original original, @Nullable CallAnswer answer) {
		this.client = client;
		this.plan = plan;
		this.timing = timing;
		this.arguments = arguments;
		this.original = original;
		this.answer = answer;
	}

	/**
	 * Makes the call, unless a cache has its answer.
	 * @return what the contract method returns
	 * @throws Throwable what the HTTP call would have thrown
	 */
	@Nullable Object make() throws Throwable {
		CallCache cache = this.client.cache(this.plan);
		return (cache != null) ? cache.call(this.arguments, this) : execute();
	}

	/** A cache may ask for several executions, as when it refreshes an answer. */
	@Override
	public @Nullable Object proceed(CallAnswer receiver) throws Throwable {
		return new ClientCall(this.client, this.plan, this.timing, this.arguments, this.original, receiver).execute();
	}

	/** Returns the same call as it was before any of its stages. */
	ClientCall again() {
		return new ClientCall(this.client, this.plan, this.timing, this.arguments, this.original, this.answer);
	}

	private @Nullable Object execute() throws Throwable {
		return switch (this.timing) {
			case SYNC -> BlockingCalls.make(this);
			case FUTURE -> FutureCalls.make(this, this.client.async());
			case MONO, FLUX -> WEB_CLIENT ? ReactiveCalls.make(this, this.client.async()) : this.original.proceed();
		};
	}

	/**
	 * Chooses replica and path, and starts the observation of a call over a path, on its
	 * caller's thread.
	 * @param noRoom why there is no thread for a call over a path, if that is so
	 * @param parent what the call belongs to, or {@code null} if that is the thread's
	 * current observation
	 * @return whether there is a path; else the call goes over HTTP
	 */
	boolean route(@Nullable String noRoom, @Nullable Observation parent) {
		CallPath chosen = this.client.routes().route(this, noRoom);
		this.path = chosen;
		if (chosen == null) {
			return false;
		}
		this.deadline = this.client.deadline();
		this.observed = this.client.observe(this.plan, chosen.kind(), this.arguments, parent);
		return true;
	}

	/**
	 * For {@link CallRoutes}: notes where the call goes.
	 * @param replica the attempt at a replica, or {@code null}
	 * @param target the peer's HTTP address, or {@code null} if it is not known
	 * @param known the peer, or {@code null} if it has not answered yet
	 */
	void goTo(@Nullable ReplicaAttempt replica, @Nullable String target, @Nullable Peer known) {
		this.replicaAttempt = replica;
		this.address = target;
		this.peer = known;
		this.calls = (known != null) ? known.calls() : null;
	}

	/**
	 * For {@link CallRoutes}: notes why the call goes over HTTP.
	 * @param why the reason, or {@code null} if it is to be found when the call is sent
	 * @param couldHave whether the call could take a typed path if there were one
	 */
	void leaveToHttp(@Nullable String why, boolean couldHave) {
		this.reason = why;
		this.comparable = couldHave;
	}

	/** Attempts the call over its path, on the calling thread. */
	Attempt attempt() {
		return this.client.attempts().attempt(this, called(), chosen());
	}

	/** Whether the handler may run on the thread that makes the attempt. */
	boolean runsInThisJvm() {
		return chosen().kind().reach() == PathKind.Reach.SAME_JVM;
	}

	/** Returns whether an attempt needs no thread until its answer is there. */
	boolean attemptsLater() {
		return this.client.attempts().attemptsLater(chosen());
	}

	/**
	 * Attempts the call over its path, without holding the calling thread.
	 * @param executor runs what may block
	 * @param completing opens the caller's context on the thread that completes the call
	 */
	CallAttempts.LaterAttempt attemptLater(Executor executor, Supplier<ContextSnapshot.Scope> completing) {
		return this.client.attempts().attemptLater(this, called(), chosen(), executor, completing);
	}

	private PeerCalls called() {
		return Objects.requireNonNull(this.calls, "There is no peer; the call goes over HTTP");
	}

	private CallPath chosen() {
		return Objects.requireNonNull(this.path, "There is no path; the call goes over HTTP");
	}

	/**
	 * Returns the way on after an attempt that brought no result.
	 * @param attempt the attempt
	 * @return the leg on which the HTTP client goes on
	 * @throws RuntimeException what the HTTP client raises when a request gets no answer,
	 * unless it raises that itself
	 */
	HttpLeg next(Attempt attempt) {
		if (attempt instanceof Attempt.HandlerFailed failed) {
			if (this.replicaAttempt != null) {
				this.replicaAttempt.attempted(failed);
			}
			if (this.client.traits().reactive()) {
				// WebClient observes the response, not what is raised because of it.
				this.observed.answered(failed.failure().status(), failed.failure().headers(), null);
			}
			return new HttpLeg(this, failed.failure());
		}
		if (attempt instanceof Attempt.Unanswered unanswered) {
			IOException below = this.client.kind().raisedBelow(unanswered.cause());
			if (below != null) {
				this.observed.failed(unanswered.cause(), below);
				return new HttpLeg(this, below);
			}
			RuntimeException raised = ClientFailures.of(this, unanswered.cause());
			this.observed.failed(unanswered.cause(), raised);
			throw raised;
		}
		leaveToHttp((attempt instanceof Attempt.GoOn goOn) ? goOn.reason() : null, false);
		return overHttp();
	}

	/** For {@link HttpLeg}: notes that the HTTP client has seen a response replayed. */
	void replayed(HttpLeg leg, Reply.Failure response, @Nullable Throwable raised) {
		if (this.client.traits().reactive()) {
			return;
		}
		// The client may have followed a redirect, of which only the status is known.
		boolean followed = leg.status() != 0;
		this.observed.answered(followed ? leg.status() : response.status(), followed ? Map.of() : response.headers(),
				raised);
	}

	/** Returns the leg of a call that goes over HTTP. */
	HttpLeg overHttp() {
		return new HttpLeg(this);
	}

	/**
	 * Lets the HTTP client make the call.
	 * @param leg what the client's requests belong to; to be ended when the call has
	 * @return what the HTTP client returns
	 */
	@Nullable Object run(HttpLeg leg) throws Throwable {
		return this.client.legs().run(leg, this.original);
	}

	/** Runs a subscription to what {@link #run} returned. */
	void subscribe(HttpLeg leg, Runnable subscription) {
		if (leg.replays()) {
			// WebClient begins to observe then; on its leg that is switched off.
			this.client.legs().runSubscription(leg, subscription);
		}
		else {
			subscription.run();
		}
	}

	/**
	 * Ends the attempt at a replica.
	 * @param failure what was raised, or {@code null} for a result
	 * @return whether the call goes on at another replica, with {@link #route}
	 */
	boolean goesOn(@Nullable Throwable failure) {
		ReplicaAttempt ended = this.replicaAttempt;
		if (ended == null) {
			return false;
		}
		ended.end(failure);
		if (!mayGoOn(ended, failure)) {
			return false;
		}
		List<Replica> all = new ArrayList<>(this.met);
		all.add(ended.replica());
		this.met = all;
		return true;
	}

	private boolean mayGoOn(ReplicaAttempt at, @Nullable Throwable failure) {
		return !this.delivered && this.met.size() + 1 < at.mostReplicas()
				&& at.mayGoOn(this.plan.method().idempotent(), failure);
	}

	/**
	 * Returns whether a part of the result is for the caller, which then gets all of it.
	 * It is not if the call goes on at another replica after this response.
	 */
	boolean delivers() {
		ReplicaAttempt current = this.replicaAttempt;
		if (!this.delivered && current != null && mayGoOn(current, null)) {
			return false;
		}
		this.delivered = true;
		return true;
	}

	/** Notifies listeners of the path that carries the call. */
	void carried(PathKind kind, @Nullable String why) {
		this.client.carried(this.plan, kind, why);
	}

	ClientChannel client() {
		return this.client;
	}

	MethodPlan plan() {
		return this.plan;
	}

	Timing timing() {
		return this.timing;
	}

	@Nullable Object[] arguments() {
		return this.arguments;
	}

	@Nullable CallAnswer answer() {
		return this.answer;
	}

	@Nullable ReplicaAttempt replicaAttempt() {
		return this.replicaAttempt;
	}

	/** Returns the replicas that the call has left, in the order in which it met them. */
	List<Replica> met() {
		return this.met;
	}

	/** Returns the HTTP address of the peer, or {@code null} if it is not known. */
	@Nullable String address() {
		return this.address;
	}

	@Nullable Peer peer() {
		return this.peer;
	}

	long deadline() {
		return this.deadline;
	}

	ClientObservation.Call observed() {
		return this.observed;
	}

	@Nullable String reason() {
		return this.reason;
	}

	/**
	 * Returns whether the call goes over HTTP only because no typed path to the peer can
	 * carry it. It does not if it compares paths, confirms an address, follows an attempt
	 * that failed, or found no thread.
	 */
	boolean needsHttp(Peer at) {
		return this.reason == null && !(this.comparable && at.hasPath());
	}

	boolean comparable() {
		return this.comparable;
	}

	/** Returns whether the call may be made at more than one replica. */
	boolean failsOver() {
		return this.replicaAttempt != null && this.replicaAttempt.mostReplicas() > 1;
	}

}
