package io.github.vicinal.contract;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * One method of a {@link Contract}.
 *
 * @param index the position in {@link Contract#methods()}; what travels in frames
 * @param method the interface method
 * @param signature the name and the generic types, equal on both sides
 * @param argumentTypes the types of all arguments, in order, without type variables
 * @param resultType the type of the value that travels back, {@code void.class} for none
 * @param idempotent whether a call that may have been executed may be repeated
 * @param httpOnlyReason why the method can only be carried by HTTP, or {@code null}
 * @param textArguments positions of the arguments that HTTP carries as text
 * @since 0.1.0
 */
public record ContractMethod(int index, Method method, String signature, List<Type> argumentTypes, Type resultType,
		boolean idempotent, @Nullable String httpOnlyReason, Set<Integer> textArguments) {

	public ContractMethod {
		argumentTypes = List.copyOf(argumentTypes);
		textArguments = Set.copyOf(textArguments);
	}

	@Override
	public String toString() {
		return this.signature;
	}

}
