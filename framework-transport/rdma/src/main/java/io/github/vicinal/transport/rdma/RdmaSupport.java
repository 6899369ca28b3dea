package io.github.vicinal.transport.rdma;

/** Whether this process can use RDMA. A value: nothing is thrown where it cannot. */
sealed interface RdmaSupport {

	/**
	 * RDMA can be used.
	 *
	 * @param verbs the provider
	 * @param address the address to listen on, empty if there is none
	 * @param noAddress why there is no address to listen on, empty if there is one
	 */
	record Available(Verbs verbs, String address, String noAddress) implements RdmaSupport {
	}

	/**
	 * RDMA cannot be used.
	 *
	 * @param reason why, and what to do, in words for people
	 */
	record Unavailable(String reason) implements RdmaSupport {
	}

}
