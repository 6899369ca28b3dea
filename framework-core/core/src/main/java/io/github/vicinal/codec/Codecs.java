package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.util.Set;

import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.contract.Contract;

/**
 * The codecs of one application, and the rule that chooses between them.
 *
 * @since 0.1
 */
public final class Codecs {

	private final JsonMapper mapper;

	public Codecs(JsonMapper mapper, boolean foryEnabled) {
		this.mapper = mapper;
	}

	/**
	 * Returns the names of the codecs that this side can use for a contract, to be sent
	 * to the peer.
	 * @param contract the contract
	 * @return {@code jackson}, and {@code fory} where it is provably equivalent here
	 */
	public Set<String> offers(Contract contract) {
		throw new IllegalStateException(this.mapper.toString());
	}

	/**
	 * Chooses the codec for a contract whose hash is the same on both sides.
	 * @param contract the contract
	 * @param peerOffers what the peer said of itself
	 * @return the codec and the reason; both sides come to the same one
	 */
	public CodecChoice choose(Contract contract, Set<String> peerOffers) {
		throw new IllegalStateException();
	}

	/**
	 * Returns whether values of a type may be handed over inside one JVM without a copy,
	 * because neither side could see a difference.
	 * @param type an argument or result type
	 * @return whether the type is deeply immutable and JSON would bring back an equal
	 * value
	 */
	public boolean byReference(Type type) {
		return false;
	}

}
