package io.github.vicinal.boot.transport;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the path {@code shm}.
 *
 * @param lanes Number of calls that can be in flight to one peer in each segment of
 * memory; a power of two up to 256.
 * @param maxLanes Maximum number of calls in flight to one peer; more segments are made
 * when all lanes are in use.
 * @param inlineSize Size of calls and replies that travel in their lane, at least 2KB;
 * larger ones take memory that is added when it is needed.
 * @param maxFrameSize Maximum size of a call or reply. Larger calls go over HTTP; a
 * larger reply fails its call, which is repeated over HTTP if it is idempotent.
 * @param maxMemoryPerPeer Maximum memory for large calls or replies, per peer and
 * direction; the smaller limit of the two peers counts.
 * @param maxHeapPerPeer Maximum heap for large calls or replies of one peer that are
 * being encoded or decoded, for shared memory and Unix domain sockets each; a call that
 * needs more runs alone. Default is a sixteenth of the heap, but at most 64MB.
 * @param maxPeers Maximum number of peers that this application shares memory with as a
 * server.
 * @param maxThreads Maximum number of threads that execute calls which are not known to
 * be short.
 * @param idleTimeout Time without calls after which threads, file descriptors, heap and
 * further segments of a peer are given back.
 * @param waiting Way of waiting for the other process: "learned" stays awake if that has
 * paid, "park" always sleeps.
 * @since 0.1.0
 */
@ConfigurationProperties(ShmProperties.PREFIX)
record ShmProperties(@DefaultValue("64") int lanes, @DefaultValue("1024") int maxLanes,
		@DefaultValue("2KB") DataSize inlineSize, @DefaultValue("64MB") DataSize maxFrameSize,
		@DefaultValue("64MB") DataSize maxMemoryPerPeer, @Nullable DataSize maxHeapPerPeer,
		@DefaultValue("1024") int maxPeers, @DefaultValue("256") int maxThreads,
		@DefaultValue("10s") Duration idleTimeout, @Name("wait") @DefaultValue("learned") String waiting) {

	static final String PREFIX = "vicinal.shm";

}
