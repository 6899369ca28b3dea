package io.github.vicinal.transport.wire;

import java.util.List;

import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.Service;

/** A contract that a connection has bound: its service and its codec. */
public record ServerBinding(Service service, Contract contract, ContractCodec codec, List<ContractMethod> methods) {

	public ContractMethod method(int index) throws WireException {
		if (index < 0 || index >= this.methods.size()) {
			throw new WireException(Refusal.UNKNOWN_METHOD, "the contract %s has %d methods, but none with index %d"
				.formatted(this.contract.name(), this.methods.size(), index));
		}
		return this.methods.get(index);
	}

}
