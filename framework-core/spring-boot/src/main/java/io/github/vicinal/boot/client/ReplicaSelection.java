package io.github.vicinal.boot.client;

import java.util.Map;

import io.github.vicinal.replica.Replica;
import org.jspecify.annotations.Nullable;

/**
 * A question of a channel to a load balancer, on its way to the supplier of instances,
 * which may answer on another thread.
 */
final class ReplicaSelection {

	private final ReplicaBalancer balancer;

	private volatile @Nullable Replica chosen;

	/** Metadata of the replica's registration; written before the replica. */
	private Map<String, String> metadata = Map.of();

	ReplicaSelection(ReplicaBalancer balancer) {
		this.balancer = balancer;
	}

	ReplicaBalancer balancer() {
		return this.balancer;
	}

	@Nullable Replica chosen() {
		return this.chosen;
	}

	/** Returns the metadata of the replica that was chosen. */
	Map<String, String> metadata() {
		return this.metadata;
	}

	/**
	 * Notes the answer.
	 * @param replica the replica
	 * @param registered the metadata of its registration
	 */
	void chosen(Replica replica, Map<String, String> registered) {
		this.metadata = registered;
		this.chosen = replica;
	}

	/** The question that the current thread asks. */
	static final class Holder {

		private final ThreadLocal<ReplicaSelection> current = new ThreadLocal<>();

		@Nullable ReplicaSelection current() {
			return this.current.get();
		}

		@Nullable String asking(ReplicaSelection selection, CallTargets loadBalancer) {
			this.current.set(selection);
			try {
				return loadBalancer.choose();
			}
			finally {
				this.current.remove();
			}
		}

	}

}
