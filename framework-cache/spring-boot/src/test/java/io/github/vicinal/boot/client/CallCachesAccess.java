package io.github.vicinal.boot.client;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/** Does for tests of caches what the channel of a client does. */
public final class CallCachesAccess {

	private CallCachesAccess() {
	}

	/** Makes the cache of a method; {@code null} if the method is not cacheable. */
	public static @Nullable CallCache cache(@Nullable CallCaches caches, String channel, Contract contract,
			Class<?> type, ContractMethod method) {
		return CallCaches.of(caches, channel, contract, new MethodPlan(type, method, UnaryOperator.identity()));
	}

	/** Says that a request is sent. */
	public static void sending(CallAnswer answer) {
		answer.sending();
	}

	/** Says what came. */
	public static void received(CallAnswer answer, int status, Map<String, List<String>> headers) {
		answer.received(status, headers);
	}

}
