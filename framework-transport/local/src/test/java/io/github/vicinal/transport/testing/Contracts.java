package io.github.vicinal.transport.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import tools.jackson.databind.json.JsonMapper;

/** Makes contracts, services and calls for tests. */
public final class Contracts {

	private Contracts() {
	}

	public static Contract of(Class<?> type) {
		return Contract.of(type, (contract, method) -> new MethodDescription(List.of(method.getGenericParameterTypes()),
				method.getGenericReturnType(), false, null));
	}

	public static ContractMethod method(Contract contract, String name) {
		return contract.methods()
			.stream()
			.filter((method) -> method.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	public static Codecs codecs() {
		return new Codecs(JsonMapper.builder().build(), false);
	}

	public static CallFrame call(Contract contract, String method, Object... arguments) {
		return callBefore(contract, method, CallFrame.NO_DEADLINE, arguments);
	}

	public static CallFrame callBefore(Contract contract, String method, long deadlineNanos, Object... arguments) {
		return new CallFrame(contract, method(contract, method), arguments, deadlineNanos, Map.of());
	}

	public static PeerAnnouncement announce(PeerIdentity peer, Contract contract) {
		return new PeerAnnouncement(peer, Set.of("direct", "uds"), contract.hash(), "");
	}

	/** A service that answers each call with its first argument. */
	public static Service echo(Contract contract) {
		return service(contract, (frame) -> value((frame.arguments().length == 0) ? null
				: (frame.arguments().length == 1) ? frame.arguments()[0] : second(frame)));
	}

	private static Object second(CallFrame frame) {
		return frame.method().method().getName().equals("join") ? frame.arguments()[0] + "-" + frame.arguments()[1]
				: frame.arguments()[0];
	}

	public static Reply value(Object body) {
		return new Reply.Value(200, Map.of(), body);
	}

	public static Service service(Contract contract, Function<CallFrame, Reply> handler) {
		return service(contract, Optional.empty(), handler);
	}

	public static Service service(Contract contract, Optional<String> refusal, Function<CallFrame, Reply> handler) {
		Codecs codecs = codecs();
		return new Service() {

			@Override
			public Contract contract() {
				return contract;
			}

			@Override
			public Optional<String> refusal() {
				return refusal;
			}

			@Override
			public Codecs codecs() {
				return codecs;
			}

			@Override
			public Reply invoke(CallFrame frame) {
				return handler.apply(frame);
			}

		};
	}

	public static byte[] pattern(int size, int seed) {
		byte[] bytes = new byte[size];
		for (int i = 0; i < size; i++) {
			bytes[i] = (byte) (seed + i * 31 + (i >>> 8));
		}
		return bytes;
	}

	public static String describe(Object[] arguments) {
		return Arrays.deepToString(arguments);
	}

}
