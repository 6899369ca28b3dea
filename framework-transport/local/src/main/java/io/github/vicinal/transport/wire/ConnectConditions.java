package io.github.vicinal.transport.wire;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider.Unavailable;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.Rendezvous;
import org.jspecify.annotations.Nullable;

/** Conditions for a client's attempt to connect to a peer. */
public final class ConnectConditions {

	private ConnectConditions() {
	}

	/**
	 * Returns the first condition for a peer of the same host that is not met.
	 * @param kind the kind of path
	 * @param rendezvous where the peer's socket would be
	 * @param unsuitable returns why the directory is no good for this kind of path
	 * @param contract the contract that will be called
	 * @param announcement what the peer said of itself
	 * @return why there is no path, or {@code null} if the client may try
	 */
	public static @Nullable Unavailable unmet(PathKind kind, Rendezvous rendezvous,
			Function<Path, Optional<String>> unsuitable, Contract contract, PeerAnnouncement announcement) {
		Path directory = rendezvous.directory().orElse(null);
		if (directory == null) {
			return new Unavailable(rendezvous.unavailable().orElse("there is no rendezvous directory"), false);
		}
		Optional<String> problem = unsuitable.apply(directory);
		if (problem.isPresent()) {
			return new Unavailable(problem.get(), false);
		}
		if (!announcement.paths().contains(kind.id())) {
			return new Unavailable("the peer does not offer " + kind.id()
					+ (announcement.refusal().isEmpty() ? "" : ": " + announcement.refusal()), false);
		}
		problem = rendezvous.look();
		if (problem.isPresent()) {
			return new Unavailable(problem.get(), true);
		}
		if (!rendezvous.isHere(announcement.peer())) {
			return new Unavailable(
					"the peer runs on another host or uses another rendezvous directory than " + directory, false);
		}
		return differs(contract, announcement);
	}

	/**
	 * Returns whether the two sides know different versions of a contract.
	 * @param contract the contract that will be called
	 * @param announcement what the peer said of itself
	 * @return why there is no path, or {@code null} if the contract is the same or the
	 * peer has not named its version
	 */
	public static @Nullable Unavailable differs(Contract contract, PeerAnnouncement announcement) {
		String hash = announcement.contractHash();
		if (hash.isEmpty() || hash.equals(contract.hash())) {
			return null;
		}
		return new Unavailable(
				"the contract %s differs: hash %s here, %s at the peer; build both sides from the same version of it"
					.formatted(contract.name(), contract.hash(), hash),
				false);
	}

}
