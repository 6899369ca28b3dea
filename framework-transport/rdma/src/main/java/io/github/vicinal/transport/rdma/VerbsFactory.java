package io.github.vicinal.transport.rdma;

import org.jspecify.annotations.Nullable;

/** Makes a provider that needs something that not every JVM has; found by name. */
interface VerbsFactory {

	/** Returns why there can be none, or {@code null}. */
	@Nullable String unavailable();

	/**
	 * Makes the provider.
	 * @param hardware whether all devices are hardware, so that a call of the data path
	 * never enters the kernel
	 * @throws VerbsException if the libraries or devices refuse
	 */
	Verbs create(boolean hardware) throws VerbsException;

}
