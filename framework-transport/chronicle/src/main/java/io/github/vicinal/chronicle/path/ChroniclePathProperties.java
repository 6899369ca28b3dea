package io.github.vicinal.chronicle.path;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the path {@code chronicle}.
 *
 * @param enabled Whether calls between processes of one user and host may go through
 * Chronicle Queues. Needs vicinal-chronicle and the JVM flags of Chronicle Queue.
 * @param maxFrameSize Maximum size of a call or reply, 1KB to 1GB. Larger calls go over
 * another path.
 * @param maxQueueSize Maximum size of the files of one direction that the other side has
 * not read, at least four times file-size and twice max-frame-size. Further calls take
 * another path.
 * @param fileSize Size after which a queue begins a new file, a multiple of 64KB from 1MB
 * to 256MB. A file is deleted when it has been read.
 * @param minFree Room that the volume of the rendezvous directory keeps. Nothing is
 * written that would leave less.
 * @param maxConnections Maximum number of clients that a server accepts, each with a
 * thread.
 * @param maxThreads Maximum number of calls that a server executes at a time.
 * @param handshakeTimeout Time to connect and to identify each other.
 * @param frameTimeout Time in which a client must read some of the answers that wait for
 * it. Otherwise the connection is closed.
 * @since 0.1.0
 */
@ConfigurationProperties(ChroniclePathProperties.PREFIX)
record ChroniclePathProperties(@DefaultValue("false") boolean enabled, @DefaultValue("64MB") DataSize maxFrameSize,
		@DefaultValue("128MB") DataSize maxQueueSize, @DefaultValue("4MB") DataSize fileSize,
		@DefaultValue("64MB") DataSize minFree, @DefaultValue("64") int maxConnections,
		@DefaultValue("256") int maxThreads, @DefaultValue("5s") Duration handshakeTimeout,
		@DefaultValue("30s") Duration frameTimeout) {

	static final String PREFIX = "vicinal.chronicle";

}
