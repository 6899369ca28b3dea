package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.replica.Replica;
import io.github.vicinal.replica.ReplicaChoice;
import io.github.vicinal.replica.ReplicaReport;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the replica that each call of a channel goes to. The replicas are configured,
 * or a load balancer lists them each time it is asked. Thread-safe.
 */
final class ReplicaBalancer {

	/**
	 * Interval at which the distance of replicas is derived anew from announcements and
	 * paths.
	 */
	private static final long RELOCATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final ReplicaChoice choice = new ReplicaChoice();

	private final ReplicaLocator locator;

	/** Addresses of configured replicas. */
	private final Map<String, URI> uris;

	private final @Nullable CallTargets loadBalancer;

	private final ReplicaSelection.Holder selections;

	private final AtomicLong relocateAt = new AtomicLong(System.nanoTime());

	private final boolean takesTurns;

	private final AtomicInteger turns = new AtomicInteger();

	/** Instances of the last update of the choice. */
	private volatile Known latest = new Known(List.of(), Map.of());

	private ReplicaBalancer(ReplicaLocator locator, List<URI> instances, @Nullable CallTargets loadBalancer,
			ReplicaSelection.Holder selections, boolean locality) {
		this.locator = locator;
		this.takesTurns = !locality;
		this.loadBalancer = loadBalancer;
		this.selections = selections;
		Map<String, URI> byAddress = new LinkedHashMap<>();
		instances.forEach((uri) -> byAddress.put(HttpAddress.of(uri), uri));
		this.uris = byAddress;
		this.choice.update(this.uris.keySet(), locator);
	}

	/**
	 * Creates a balancer among configured replicas.
	 * @param instances their URLs
	 * @param locator says how near they are
	 * @param locality whether near replicas are preferred; else calls are distributed
	 * round-robin
	 * @param selections unused by configured replicas
	 */
	static ReplicaBalancer among(List<URI> instances, ReplicaLocator locator, boolean locality,
			ReplicaSelection.Holder selections) {
		return new ReplicaBalancer(locator, instances, null, selections, locality);
	}

	/** Creates a balancer among what a load balancer chooses from. */
	static ReplicaBalancer within(CallTargets loadBalancer, ReplicaLocator locator,
			ReplicaSelection.Holder selections) {
		return new ReplicaBalancer(locator, List.of(), loadBalancer, selections, true);
	}

	/** Returns whether calls go on at another replica when one cannot take them. */
	boolean failsOver() {
		return this.loadBalancer == null && this.uris.size() > 1;
	}

	/**
	 * Begins an attempt of a call at a replica.
	 * @param met replicas that did not execute the call, in the order in which it met
	 * them
	 * @return the attempt, or {@code null} if the load balancer did not ask for a choice
	 */
	@Nullable ReplicaAttempt begin(List<Replica> met) {
		relocate();
		CallTargets asked = this.loadBalancer;
		if (asked == null) {
			Replica replica = this.takesTurns ? inTurn(met) : this.choice.choose(met);
			return (replica != null)
					? new ReplicaAttempt(this.choice, replica, this.uris.get(replica.address()), this.uris.size())
					: null;
		}
		ReplicaSelection selection = new ReplicaSelection(this);
		String address = this.selections.asking(selection, asked);
		Replica replica = selection.chosen();
		return (replica != null && replica.address().equals(address))
				? new ReplicaAttempt(this.choice, replica, selection.metadata()) : null;
	}

	/**
	 * Takes the next replica. A call that goes on takes the one after that which failed,
	 * so that it meets each once, whatever other calls take meanwhile.
	 */
	private @Nullable Replica inTurn(List<Replica> met) {
		int size = this.uris.size();
		Replica last = met.isEmpty() ? null : met.get(met.size() - 1);
		for (int i = 0; last != null && i < size; i++) {
			if (this.choice.at(i) == last) {
				// Counts as an attempt, so that others do not take the same one next.
				this.turns.getAndIncrement();
				return this.choice.at((i + 1) % size);
			}
		}
		return this.choice.at(Math.floorMod(this.turns.getAndIncrement(), size));
	}

	private void relocate() {
		long due = this.relocateAt.get();
		long now = System.nanoTime();
		if (now - due >= 0 && this.relocateAt.compareAndSet(due, now + RELOCATE_NANOS)) {
			this.choice.relocate(this.locator);
			this.choice.probe(this.locator::probe);
		}
	}

	/**
	 * Chooses among the instances that a load balancer knows.
	 * @param addresses their addresses
	 * @param zones their zones by address, where they have one
	 * @return the replica, or {@code null} if there is none
	 */
	@Nullable Replica choose(List<String> addresses, Map<String, String> zones) {
		if (!this.latest.are(addresses, zones)) {
			update(addresses, zones);
		}
		return this.choice.choose();
	}

	/** Threads may hold different lists; the choice is always among the latest one. */
	private synchronized void update(List<String> addresses, Map<String, String> zones) {
		if (!this.latest.are(addresses, zones)) {
			this.locator.zones(zones);
			this.choice.update(addresses, this.locator);
			this.latest = new Known(List.copyOf(addresses), Map.copyOf(zones));
		}
	}

	/**
	 * The instances that a load balancer knows.
	 *
	 * @param addresses their addresses
	 * @param zones their zones by address, where they have one
	 */
	private record Known(List<String> addresses, Map<String, String> zones) {

		boolean are(List<String> others, Map<String, String> theirZones) {
			return this.addresses.equals(others) && this.zones.equals(theirZones);
		}

	}

	List<ReplicaReport> report() {
		return this.choice.report();
	}

}
