package io.github.vicinal.boot.autoconfigure;

import java.util.function.Supplier;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * This instance as others know it at the time of asking. The host id changes if another
 * process makes the rendezvous directory anew.
 */
public final class CurrentIdentity implements Supplier<@Nullable PeerIdentity> {

	private final ObjectProvider<PeerIdentity> identity;

	private final ObjectProvider<Rendezvous> rendezvous;

	CurrentIdentity(ObjectProvider<PeerIdentity> identity, ObjectProvider<Rendezvous> rendezvous) {
		this.identity = identity;
		this.rendezvous = rendezvous;
	}

	@Override
	public @Nullable PeerIdentity get() {
		PeerIdentity made = this.identity.getIfAvailable();
		Rendezvous directory = (made != null) ? this.rendezvous.getIfAvailable() : null;
		return (made != null && directory != null) ? directory.current(made) : made;
	}

}
