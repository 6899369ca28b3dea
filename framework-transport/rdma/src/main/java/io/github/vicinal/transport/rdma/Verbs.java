package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Operations that this module needs of an RDMA provider: reliable connections, each a
 * queue pair with one completion queue and memory of its own. Thread-safe.
 * <p>
 * The provider hides the connection manager: each of its waits has a deadline.
 */
interface Verbs extends AutoCloseable {

	/** Returns the name of the provider, for reports. */
	String name();

	/**
	 * Connects. Blocks until the connection is established.
	 * @param address the peer
	 * @param resources what the connection needs
	 * @param timeout maximum time for all steps together
	 * @return the connection; the caller closes it
	 * @throws VerbsException if it cannot be established
	 */
	QueuePair connect(InetSocketAddress address, Resources resources, Duration timeout) throws VerbsException;

	/**
	 * Listens.
	 * @param address an IP address of an RDMA device, and a port; 0 takes any that is
	 * free
	 * @param backlog maximum number of requests that wait
	 * @return the listener; the caller closes it
	 * @throws VerbsException if the address cannot be used
	 */
	Listener listen(InetSocketAddress address, int backlog) throws VerbsException;

	/** Gives back what connections share. All of them are closed before. */
	@Override
	void close();

	/**
	 * Resources of a connection. The first receive takes a message of up to
	 * {@link #setupBytes}; all others take none.
	 *
	 * @param sends work requests that fit into the send queue
	 * @param receives work requests that fit into the receive queue, all of which are
	 * posted before the connection is established
	 * @param inlineBytes longest payload that is copied into a work request, if the
	 * device can
	 * @param inboundBytes size of the memory that the peer may write
	 * @param localBytes size of the memory that only this side accesses
	 * @param setupBytes size of the memory at the beginning of the local memory for the
	 * first message
	 * @param rendezvousBytes size of the memory that the peer may read, and of the memory
	 * for what this side reads of the peer; 0 for none. A connection that cannot lock
	 * both has neither
	 */
	record Resources(int sends, int receives, int inlineBytes, int inboundBytes, int localBytes, int setupBytes,
			int rendezvousBytes) {
	}

	/** Accepts connections. Thread-safe. */
	interface Listener extends AutoCloseable {

		/** Returns the address, with the port that was taken. */
		InetSocketAddress address();

		/**
		 * Waits for a peer. Does not wait for what the peer does next: no peer keeps
		 * others from being accepted.
		 * @param resources returns what the connection of a peer needs, {@code null} to
		 * reject the peer before anything is made for it
		 * @return the connection, which the caller closes, and which is established when
		 * its first message arrives; {@code null} if the listener was closed
		 * @throws VerbsException if one peer could not be accepted; others can unless
		 * {@link #isClosed}
		 */
		@Nullable QueuePair accept(Supplier<@Nullable Resources> resources) throws VerbsException;

		/** Returns whether no peer can be accepted any more, as after {@link #close}. */
		boolean isClosed();

		/** Ends {@link #accept}, and refuses peers. Never throws. */
		@Override
		void close();

	}

}
