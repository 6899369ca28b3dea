package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.TypeClosure;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The codecs of one application, and the rule that chooses between them. Thread-safe;
 * answers are computed once per contract and type.
 * <p>
 * Jackson is always offered. The flat format is offered where it is provably equivalent:
 * it is enabled, every type of the contract survives a JSON round trip unchanged, and
 * nothing in the mapper's configuration alters how those types are written.
 *
 * @since 0.1.0
 */
public final class Codecs {

	private static final Set<String> ONLY_JACKSON = Set.of(JacksonCodec.NAME);

	private static final Set<String> BOTH = Set.of(JacksonCodec.NAME, FlatCodec.NAME);

	private final JsonMapper mapper;

	private final boolean flatEnabled;

	private final PlainMapper plain;

	private final Map<Contract, Offer> offers = new ConcurrentHashMap<>();

	private final Map<Type, Boolean> byReference = new ConcurrentHashMap<>();

	private final List<OwnCodec> own;

	/**
	 * Creates the codecs of an application.
	 * @param mapper the application's own mapper
	 * @param flatEnabled whether the flat format may be used where it is equivalent
	 */
	public Codecs(JsonMapper mapper, boolean flatEnabled) {
		this(mapper, flatEnabled, List.of());
	}

	/**
	 * Creates the codecs of an application that has contracts of Vicinal's own.
	 * @param mapper the application's own mapper
	 * @param flatEnabled whether the flat format may be used where it is equivalent
	 * @param own the codecs of such contracts
	 */
	public Codecs(JsonMapper mapper, boolean flatEnabled, List<OwnCodec> own) {
		this.own = List.copyOf(own);
		this.mapper = mapper;
		this.plain = new PlainMapper(mapper);
		this.flatEnabled = flatEnabled;
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
	 * to the peer. The first call for a contract prepares its codecs.
	 * @param contract the contract
	 * @return {@code jackson}, and {@code flat} where it is provably equivalent here
	 */
	public Set<String> offers(Contract contract) {
		ContractCodec own = own(contract);
		if (own != null) {
			return Set.of(own.name());
		}
		return (offer(contract).flat != null) ? BOTH : ONLY_JACKSON;
	}

	/**
	 * Explains whether this side offers the flat format for a contract.
	 * @param contract the contract
	 * @return one sentence for people
	 */
	public String explain(Contract contract) {
		ContractCodec own = own(contract);
		return (own != null) ? "Messages of Vicinal's own" : offer(contract).reason;
	}

	/**
	 * Chooses the codec for a contract whose hash is the same on both sides.
	 * @param contract the contract
	 * @param peerOffers what the peer said of itself
	 * @return the codec and the reason; both sides come to the same one
	 */
	public CodecChoice choose(Contract contract, Set<String> peerOffers) {
		ContractCodec own = own(contract);
		if (own != null) {
			return new CodecChoice(own, "Messages of Vicinal's own");
		}
		Offer offer = offer(contract);
		if (offer.flat == null) {
			return new CodecChoice(offer.jackson, offer.reason);
		}
		if (!peerOffers.contains(offer.flat.name())) {
			return new CodecChoice(offer.jackson, "Jackson: the peer does not offer the flat format for this contract");
		}
		return new CodecChoice(offer.flat, offer.reason);
	}

	private @Nullable ContractCodec own(Contract contract) {
		for (OwnCodec candidate : this.own) {
			if (candidate.contract() == contract.type()) {
				return candidate.codec();
			}
		}
		return null;
	}

	/**
	 * Returns whether arguments and results of a contract may be handed over inside one
	 * JVM without a copy, whatever their types are.
	 * @param contract the contract
	 * @return whether it is a contract of Vicinal's own, whose values are immutable
	 */
	public boolean byReference(Contract contract) {
		return own(contract) != null;
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
		String obstacle = whyNotFlat(contract);
		if (obstacle != null) {
			return new Offer(jackson, null, "Jackson: " + obstacle);
		}
		try {
			int maxDepth = this.mapper.tokenStreamFactory().streamReadConstraints().getMaxNestingDepth();
			return new Offer(jackson, new FlatCodec(contract, maxDepth),
					"Flat: JSON would give back equal values of the same classes");
		}
		catch (RuntimeException | LinkageError ex) {
			return new Offer(jackson, null, "Jackson: the flat format cannot be set up for this contract: " + ex);
		}
	}

	private @Nullable String whyNotFlat(Contract contract) {
		if (!this.flatEnabled) {
			return "the flat format is disabled";
		}
		Optional<String> opaque = contract.closure().opaqueReason();
		if (opaque.isPresent()) {
			return opaque.get();
		}
		String custom = contract.isStructural() ? whyCustom(contract) : null;
		return (custom != null) ? custom : this.plain.whyNot(contract.closure().types());
	}

	/**
	 * Records of one side can refuse values that those of the other side have, which is
	 * then an error of reading JSON.
	 */
	private static @Nullable String whyCustom(Contract contract) {
		for (Class<?> type : contract.closure().types()) {
			Optional<String> custom = TypeClosure.whyCustom(type);
			if (custom.isPresent()) {
				return custom.get();
			}
		}
		return null;
	}

	private record Offer(ContractCodec jackson, @Nullable ContractCodec flat, String reason) {
	}

}
