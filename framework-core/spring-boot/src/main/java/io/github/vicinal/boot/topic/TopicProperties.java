package io.github.vicinal.boot.topic;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.topic.WhenFull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of topics.
 *
 * @param enabled Whether the application may publish and subscribe.
 * @param named Topics by name.
 * @since 0.1.0
 */
@ConfigurationProperties("vicinal.topics")
record TopicProperties(@DefaultValue("true") boolean enabled, @DefaultValue Map<String, Room> named) {

	/** The room of a topic that has no properties. */
	static final Room DEFAULT = new Room(DataSize.ofMegabytes(4), WhenFull.BLOCK, Duration.ofSeconds(5), false,
			Set.of(), Set.of(), false, List.of());

	/**
	 * The room that one publisher of a topic has.
	 *
	 * @param capacity Room for messages that somebody has yet to handle, a power of two
	 * from 64KB to 1GB in shared memory. A message may take half of it.
	 * @param whenFull Handling of a message for which there is no room.
	 * @param patience Maximum time that a publisher waits for room, with when-full=block.
	 * @param durable Whether messages are kept on a volume, and outlast processes. Needs
	 * vicinal-chronicle.
	 * @param publishers Names of the applications that may publish. All of this user, if
	 * empty.
	 * @param subscribers Names of the applications that may subscribe. All of this user,
	 * if empty.
	 * @param otherHosts Whether subscribers of other hosts get what this application
	 * publishes. Needs vicinal-transport-tcp with vicinal.tcp.ssl.bundle, or
	 * vicinal-transport-rdma with vicinal.rdma.topic-ssl-bundle.
	 * @param remotePublishers Addresses of the processes of other hosts that publish,
	 * such as 10.0.0.7:7400. A name stands for all its addresses.
	 */
	public record Room(@DefaultValue("4MB") DataSize capacity, @DefaultValue("block") WhenFull whenFull,
			@DefaultValue("5s") Duration patience, @DefaultValue("false") boolean durable,
			@DefaultValue Set<String> publishers, @DefaultValue Set<String> subscribers,
			@DefaultValue("false") boolean otherHosts, @DefaultValue List<String> remotePublishers) {
	}

}
