package io.github.vicinal.transport.direct;

import java.lang.reflect.Type;
import java.util.List;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/**
 * Plan for passing the values of one method from one application to the other, made once.
 * Immutable, except for the state of its deadline rule.
 */
final class HandoverPlan {

	private final ContractMethod callerMethod;

	private final ContractMethod calleeMethod;

	/** Per argument, whether it is handed over as it is. */
	private final boolean[] references;

	/** Per argument, whether its place must hold a value even if that is not copied. */
	private final boolean[] primitives;

	private final boolean allReferences;

	private final boolean anyReference;

	private final boolean resultReference;

	private final DeadlineRule rule = new DeadlineRule();

	HandoverPlan(ContractMethod callerMethod, Codecs caller, ContractMethod calleeMethod, Codecs callee,
			boolean sameClasses, boolean immutableContract) {
		this.callerMethod = callerMethod;
		this.calleeMethod = calleeMethod;
		List<Type> types = callerMethod.argumentTypes();
		List<Type> calleeTypes = calleeMethod.argumentTypes();
		this.references = new boolean[types.size()];
		this.primitives = new boolean[types.size()];
		boolean all = true;
		boolean any = false;
		boolean immutable = sameClasses && immutableContract;
		for (int i = 0; i < this.references.length; i++) {
			this.references[i] = immutable
					|| (sameClasses && caller.byReference(types.get(i)) && callee.byReference(calleeTypes.get(i)));
			this.primitives[i] = types.get(i) instanceof Class<?> type && type.isPrimitive();
			all &= this.references[i];
			any |= this.references[i];
		}
		this.allReferences = all;
		this.anyReference = any;
		this.resultReference = immutable || callerMethod.resultType() == void.class || (sameClasses
				&& caller.byReference(callerMethod.resultType()) && callee.byReference(calleeMethod.resultType()));
	}

	ContractMethod callerMethod() {
		return this.callerMethod;
	}

	ContractMethod calleeMethod() {
		return this.calleeMethod;
	}

	boolean argumentsByReference() {
		return this.allReferences;
	}

	boolean resultByReference() {
		return this.resultReference;
	}

	DeadlineRule rule() {
		return this.rule;
	}

	/** A value that is handed over as it is need not be encoded. */
	@Nullable Object[] withoutReferences(@Nullable Object[] arguments) {
		if (!this.anyReference) {
			return arguments;
		}
		@Nullable Object[] rest = arguments.clone();
		for (int i = 0; i < rest.length; i++) {
			if (this.references[i] && !this.primitives[i]) {
				rest[i] = null;
			}
		}
		return rest;
	}

	void addReferences(@Nullable Object[] arguments, @Nullable Object[] copies) {
		if (this.anyReference) {
			for (int i = 0; i < copies.length; i++) {
				if (this.references[i]) {
					copies[i] = arguments[i];
				}
			}
		}
	}

}
