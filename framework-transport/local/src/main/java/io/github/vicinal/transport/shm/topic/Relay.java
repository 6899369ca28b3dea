package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.AcceptorBackOff;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for a publishing process of another host on this one: listens in the directory
 * under the instance id of that process, so that subscribers find it as they find all
 * publishers, and gives them copies of its logs. One process of a host does this; the
 * others look whether it does. If two begin at the same time, the one whose socket has
 * lost its name leaves.
 */
final class Relay implements TopicServer.Catalogue {

	private static final Logger logger = LoggerFactory.getLogger(Relay.class);

	private static final SecureRandom RANDOM = new SecureRandom();

	private final ShmTopics topics;

	private final RemoteAddress address;

	private final RemoteGrant origin;

	private final TopicServer server;

	private final Path socket;

	private final ServerSocketChannel listener;

	private final @Nullable Object socketKey;

	/** Connections that may wait for a topic. */
	private final Set<TopicConnection> checks = ConcurrentHashMap.newKeySet();

	private final Map<String, CopiedLog> logs = new ConcurrentHashMap<>();

	/** Held while a copy begins. */
	private final ReentrantLock beginning = new ReentrantLock();

	private volatile boolean closed;

	private Relay(ShmTopics topics, RemoteAddress address, RemoteGrant origin) throws IOException {
		this.topics = topics;
		this.address = address;
		this.origin = origin;
		this.server = new TopicServer(topics, this);
		this.socket = SocketFile.of(topics.directory(), origin.instance(), SocketFile.TOPICS);
		topics.files().requireUsable();
		this.listener = SocketFile.open(topics.directory(), origin.instance(), SocketFile.TOPICS);
		this.socketKey = key();
	}

	/** Begins to stand for a publisher. */
	static Relay open(ShmTopics topics, RemoteAddress address, RemoteGrant origin) throws IOException {
		Relay made = new Relay(topics, address, origin);
		topics.thread("relay", made::accept).start();
		return made;
	}

	private @Nullable Object key() throws IOException {
		return Files.readAttributes(this.socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
	}

	/** Returns whether subscribers still find this one. */
	boolean isFound() {
		try {
			Object now = key();
			return now == null || now.equals(this.socketKey);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void accept() {
		AcceptorBackOff backOff = new AcceptorBackOff(logger);
		while (!this.closed) {
			try {
				this.server.accepted(this.listener.accept());
				backOff.accepted();
			}
			catch (ClosedChannelException ex) {
				return;
			}
			catch (IOException | RuntimeException | OutOfMemoryError ex) {
				backOff.pauseAfter(ex);
			}
		}
	}

	@Override
	public String application() {
		return this.origin.application();
	}

	/** Streams are not copied: each of their messages goes to one process. */
	@Override
	public @Nullable ServedLog find(Handshake.Request request) throws IOException, WireException {
		if (request.model() == TopicModel.STREAM || !request.others()) {
			return null;
		}
		check(request);
		this.beginning.lock();
		try {
			if (this.closed) {
				throw new IOException("the relay is closed");
			}
			CopiedLog known = this.logs.get(request.topic());
			if (known != null && !known.isClosed()) {
				return known;
			}
			CopiedLog made = begin(request);
			this.logs.put(request.topic(), made);
			return made;
		}
		catch (Handshake.RefusedException ex) {
			throw new WireException(Refusal.SERVICE_REFUSES, String.valueOf(ex.getMessage()));
		}
		finally {
			this.beginning.unlock();
		}
	}

	/** The publisher decides who takes part. Waits until it publishes the topic. */
	private void check(Handshake.Request request) throws IOException, WireException {
		try (TopicConnection connection = this.address.connect()) {
			this.checks.add(connection);
			try {
				if (this.closed) {
					throw new IOException("the relay is closed");
				}
				RemoteProtocol.ask(connection, request(RemoteRequest.Purpose.CHECK, request, Resume.NONE, 0),
						Long.MAX_VALUE);
			}
			finally {
				this.checks.remove(connection);
			}
		}
		catch (Handshake.RefusedException ex) {
			throw new WireException(Refusal.SERVICE_REFUSES, String.valueOf(ex.getMessage()));
		}
	}

	private CopiedLog begin(Handshake.Request request) throws IOException, WireException, Handshake.RefusedException {
		CopiedLog.Source source = new CopiedLog.Source() {

			@Override
			public TopicConnection connect() throws IOException {
				return Relay.this.address.connect();
			}

			@Override
			public RemoteGrant ask(TopicConnection connection, Resume resume, long from)
					throws IOException, WireException, Handshake.RefusedException {
				return copied(RemoteProtocol.ask(connection, request(RemoteRequest.Purpose.COPY, request, resume, from),
						RemoteProtocol.PATIENCE_NANOS));
			}

		};
		TopicConnection connection = source.connect();
		CopiedLog made = null;
		try {
			RemoteGrant grant = source.ask(connection, request.resume(), request.resume().position());
			String name = "%s-%s.log".formatted(grant.instance(), HexFormat.of().toHexDigits(RANDOM.nextLong()));
			boolean continues = request.resume().isFor(grant.epoch())
					&& request.resume().position() == grant.start().position();
			made = new CopiedLog(source, connection, grant, continues, this.topics.files(), name);
			this.topics.thread("copy-" + request.topic(), made).start();
			return made;
		}
		finally {
			if (made == null) {
				connection.close();
			}
		}
	}

	private RemoteGrant copied(RemoteGrant grant) throws WireException {
		if (!grant.instance().equals(this.origin.instance())) {
			throw new WireException(Refusal.WRONG_INSTANCE, "another instance answers at " + this.address);
		}
		if (grant.capacity() == 0) {
			throw new WireException(Refusal.MALFORMED, "a log without room");
		}
		return grant;
	}

	private RemoteRequest request(RemoteRequest.Purpose purpose, Handshake.Request request, Resume resume, long from) {
		return new RemoteRequest(purpose, request.topic(), request.model(), request.format(), request.subscriber(),
				request.application(), this.topics.instance(), this.topics.host(), 1, resume, from);
	}

	/** Ends. Subscribers handle what has arrived. */
	void close() {
		this.closed = true;
		try {
			// First the file, then the socket: nobody finds a dead socket.
			if (isFound()) {
				Files.deleteIfExists(this.socket);
			}
			this.listener.close();
		}
		catch (IOException ex) {
			logger.debug("The socket could not be removed: {}", ex.toString());
		}
		this.checks.forEach(TopicConnection::close);
		this.beginning.lock();
		try {
			this.logs.values().forEach(CopiedLog::close);
		}
		finally {
			this.beginning.unlock();
		}
		this.server.close();
	}

}
