package io.github.vicinal.boot.transport;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the path {@code uds}.
 *
 * @param maxFrameSize Maximum size of a call or reply. Larger calls go over HTTP; a
 * larger reply fails its call, which is repeated over HTTP if it is idempotent.
 * @param maxConnections Maximum number of connections that are accepted.
 * @param maxConnectionsPerPeer Maximum number of connections to one peer, and of calls in
 * flight to it; further calls take another path.
 * @since 0.1.0
 */
@ConfigurationProperties(UdsProperties.PREFIX)
record UdsProperties(@DefaultValue("64MB") DataSize maxFrameSize, @DefaultValue("256") int maxConnectionsPerPeer,
		@DefaultValue("1024") int maxConnections) {

	static final String PREFIX = "vicinal.uds";

}
