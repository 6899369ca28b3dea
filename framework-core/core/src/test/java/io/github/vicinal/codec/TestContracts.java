package io.github.vicinal.codec;

import java.util.Arrays;
import java.util.List;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;

/** Reads every method of an interface as it stands. */
final class TestContracts {

	private TestContracts() {
	}

	static Contract of(Class<?> type) {
		return Contract.of(type, (contract, method) -> new MethodDescription(List.of(method.getGenericParameterTypes()),
				method.getGenericReturnType(), false, null));
	}

	static ContractMethod method(Contract contract, String name) {
		return contract.methods()
			.stream()
			.filter((method) -> method.method().getName().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(name));
	}

	static byte[] arguments(ContractCodec codec, ContractMethod method, Object... arguments) {
		EncodeBuffer buffer = new EncodeBuffer(1);
		buffer.write('x');
		codec.encodeArguments(method, arguments, buffer);
		return Arrays.copyOfRange(buffer.array(), 1, buffer.size());
	}

	static byte[] result(ContractCodec codec, ContractMethod method, Object result) {
		EncodeBuffer buffer = new EncodeBuffer(16);
		codec.encodeResult(method, result, buffer);
		return Arrays.copyOf(buffer.array(), buffer.size());
	}

}
