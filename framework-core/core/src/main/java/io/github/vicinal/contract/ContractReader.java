package io.github.vicinal.contract;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Reads from a Java method what a call of it carries.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ContractReader {

	/**
	 * Describes a method of a contract.
	 * @param contract the interface that is being read; type variables of its
	 * super-interfaces are to be resolved against it
	 * @param method a method of the interface or of one of its super-interfaces
	 * @return the description, or {@code null} if the method is not part of the contract
	 */
	@Nullable MethodDescription read(Class<?> contract, Method method);

	/**
	 * Types and properties of a contract method's calls.
	 *
	 * @param argumentTypes the types of all arguments, in order, without type variables
	 * @param resultType the type of the value that travels back ({@code void.class} for
	 * none): the element of an asynchronous or enveloping return type, not the envelope
	 * @param idempotent whether a call that may have been executed may be repeated
	 * @param httpOnlyReason why the method can only be carried by HTTP, or {@code null}
	 * @param textArguments positions of the arguments that are no bodies: HTTP carries
	 * them as text, whatever the application's JSON looks like
	 * @since 0.1.0
	 */
	record MethodDescription(List<Type> argumentTypes, Type resultType, boolean idempotent,
			@Nullable String httpOnlyReason, Set<Integer> textArguments) {

		public MethodDescription {
			argumentTypes = List.copyOf(argumentTypes);
			textArguments = Set.copyOf(textArguments);
		}

		/**
		 * Describes a method all of whose arguments are bodies.
		 * @param argumentTypes the types of all arguments
		 * @param resultType the type of the value that travels back
		 * @param idempotent whether a call may be repeated
		 * @param httpOnlyReason why only HTTP can carry it, or {@code null}
		 */
		public MethodDescription(List<Type> argumentTypes, Type resultType, boolean idempotent,
				@Nullable String httpOnlyReason) {
			this(argumentTypes, resultType, idempotent, httpOnlyReason, Set.of());
		}

	}

}
