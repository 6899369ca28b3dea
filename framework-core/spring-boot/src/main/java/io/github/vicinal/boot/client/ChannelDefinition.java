package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Properties of one channel; all are optional.
 *
 * @param enabled whether the channel may use typed paths
 * @param paths the ids of the paths that may be used, best first; empty for what the
 * annotation says
 * @param timeout how long a call may take
 * @param ignoreClientInterceptors whether typed paths may be used although the HTTP
 * client has interceptors or headers of the application, which do not apply to them
 * @param instances the replicas of the service, where no load balancer knows them
 * @param locality whether near replicas are preferred
 */
record ChannelDefinition(boolean enabled, List<String> paths, @Nullable Duration timeout,
		boolean ignoreClientInterceptors, List<String> instances, boolean locality) {

	/** Definition of a channel that no property names. */
	public static final ChannelDefinition DEFAULT = new ChannelDefinition(true, List.of(), null, false, List.of(),
			true);

}
