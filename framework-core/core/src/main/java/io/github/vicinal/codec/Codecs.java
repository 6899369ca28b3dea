package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.TypeClosure;

/**
 * The codecs of one application, and the rule that chooses between them. Thread-safe;
 * answers are computed once per contract and type.
 * <p>
 * Jackson is always offered. Fory is offered where it is provably equivalent: it is on
 * the class path and enabled, every type of the contract survives a JSON round trip
 * unchanged, and nothing in the mapper's configuration alters how those types are
 * written.
 *
 * @since 0.1.0
 */
public final class Codecs {

	private static final Set<String> ONLY_JACKSON = Set.of(JacksonCodec.NAME);

	private static final Set<String> BOTH = Set.of(JacksonCodec.NAME, "fory");

	private final JsonMapper mapper;

	private final @Nullable String foryMissing;

	private final PlainMapper plain;

	private final Map<Contract, Offer> offers = new ConcurrentHashMap<>();

	private final Map<Type, Boolean> byReference = new ConcurrentHashMap<>();

	/**
	 * Creates the codecs of an application.
	 * @param mapper the application's own mapper
	 * @param foryEnabled whether Fory may be used where it is equivalent
	 */
	public Codecs(JsonMapper mapper, boolean foryEnabled) {
		this.mapper = mapper;
		this.plain = new PlainMapper(mapper);
		this.foryMissing = !foryEnabled ? "Fory is disabled"
				: isPresent() ? null : "Fory (org.apache.fory:fory-core) is not on the class path";
	}

	private static boolean isPresent() {
		try {
			Class.forName("org.apache.fory.Fory", false, Codecs.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	/**
	 * Returns the mapper that writes and reads JSON.
	 * @return the application's own mapper
	 */
	public JsonMapper mapper() {
		return this.mapper;
	}

	/**
	 * Returns the names of the codecs that this side can use for a contract, to be sent
	 * to the peer. The first call for a contract prepares its codecs, which can take some
	 * hundred milliseconds.
	 * @param contract the contract
	 * @return {@code jackson}, and {@code fory} where it is provably equivalent here
	 */
	public Set<String> offers(Contract contract) {
		return (offer(contract).fory != null) ? BOTH : ONLY_JACKSON;
	}

	/**
	 * Explains whether this side offers Fory for a contract.
	 * @param contract the contract
	 * @return one sentence for people
	 */
	public String explain(Contract contract) {
		return offer(contract).reason;
	}

	/**
	 * Chooses the codec for a contract whose hash is the same on both sides.
	 * @param contract the contract
	 * @param peerOffers what the peer said of itself
	 * @return the codec and the reason; both sides come to the same one
	 */
	public CodecChoice choose(Contract contract, Set<String> peerOffers) {
		Offer offer = offer(contract);
		if (offer.fory == null) {
			return new CodecChoice(offer.jackson, offer.reason);
		}
		if (!peerOffers.contains(offer.fory.name())) {
			return new CodecChoice(offer.jackson, "Jackson: the peer does not offer Fory for this contract");
		}
		return new CodecChoice(offer.fory, offer.reason);
	}

	/**
	 * Returns whether values of a type may be handed over inside one JVM without a copy,
	 * because neither side could see a difference.
	 * @param type an argument or result type
	 * @return whether the type is deeply immutable, JSON would bring back an equal value,
	 * and no accessor or constructor of a record does more than the compiler's own
	 */
	public boolean byReference(Type type) {
		Boolean known = this.byReference.get(type);
		return (known != null) ? known : this.byReference.computeIfAbsent(type, this::canPassByReference);
	}

	private boolean canPassByReference(Type type) {
		return TypeClosure.whyMutable(type).isEmpty() && TypeClosure.whyOpaque(type).isEmpty()
				&& TypeClosure.whyCustom(type).isEmpty() && this.plain.whyNot(TypeClosure.of(type).types()) == null;
	}

	private Offer offer(Contract contract) {
		Offer known = this.offers.get(contract);
		return (known != null) ? known : this.offers.computeIfAbsent(contract, this::prepare);
	}

	private Offer prepare(Contract contract) {
		ContractCodec jackson = new JacksonCodec(contract, this.mapper);
		String obstacle = this.foryMissing;
		if (obstacle == null) {
			Optional<String> opaque = contract.closure().opaqueReason();
			obstacle = opaque.isPresent() ? opaque.get() : this.plain.whyNot(contract.closure().types());
		}
		if (obstacle != null) {
			return new Offer(jackson, null, "Jackson: " + obstacle);
		}
		try {
			int maxDepth = this.mapper.tokenStreamFactory().streamReadConstraints().getMaxNestingDepth();
			return new Offer(jackson, ForyFactory.create(contract, maxDepth),
					"Fory: JSON would give back equal values of the same classes");
		}
		catch (RuntimeException | LinkageError ex) {
			return new Offer(jackson, null, "Jackson: Fory cannot be set up for this contract: " + ex);
		}
	}

	private record Offer(ContractCodec jackson, @Nullable ContractCodec fory, String reason) {
	}

	/** Loaded only where Fory is present. */
	private static final class ForyFactory {

		static ContractCodec create(Contract contract, int maxDepth) {
			return new ForyCodec(contract, maxDepth);
		}

	}

}
