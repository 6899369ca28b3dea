package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * This instance as others know it at the time of asking. The host id changes if another
 * process makes the rendezvous directory anew. No {@code Supplier}: Spring Cloud Stream
 * takes beans of that type for functions of the application.
 *
 * @since 0.1.0
 */
public final class CurrentIdentity {

	private final ObjectProvider<PeerIdentity> identity;

	private final ObjectProvider<Rendezvous> rendezvous;

	CurrentIdentity(ObjectProvider<PeerIdentity> identity, ObjectProvider<Rendezvous> rendezvous) {
		this.identity = identity;
		this.rendezvous = rendezvous;
	}

	/**
	 * Returns this instance.
	 * @return its identity now, or {@code null} if it has none
	 */
	public @Nullable PeerIdentity current() {
		PeerIdentity made = this.identity.getIfAvailable();
		Rendezvous directory = (made != null) ? this.rendezvous.getIfAvailable() : null;
		return (made != null && directory != null) ? directory.current(made) : made;
	}

}
