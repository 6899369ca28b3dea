package io.github.vicinal.exchange;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.vicinal.codec.OwnCodec;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;

/**
 * The contract of exchanges: how a request and its response travel as calls. Nobody
 * implements or calls the interface; its methods say what a call carries.
 *
 * <pre>
 * begin(request, first part) -> {                   the whole response, or its first part, or "go on"
 *   push(next part of the request)    -> {@literal "}
 *   pull()                            -> {            the next part of the response
 *   abort()                             nobody waits for the exchange any more
 * </pre>
 *
 * All values are {@linkplain ExchangeMessage messages}, which {@link ExchangeCodec}
 * writes.
 *
 * @since 0.1.0
 */
public interface HttpExchanges {

	/**
	 * Begins an exchange whose request may be repeated although it may have been
	 * executed, by the definition of its HTTP method.
	 * @param request the head and the first part of the body
	 * @return the answer
	 */
	ExchangeMessage.Answer beginIdempotent(ExchangeMessage.Begin request);

	/**
	 * Begins an exchange whose request must not be executed twice.
	 * @param request the head and the first part of the body
	 * @return the answer
	 */
	ExchangeMessage.Answer begin(ExchangeMessage.Begin request);

	/**
	 * Sends the next part of a request. Returns when the server has room for another one,
	 * has responded already, or a while has passed; an empty part asks again.
	 * @param part the part
	 * @return the answer
	 */
	ExchangeMessage.Answer push(ExchangeMessage.Push part);

	/**
	 * Asks for the next part of a response. Returns without one after a while, so that no
	 * thread of the server waits for long.
	 * @param wanted the exchange
	 * @return the answer
	 */
	ExchangeMessage.Answer pull(ExchangeMessage.Pull wanted);

	/**
	 * Notes that nobody waits for an exchange any more.
	 * @param unwanted the exchange
	 */
	void abort(ExchangeMessage.Abort unwanted);

	/**
	 * Returns the contract.
	 * @return the contract, the same on all sides that have this version of the messages
	 */
	static Contract contract() {
		return Contracts.CONTRACT;
	}

	/**
	 * Returns how messages travel, for {@link io.github.vicinal.codec.Codecs}.
	 * @return the codec of the contract
	 */
	static OwnCodec codec() {
		return Contracts.CODEC;
	}

	/** Immutable, so that all applications of a JVM may share it. */
	final class Contracts {

		static final Contract CONTRACT = Contract.of(HttpExchanges.class, Contracts::describe);

		static final OwnCodec CODEC = new OwnCodec(HttpExchanges.class, new ExchangeCodec());

		static final Map<String, ContractMethod> METHODS = byName();

		private Contracts() {
		}

		private static Map<String, ContractMethod> byName() {
			return CONTRACT.methods()
				.stream()
				.collect(Collectors.toUnmodifiableMap((method) -> method.method().getName(), (method) -> method));
		}

		private static MethodDescription describe(Class<?> contract, Method method) {
			return new MethodDescription(List.of(method.getParameterTypes()), method.getReturnType(),
					method.getName().equals("beginIdempotent"), null);
		}

		static ContractMethod method(String name) {
			return Objects.requireNonNull(METHODS.get(name));
		}

	}

}
