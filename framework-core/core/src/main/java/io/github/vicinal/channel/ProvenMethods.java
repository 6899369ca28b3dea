package io.github.vicinal.channel;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Methods of a structural contract that may leave HTTP. Equal paths do not show where a
 * request goes, because a gateway may rewrite them. So each method is left to HTTP until
 * a request of this client has reached the handler that the method matches. Used under
 * the lock of the peer.
 */
final class ProvenMethods {

	private static final String UNPROVEN = "no HTTP request for the method has reached its handler yet";

	private @Nullable PeerIdentity instance;

	private @Nullable Contract contract;

	private final Set<Integer> proven = new HashSet<>();

	/**
	 * Takes over what an announcement shows.
	 * @param agreed the contract that the peer offers
	 * @param latest the announcement
	 * @param called the method whose request was answered so, or {@code null}
	 * @return why methods are left to HTTP, by their index; empty for a contract that is
	 * not structural
	 */
	Map<Integer, String> learn(Contract agreed, PeerAnnouncement latest, @Nullable ContractMethod called) {
		if (agreed != this.contract || !latest.peer().equals(this.instance)) {
			this.proven.clear();
			this.contract = agreed;
			this.instance = latest.peer();
		}
		if (!agreed.isStructural()) {
			return Map.of();
		}
		if (called != null && latest.httpOnlyMethods().contains(called.index())) {
			this.proven.remove(called.index());
		}
		else if (called != null && !latest.paths().isEmpty()) {
			this.proven.add(called.index());
		}
		Map<Integer, String> left = new HashMap<>();
		for (ContractMethod method : agreed.methods()) {
			String reason = method.httpOnlyReason();
			if (reason != null) {
				left.put(method.index(), reason);
			}
			else if (!this.proven.contains(method.index())) {
				boolean refused = latest.httpOnlyMethods().contains(method.index())
						|| (latest.paths().isEmpty() && !latest.refusal().isEmpty());
				left.put(method.index(), refused ? latest.refusal() : UNPROVEN);
			}
		}
		return Map.copyOf(left);
	}

}
