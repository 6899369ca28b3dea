package io.github.vicinal.testkit.server;

/**
 * Clients with which the kit's server calls itself, for nested calls. The environment
 * puts a bean of this type into the server's application context.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KitPeers {

	/**
	 * Return a client of the kit's server, which uses the path under test where the
	 * server process can use it.
	 * @param <T> the contract
	 * @param contract the contract interface
	 * @return a proxy
	 */
	<T> T client(Class<T> contract);

}
