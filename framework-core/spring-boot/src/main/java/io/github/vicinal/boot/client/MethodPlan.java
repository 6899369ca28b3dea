package io.github.vicinal.boot.client;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.boot.contract.ArgumentRule;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.contract.ContractMethod;

/** What is known of a contract method before it is called. */
final class MethodPlan {

	static final String REDIRECTED = "it is answered with a redirect, which HTTP clients may follow";

	private final ContractMethod method;

	private final ResultShape shape;

	private final ArgumentRule[] rules;

	private final String httpMethod;

	private final String path;

	private final boolean anyArguments;

	private final CallSeriesPair.Cache series = new CallSeriesPair.Cache();

	/**
	 * Whether the method has been answered with a redirect, and goes by HTTP since.
	 */
	private volatile boolean redirected;

	/** Names of query parameters by argument; empty if the method has none. */
	private final @Nullable String[] queryNames;

	/** Names of headers by argument, in lower case. */
	private final @Nullable String[] headerNames;

	/** Whether Spring sends a default value where the argument is missing. */
	private final boolean[] headerDefaults;

	MethodPlan(Class<?> type, ContractMethod method) {
		this.method = method;
		this.shape = ResultShape.of(type, method.method());
		this.rules = (method.httpOnlyReason() != null) ? new ArgumentRule[0]
				: ExchangeContractReader.rules(type, method);
		this.httpMethod = ExchangeContractReader.httpMethod(type, method.method());
		this.path = ExchangeContractReader.path(type, method.method());
		this.queryNames = queryNames(type, method);
		this.headerNames = ExchangeContractReader.headerNames(type, method);
		this.headerDefaults = ExchangeContractReader.headerDefaults(method);
		boolean any = true;
		for (ArgumentRule rule : this.rules) {
			any &= rule == ArgumentRule.ANY;
		}
		this.anyArguments = any;
	}

	/** Notes that the method was answered with a redirect. */
	void redirected() {
		this.redirected = true;
	}

	ContractMethod method() {
		return this.method;
	}

	ResultShape shape() {
		return this.shape;
	}

	String httpMethod() {
		return this.httpMethod;
	}

	String path() {
		return this.path;
	}

	@Nullable String[] queryNames() {
		return this.queryNames;
	}

	CallSeriesPair.Cache series() {
		return this.series;
	}

	private static @Nullable String[] queryNames(Class<?> type, ContractMethod method) {
		@Nullable String[] names = ExchangeContractReader.queryNames(type, method);
		for (String name : names) {
			if (name != null) {
				return names;
			}
		}
		return new @Nullable String[0];
	}

	/** Returns the names of the headers that a call's arguments fill. */
	Set<String> explainedHeaders(@Nullable Object[] arguments) {
		Set<String> names = new HashSet<>();
		for (int i = 0; i < arguments.length; i++) {
			String name = this.headerNames[i];
			if (name != null && (arguments[i] != null || this.headerDefaults[i])) {
				names.add(name);
			}
		}
		return names;
	}

	/** Returns why such a call must go over HTTP, or {@code null}. */
	@Nullable String onlyHttpBecause(@Nullable Object[] arguments) {
		if (this.redirected) {
			return REDIRECTED;
		}
		if (this.anyArguments) {
			return null;
		}
		for (int i = 0; i < this.rules.length; i++) {
			String reason = this.rules[i].onlyHttpBecause(arguments[i]);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

}
