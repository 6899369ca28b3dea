package io.github.vicinal.contract;

import java.util.List;

/**
 * The types that can travel through the methods of a contract: everything reachable from
 * argument and result types.
 *
 * @since 0.1
 */
public final class TypeClosure {

	private TypeClosure() {
	}

	static TypeClosure of(List<ContractMethod> methods) {
		return new TypeClosure();
	}

}
