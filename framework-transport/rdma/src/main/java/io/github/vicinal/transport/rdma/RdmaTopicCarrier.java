package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.net.Inet4Address;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.wire.PublisherAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries topics over RDMA, at the port of the path. What is published while a write is
 * under way goes to the other host by one write. RDMA does not encrypt, so the bytes are
 * those of TLS, and both sides need a certificate that the other one trusts. Thread-safe.
 *
 * @since 0.1.0
 */
@SuppressWarnings("FutureReturnValueIgnored") // Connections end by themselves.
public final class RdmaTopicCarrier implements TopicCarrier, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RdmaTopicCarrier.class);

	private final Supplier<RdmaPathServer> server;

	private final RdmaDevices devices;

	private final RdmaOptions options;

	private final TopicTls tls;

	private final Set<TopicSession> sessions = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates a carrier.
	 * @param server the server of the path, which is started when a topic needs it
	 * @param devices the RDMA devices of this host
	 * @param options limits
	 * @param tls keys of this application
	 */
	RdmaTopicCarrier(Supplier<RdmaPathServer> server, RdmaDevices devices, RdmaOptions options, TopicTls tls) {
		this.server = server;
		this.devices = devices;
		this.options = options;
		this.tls = tls;
		tls.whenReplaced(this::leave);
	}

	@Override
	public String kind() {
		return RdmaPathProvider.KIND.id();
	}

	@Override
	public void serve(Consumer<TopicConnection> acceptor) throws IOException {
		this.tls.requireUsable();
		RdmaPathServer listening = this.server.get();
		listening.accept(this.tls, (session) -> {
			known(session);
			acceptor.accept(session);
		});
		listening.start();
		String reason = listening.unavailable().orElse(null);
		if (reason != null) {
			throw new IOException("rdma is not offered: " + reason);
		}
	}

	/** {@inheritDoc} A name stands for all its IPv4 addresses. */
	@Override
	public List<String> resolve(String address) throws IOException {
		List<String> all = PublisherAddress.resolve(address)
			.stream()
			.filter((each) -> each.address().getAddress() instanceof Inet4Address)
			.map(PublisherAddress::toString)
			.toList();
		if (all.isEmpty()) {
			throw new IOException("'%s' has no IPv4 address, which rdma needs".formatted(address));
		}
		return all;
	}

	@Override
	public TopicConnection connect(String address) throws IOException {
		if (this.closed) {
			throw new IOException("the application is shutting down");
		}
		if (!(this.devices.support() instanceof RdmaSupport.Available available)) {
			throw new IOException(
					"rdma cannot be used: " + ((RdmaSupport.Unavailable) this.devices.support()).reason());
		}
		TopicSession made = TopicClient.open(available.verbs(), this.options, this.tls,
				PublisherAddress.parse(address));
		known(made);
		return made;
	}

	private void known(TopicSession session) {
		this.sessions.add(session);
		session.gone().whenComplete((gone, failure) -> this.sessions.remove(session));
		if (this.closed) {
			session.close();
		}
	}

	private void leave() {
		logger.debug("{} connections of topics are left", this.sessions.size());
		this.sessions.forEach(TopicSession::close);
	}

	@Override
	public void close() {
		this.closed = true;
		leave();
	}

}
