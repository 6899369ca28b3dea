package io.github.vicinal.transport.rdma;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the path {@code rdma}.
 *
 * @param enabled Whether calls may go over RDMA. Needs vicinal-transport-rdma and an RDMA
 * device on both sides.
 * @param address IPv4 address to listen on, which must belong to the network interface of
 * an RDMA device. If it is empty, the only such address of the host is used.
 * @param port Port to listen on. 0 takes any that is free.
 * @param announcedAddress IPv4 address at which clients reach this server, if it is not
 * vicinal.rdma.address.
 * @param ringSize Size of the ring of each direction of a connection: a power of two from
 * 64KB to 256MB. The smaller side counts. Each side locks twice as much memory per
 * connection.
 * @param rendezvousSize Size of the memory of each side of a connection from which the
 * other side reads calls and replies of 256KB and more: a multiple of 256KB up to 16MB.
 * Each side locks twice as much memory per connection. 0 sends them through the rings.
 * @param completionMode Way in which connections wait for completions.
 * @param maxFrameSize Maximum size of a call or reply, 1KB to 1GB. Larger calls go over
 * another path.
 * @param maxConnections Maximum number of connections that a server accepts.
 * @param maxThreads Maximum number of calls that a server executes at a time.
 * @param handshakeTimeout Time to connect and to identify each other.
 * @param frameTimeout Time in which a large call or reply must arrive once it has begun
 * to, and in which a client must take some of the answers that wait for it.
 * @param pingInterval Time without a sign of the other side after which it is asked
 * whether it is still there.
 * @param pingTimeout Time in which the other side must answer that. Otherwise the
 * connection is closed.
 * @param topicSslBundle Name of the SSL bundle by which both sides of a topic prove who
 * they are, and encrypt. Its certificate must be for the address of this host. Topics are
 * not carried over RDMA without it.
 * @since 0.1.0
 */
@ConfigurationProperties(RdmaProperties.PREFIX)
record RdmaProperties(@DefaultValue("true") boolean enabled, @DefaultValue("") String address,
		@DefaultValue("0") int port, @DefaultValue("") String announcedAddress, @DefaultValue("1MB") DataSize ringSize,
		@DefaultValue("1MB") DataSize rendezvousSize, @DefaultValue("adaptive") CompletionMode completionMode,
		@DefaultValue("64MB") DataSize maxFrameSize, @DefaultValue("64") int maxConnections,
		@DefaultValue("256") int maxThreads, @DefaultValue("5s") Duration handshakeTimeout,
		@DefaultValue("30s") Duration frameTimeout, @DefaultValue("10s") Duration pingInterval,
		@DefaultValue("5s") Duration pingTimeout, @DefaultValue("") String topicSslBundle) {

	static final String PREFIX = "vicinal.rdma";

}
