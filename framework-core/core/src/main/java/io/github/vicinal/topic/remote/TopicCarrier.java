package io.github.vicinal.topic.remote;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Carries topics to other hosts over one kind of path. A carrier connects only sides that
 * have proved to each other who they are, and encrypts what leaves the host. Topics send
 * each message once to each host whatever the number of its subscribers, and several
 * messages in one piece if they are published faster than they are sent, so a carrier
 * that writes into the memory of the other host needs one write for each piece.
 *
 * @since 0.1.0
 */
public interface TopicCarrier {

	/**
	 * Returns the kind of path, as in {@code vicinal.paths}.
	 * @return a short name such as {@code tcp}
	 */
	String kind();

	/**
	 * Accepts connections from now on.
	 * @param acceptor takes over each connection; must not block
	 * @throws IOException if none can be accepted, with the reason and what to do
	 */
	void serve(Consumer<TopicConnection> acceptor) throws IOException;

	/**
	 * Returns the addresses that a configured one stands for at this moment.
	 * @param address as it was configured
	 * @return addresses for {@link #connect}, one for each process
	 * @throws IOException if the address stands for nothing
	 */
	List<String> resolve(String address) throws IOException;

	/**
	 * Connects to a process. Blocks for a few seconds at most.
	 * @param address one that {@link #resolve} has returned
	 * @return the connection, which the caller closes
	 * @throws IOException if it cannot be made, with the reason and what to do
	 */
	TopicConnection connect(String address) throws IOException;

}
