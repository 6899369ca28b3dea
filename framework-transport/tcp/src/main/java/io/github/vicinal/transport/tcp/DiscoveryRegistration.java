package io.github.vicinal.transport.tcp;

import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;
import org.springframework.context.ApplicationListener;

/**
 * Writes where this server listens for {@code tcp} into the metadata of the application's
 * registration, before the application is registered. The server starts for that. The
 * entry is a hint for clients, and names no instance: clients learn which instance
 * listens there from its announcement only.
 */
final class DiscoveryRegistration implements ApplicationListener<InstancePreRegisteredEvent> {

	/** Key of the entry. */
	static final String KEY = PeerAnnouncement.METADATA_PREFIX + TcpPathProvider.KIND.id();

	private static final Logger logger = LoggerFactory.getLogger(DiscoveryRegistration.class);

	private final Supplier<TcpPathServer> server;

	private final boolean offered;

	/**
	 * Creates a listener.
	 * @param server returns the server
	 * @param offered whether the application offers the path
	 */
	DiscoveryRegistration(Supplier<TcpPathServer> server, boolean offered) {
		this.server = server;
		this.offered = offered;
	}

	@Override
	public void onApplicationEvent(InstancePreRegisteredEvent event) {
		TcpPathServer known = this.offered ? this.server.get() : null;
		if (known == null || !known.encrypts()) {
			// Clients would not connect ahead.
			return;
		}
		known.start();
		known.address().ifPresent((address) -> register(event.getRegistration().getMetadata(), address));
	}

	/** Adds the address, unless the application has configured one. */
	private static void register(@Nullable Map<String, String> metadata, String address) {
		if (metadata == null) {
			return;
		}
		try {
			metadata.putIfAbsent(KEY, address);
		}
		catch (UnsupportedOperationException ex) {
			logger.info("The metadata of this application's registration cannot be changed, so clients connect to the "
					+ "path tcp only after their first request. Configure the entry {} with the address and a fixed "
					+ "vicinal.tcp.port to let them connect ahead", KEY);
		}
	}

}
