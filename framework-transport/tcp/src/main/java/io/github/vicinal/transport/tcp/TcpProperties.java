package io.github.vicinal.transport.tcp;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the path {@code tcp}.
 *
 * @param enabled Whether calls may go over TCP. Needs vicinal-transport-tcp.
 * @param address IP address to listen on. Addresses other than loopback addresses need
 * vicinal.tcp.ssl.bundle.
 * @param port Port to listen on. 0 takes any that is free.
 * @param announcedAddress IP address at which clients reach this server, if it is not
 * vicinal.tcp.address. Required where that is 0.0.0.0 or ::.
 * @param maxFrameSize Maximum size of a call or reply, 1KB to 1GB. Larger calls go over
 * HTTP.
 * @param maxUnsentSize Maximum size of answers that a server holds for a client that does
 * not take them. Beyond it, the server reads no further calls from that client.
 * @param maxConnections Maximum number of connections that a server accepts.
 * @param maxThreads Maximum number of calls that a server executes at a time.
 * @param maxConnectionsPerPeer Maximum number of connections of a client to one peer.
 * There is more than one only while calls wait to be sent.
 * @param idleTimeout Time without a call after which a further connection to a peer is
 * closed.
 * @param handshakeTimeout Time to connect, to agree on TLS and to identify each other.
 * @param frameTimeout Time in which a call or reply must arrive once it has begun to, and
 * in which a client must take some of the bytes that are sent to it.
 * @param pingInterval Time without a byte from the other side after which it is asked
 * whether it is still there; four times as long while a connection carries neither calls
 * nor topics.
 * @param pingTimeout Time in which the other side must answer that. Otherwise the
 * connection is closed.
 * @param compressedFromSize Size from which calls and replies are compressed, if the
 * other side does so, too. By default nothing is compressed.
 * @param discoveryMetadata Whether servers write where they listen into the metadata of
 * their registration, and clients connect there before the first answer of the server.
 * Needs a service registry of Spring Cloud and vicinal.tcp.ssl.bundle.
 * @param io Library that reads and writes the sockets. auto takes epoll or io_uring if
 * their native library is on the class path, else the selector of the JDK.
 * @param ssl TLS.
 * @since 0.1.0
 */
@ConfigurationProperties(TcpProperties.PREFIX)
record TcpProperties(@DefaultValue("false") boolean enabled, @DefaultValue("127.0.0.1") String address,
		@DefaultValue("0") int port, @DefaultValue("") String announcedAddress,
		@DefaultValue("64MB") DataSize maxFrameSize, @DefaultValue("4MB") DataSize maxUnsentSize,
		@DefaultValue("1024") int maxConnections, @DefaultValue("256") int maxThreads,
		@DefaultValue("4") int maxConnectionsPerPeer, @DefaultValue("10s") Duration idleTimeout,
		@DefaultValue("5s") Duration handshakeTimeout, @DefaultValue("30s") Duration frameTimeout,
		@DefaultValue("30s") Duration pingInterval, @DefaultValue("10s") Duration pingTimeout,
		@Nullable DataSize compressedFromSize, @DefaultValue("true") boolean discoveryMetadata,
		@DefaultValue("auto") SocketIo io, @DefaultValue Ssl ssl) {

	static final String PREFIX = "vicinal.tcp";

	/**
	 * TLS of the path.
	 *
	 * @param bundle Name of the SSL bundle (spring.ssl.bundle) of servers and clients.
	 * Without one, tcp is not encrypted and uses loopback addresses only.
	 * @param clientBundle Name of the SSL bundle of clients, if it is not the bundle of
	 * servers.
	 * @param clientAuth Whether servers ask clients for a certificate, and refuse clients
	 * that have none.
	 * @param verifyHostname Whether clients check that the certificate of a server is for
	 * the address that they connect to.
	 */
	record Ssl(@Nullable String bundle, @Nullable String clientBundle, @DefaultValue("need") ClientAuth clientAuth,
			@DefaultValue("true") boolean verifyHostname) {
	}

	/** Whether servers ask clients for a certificate. */
	enum ClientAuth {

		/** Servers do not ask. */
		NONE,

		/** Servers ask, and accept clients that have none. */
		WANT,

		/** Servers ask, and refuse clients that have none. */
		NEED

	}

}
