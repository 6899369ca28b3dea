package io.github.vicinal.boot.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.ThreadLocalRandom;

import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.path.CallPath;
import org.jspecify.annotations.Nullable;

/**
 * Decides where the calls of one channel go: to which replica, and over which path. A
 * call goes over HTTP if no path is open, or if something says that only HTTP has the
 * same effect. Thread-safe.
 */
final class CallRoutes {

	/** One call in 64 lets HTTP find replicas behind a balancer that cannot be asked. */
	private static final int DISCOVERY_MASK = 63;

	private static final String NO_ANSWER_YET = "no answer over HTTP yet, which would name the peer's paths";

	private final Channel channel;

	private final CallTargets targets;

	/** Chooses among replicas; {@code null} if others do. */
	private final @Nullable ReplicaBalancer replicas;

	private final boolean discovers;

	private final ClientTraits traits;

	private final KnownAdditions additions;

	/**
	 * Creates the routes of a channel.
	 * @param targets says which peer a call is for
	 * @param replicas chooses among replicas, or {@code null}
	 * @param discovers whether replicas may hide behind a balancer that cannot be asked
	 * @param traits what requests have shown of the client
	 * @param additions what the client adds to requests
	 */
	CallRoutes(Channel channel, CallTargets targets, @Nullable ReplicaBalancer replicas, boolean discovers,
			ClientTraits traits, KnownAdditions additions) {
		this.channel = channel;
		this.targets = targets;
		this.replicas = replicas;
		this.discovers = discovers && replicas == null;
		this.traits = traits;
		this.additions = additions;
	}

	/** Returns whether calls may be made at more than one replica. */
	boolean failsOver() {
		return this.replicas != null && this.replicas.failsOver();
	}

	/**
	 * Chooses the replica, the peer and the path of a call.
	 * @param call the call, which is notified of the choice
	 * @param noRoom why there is no thread for a call over a path, if that is so
	 * @return an open path that can carry the call, or {@code null} for HTTP
	 */
	@Nullable CallPath route(ClientCall call, @Nullable String noRoom) {
		boolean elsewhere = call.plan().goesElsewhere(call.arguments());
		ReplicaAttempt replicaAttempt = (this.replicas != null && !elsewhere) ? this.replicas.begin(call.met()) : null;
		String address = (replicaAttempt != null) ? replicaAttempt.address() : elsewhere ? null : target();
		Peer peer = this.channel.known(address);
		if (peer == null && replicaAttempt != null && !replicaAttempt.metadata().isEmpty()) {
			expect(call.plan(), replicaAttempt);
		}
		call.goTo(replicaAttempt, address, peer);
		String noThread = (noRoom != null && peer != null && peer.callsLater()) ? null : noRoom;
		String reason = (noThread != null) ? noThread : onlyHttpBecause(call);
		boolean byChance = this.discovers && this.traits.balanced()
				&& (ThreadLocalRandom.current().nextInt() & DISCOVERY_MASK) == 0;
		// A path that is selected but never used would count as a hung call.
		CallPath path = (reason == null && !byChance && peer != null && address != null)
				? peer.path(call.plan().method(), call.arguments()) : null;
		if (path == null && replicaAttempt == null && address != null && ThreadLocalRandom.current().nextBoolean()) {
			/*
			 * A round-robin balancer is asked twice for this call: it was asked here, and
			 * the HTTP client will ask again. Without an extra call now and then HTTP
			 * would never meet the instance that was chosen here.
			 */
			this.targets.choose();
		}
		if (reason != null && peer != null && peer.hasPath()) {
			String always = peer.httpOnlyReason(call.plan().method());
			this.channel
				.leftToHttp((always != null && noThread == null) ? call.plan().method() + ": " + reason : reason);
		}
		if (path == null) {
			call.leaveToHttp(noThread, reason == null);
		}
		return path;
	}

	/**
	 * Lets paths prepare for a replica that has not answered yet, unless calls will not
	 * leave HTTP anyway, or requests go through a proxy.
	 */
	private void expect(MethodPlan plan, ReplicaAttempt replicaAttempt) {
		String address = replicaAttempt.address();
		if (this.additions.onlyHttpBecause(plan) == null && !isProxied("http://" + address)
				&& !isProxied("https://" + address)) {
			this.channel.expect(address, replicaAttempt.metadata());
		}
	}

	/** An address that is none is left to the HTTP client. */
	private boolean isProxied(String target) {
		try {
			return this.additions.get().proxied(new URI(target));
		}
		catch (URISyntaxException ex) {
			return true;
		}
	}

	/**
	 * Asks for the peer of a call. That happens once for each call: the peer that
	 * answered last may soon be another.
	 */
	private @Nullable String target() {
		String chosen = this.targets.choose();
		Peer latest = (chosen == null) ? this.channel.known(null) : null;
		return (latest != null) ? latest.address() : chosen;
	}

	/** Returns why only HTTP has the effect that a call must have, or {@code null}. */
	private @Nullable String onlyHttpBecause(ClientCall call) {
		MethodPlan plan = call.plan();
		String added = this.additions.onlyHttpBecause(plan);
		if (added != null) {
			return added;
		}
		Peer peer = call.peer();
		String method = (peer != null) ? peer.httpOnlyReason(plan.method()) : plan.method().httpOnlyReason();
		if (method != null) {
			return method;
		}
		if (plan.shape().timing() != Timing.SYNC && !this.traits.reactive()) {
			return "a RestClient takes %s for the type of a body".formatted(plan.shape().timing());
		}
		return plan.onlyHttpBecause(call.arguments());
	}

	/** Returns why a call goes over HTTP, as far as that is known when it is sent. */
	String reasonForHttp(ClientCall call) {
		String known = call.reason();
		if (known != null) {
			return known;
		}
		String reason = onlyHttpBecause(call);
		if (reason != null) {
			return reason;
		}
		Peer peer = this.channel.known(call.address());
		return (peer != null) ? peer.reasonForHttp() : NO_ANSWER_YET;
	}

}
