package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows one publishing process of another host, and sees to it that some process of this
 * host copies its logs: this one, if no other does.
 */
final class RemotePublisher implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(RemotePublisher.class);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Number of looks after which a socket is tried. */
	private static final int LOOKS = 10;

	/** Maximum time by which processes that see the same thing differ. */
	private static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

	/** Time after which a process that does not answer is taken to be gone. */
	private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(60);

	private final ShmTopics topics;

	private final RemoteAddress address;

	private final Thread thread;

	private volatile String state = "connecting";

	private volatile @Nullable TopicConnection connection;

	private volatile boolean closed;

	/** Used by the thread, as what follows. */
	private @Nullable Relay relay;

	private String relayed = "";

	private long lastSeen;

	private int looks;

	/**
	 * Creates a publisher that is not attended to yet.
	 * @param topics of this process
	 * @param address where the publishing process is
	 */
	RemotePublisher(ShmTopics topics, RemoteAddress address) {
		this.topics = topics;
		this.address = address;
		this.thread = topics.thread("remote", this);
	}

	void start() {
		this.thread.start();
	}

	String state() {
		return this.state;
	}

	boolean isConnected() {
		TopicConnection open = this.connection;
		return open != null && open.isOpen();
	}

	@Override
	public void run() {
		RemoteBackOff backOff = new RemoteBackOff();
		try {
			while (!this.closed) {
				attend(backOff);
				if (System.nanoTime() - this.lastSeen > GONE_NANOS) {
					closeRelay();
				}
				backOff.pause(this, this.closed);
			}
		}
		finally {
			closeRelay();
		}
	}

	private void attend(RemoteBackOff backOff) {
		try (TopicConnection opened = this.address.connect()) {
			this.connection = opened;
			RemoteGrant origin = RemoteProtocol.ask(opened, who(), RemoteProtocol.PATIENCE_NANOS);
			backOff.reset();
			while (!this.closed) {
				this.lastSeen = System.nanoTime();
				tend(origin, opened);
				if (opened.receive(LOOK_NANOS) != null) {
					throw new WireException(Refusal.MALFORMED, "the publisher said more than it may");
				}
			}
		}
		catch (Handshake.RefusedException ex) {
			failed("refused: " + ex.getMessage());
		}
		catch (WireException ex) {
			failed("left: " + ex.text());
		}
		catch (IOException | RuntimeException | OutOfMemoryError ex) {
			failed("gone: " + ex.getMessage());
		}
	}

	private RemoteRequest who() {
		return new RemoteRequest(RemoteRequest.Purpose.WHO, "", TopicModel.PUB_SUB, "", "", this.topics.application(),
				this.topics.instance(), this.topics.host(), 1, Resume.NONE, 0);
	}

	private void failed(String reason) {
		String text = WireException.printable(reason);
		if (!this.closed && !text.equals(this.state)) {
			logger.warn("Topics of {}: {}", this.address, text);
		}
		this.state = text;
	}

	private void tend(RemoteGrant origin, TopicConnection opened) throws IOException {
		if (origin.host().equals(this.topics.host())) {
			this.state = "on this host, where it is found without an address";
			return;
		}
		Relay open = this.relay;
		if (open != null && this.relayed.equals(origin.instance()) && open.isFound()) {
			this.state = "copied by this process (%s)".formatted(opened.peer());
			return;
		}
		closeRelay();
		if (isCopied(origin)) {
			this.state = "copied by another process of this host";
			return;
		}
		LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(JITTER_NANOS));
		this.looks = 0;
		if (!isCopied(origin)) {
			this.relay = Relay.open(this.topics, this.address, origin);
			this.relayed = origin.instance();
		}
	}

	/** Returns whether some process of this host stands for the publisher. */
	private boolean isCopied(RemoteGrant origin) {
		Path socket = SocketFile.of(this.topics.directory(), origin.instance(), SocketFile.TOPICS);
		if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
			return false;
		}
		this.looks++;
		return this.looks % LOOKS != 1 || !SocketFile.isDead(socket, SocketFile.listening());
	}

	private void closeRelay() {
		Relay open = this.relay;
		this.relay = null;
		if (open != null) {
			open.close();
		}
	}

	/** Ends, and waits for that. */
	void close() {
		this.closed = true;
		TopicConnection open = this.connection;
		if (open != null) {
			open.close();
		}
		LockSupport.unpark(this.thread);
		if (this.thread.getState() != Thread.State.NEW) {
			LogSender.joinFully(this.thread);
		}
	}

}
