package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * A reliable connection to one peer. Its queues keep the order of what is posted.
 * <p>
 * One thread at a time posts writes and reads; one thread polls and waits. {@link #wake}
 * may be called by any thread. The memory lives until {@link #close}, which no other call
 * may overlap.
 */
interface QueuePair extends AutoCloseable {

	/** Returns the address of this side. */
	InetSocketAddress local();

	/** Returns the address of the peer. */
	InetSocketAddress remote();

	/** Returns the memory that the peer may write at any time. */
	ByteBuffer inbound();

	/** Returns the address by which the peer writes {@link #inbound}. */
	long inboundAddress();

	/** Returns the key by which the peer writes {@link #inbound}. */
	int inboundKey();

	/** Returns the memory that messages and writes are taken from. */
	ByteBuffer outbound();

	/** Returns the memory that the peer may read at any time; empty if there is none. */
	ByteBuffer readable();

	/** Returns the address by which the peer reads {@link #readable}. */
	long readableAddress();

	/** Returns the key by which the peer reads {@link #readable}. */
	int readableKey();

	/** Returns the memory for what {@link #read} reads; empty if there is none. */
	ByteBuffer landing();

	/** Returns the longest payload that the device copies into a work request. */
	int inlineBytes();

	/**
	 * Posts a message to the first receive of the peer. Its completion is signalled.
	 * @param offset where it begins in {@link #outbound}
	 * @param length bytes
	 */
	void send(int offset, int length) throws VerbsException;

	/**
	 * Posts a write to the memory of the peer.
	 * @param offset where the bytes begin in {@link #outbound}; they must not change
	 * before the write has completed, unless it is inline
	 * @param length bytes, 0 to write nothing
	 * @param remoteAddress where the bytes go
	 * @param remoteKey key of the peer's memory
	 * @param flags see the constants of this interface
	 * @param immediate number that completes a receive of the peer; ignored without
	 * {@link #IMMEDIATE}
	 */
	void write(int offset, int length, long remoteAddress, int remoteKey, int flags, int immediate)
			throws VerbsException;

	/**
	 * Posts a read of the memory of the peer. Its completion is reported. Writes that are
	 * posted later may reach the peer before it completes, but complete after it.
	 * @param offset where the bytes go in {@link #landing}; they are there when the read
	 * has completed
	 * @param length bytes, at least 1
	 * @param remoteAddress where the bytes are
	 * @param remoteKey key of the peer's memory
	 */
	void read(int offset, int length, long remoteAddress, int remoteKey) throws VerbsException;

	/**
	 * Posts receives that take no message.
	 * @param count number of receives
	 */
	void receive(int count) throws VerbsException;

	/**
	 * Hands over completions, oldest first, without waiting.
	 * @param max maximum number
	 * @param handler receives them
	 * @return their number
	 */
	int poll(int max, Completions handler) throws VerbsException;

	/**
	 * Asks for an event at the next completion. Completions that arrived before must be
	 * polled after this and before {@link #await}.
	 */
	void arm() throws VerbsException;

	/**
	 * Waits for the event of {@link #arm}, for {@link #wake} or for news from the
	 * connection manager.
	 * @param nanos maximum time
	 */
	void await(long nanos) throws VerbsException;

	/** Ends {@link #await}, or the next one. */
	void wake();

	/**
	 * Returns why the connection has ended, as far as the connection manager knows.
	 * Called by the thread that polls; takes no system call most of the time.
	 * @return the reason, {@code null} while it is connected
	 */
	@Nullable String ended();

	/** Ends the connection and frees its memory. Never throws. */
	@Override
	void close();

	/** Flag of a write: completes a receive of the peer with a number. */
	int IMMEDIATE = 1;

	/** Flag of a write: its completion is reported. */
	int SIGNALLED = 2;

	/** Flag of a write: the payload is copied into the work request. */
	int INLINE = 4;

	/** Receives completions. */
	interface Completions {

		/** A signalled write or message has left, and its memory can change. */
		void sent();

		/** The oldest read that is under way has completed. */
		void read();

		/**
		 * A message of the peer has arrived in the first receive.
		 * @param length its bytes
		 */
		void received(int length);

		/**
		 * A write of the peer has completed, and so have all of its earlier ones.
		 * @param immediate the peer's number
		 */
		void written(int immediate);

		/**
		 * A work request has failed, and with it the connection.
		 * @param status as the provider calls it
		 * @param flushed whether it failed only because another one had before, or the
		 * connection had ended
		 */
		void failed(String status, boolean flushed);

	}

}
