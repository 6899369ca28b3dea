package io.github.vicinal.transport.uds;

import java.util.Set;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;

/**
 * A contract as it is called on one peer. Its number is the same on all connections to
 * that peer, and each connection binds it before its first call.
 */
final class ClientBinding {

	private final int number;

	private final Contract contract;

	private final Codecs codecs;

	private final Payload.Bind request;

	ClientBinding(int number, Contract contract, Codecs codecs) {
		this.number = number;
		this.contract = contract;
		this.codecs = codecs;
		Set<String> offers = codecs.offers(contract);
		this.request = new Payload.Bind(contract.name(), contract.hash(), offers);
	}

	int number() {
		return this.number;
	}

	Contract contract() {
		return this.contract;
	}

	Payload.Bind request() {
		return this.request;
	}

	/**
	 * Chooses the codec by the rule that the peer has applied, too.
	 * @throws WireException if the peer came to another result
	 */
	CodecChoice choose(Payload.Bound bound) throws WireException {
		CodecChoice choice = this.codecs.choose(this.contract, bound.codecs());
		if (!choice.codec().name().equals(bound.codec())) {
			throw new WireException(Refusal.CODEC, "the peer chose the codec %s for %s, this side %s"
				.formatted(bound.codec(), this.contract.name(), choice.codec().name()));
		}
		return choice;
	}

}
