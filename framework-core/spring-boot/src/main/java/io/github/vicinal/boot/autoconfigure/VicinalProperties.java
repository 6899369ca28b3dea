package io.github.vicinal.boot.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.vicinal.requestserver.Priority;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of Vicinal.
 *
 * @param enabled Whether Vicinal is on: channels, HTTP exchanges, contracts for others,
 * topics, the request server and placement. Off, the application behaves as if the
 * starter were not there; only caches stay, which have a switch of their own.
 * @param channels Channels by name: the group of an HTTP service client, or the simple
 * name of its interface.
 * @param reconnectDelay Minimum delay between two attempts to connect a path to a peer;
 * grows while attempts fail.
 * @param comparePaths Whether some idempotent calls go by another path than the others,
 * to notice when that has become the cheaper one: two of 512, and up to two of 16 while
 * it seems to be.
 * @param confirmInterval Time for which calls may go by other paths until one of them
 * goes over HTTP, to confirm that the address still leads to the same instance; 0 for
 * never.
 * @param defaultTimeout Time-out of calls over HTTP whose HTTP client has no read
 * time-out; 0 for none.
 * @param rendezvous Directory in which processes of one host meet.
 * @param codec Encoding of arguments and results.
 * @param server Contracts that this application offers to others.
 * @param httpExchanges HTTP requests without a contract, over other paths than HTTP.
 * @param https Requests that go by https.
 * @param network Paths between hosts.
 * @since 0.1.0
 */
@ConfigurationProperties("vicinal")
public record VicinalProperties(@DefaultValue("true") boolean enabled, @DefaultValue Map<String, Channel> channels,
		@DefaultValue("1s") Duration reconnectDelay, @DefaultValue("true") boolean comparePaths,
		@DefaultValue("4s") Duration confirmInterval, @DefaultValue("60s") Duration defaultTimeout,
		@DefaultValue Rendezvous rendezvous, @DefaultValue Codec codec, @DefaultValue Server server,
		@DefaultValue HttpExchanges httpExchanges, @DefaultValue Https https, @DefaultValue Network network) {

	public VicinalProperties {
		if (defaultTimeout.isNegative()) {
			throw new IllegalArgumentException(
					"vicinal.default-timeout must not be negative, but is %d ms".formatted(defaultTimeout.toMillis()));
		}
		if (confirmInterval.isNegative()) {
			throw new IllegalArgumentException("vicinal.confirm-interval must not be negative, but is %d ms"
				.formatted(confirmInterval.toMillis()));
		}
		if (reconnectDelay.isNegative() || reconnectDelay.isZero()) {
			throw new IllegalArgumentException(
					"vicinal.reconnect-delay must be positive, but is %d ms; leave it out for 1s"
						.formatted(reconnectDelay.toMillis()));
		}
	}

	/**
	 * One channel.
	 *
	 * @param enabled Whether the channel may use typed paths.
	 * @param paths Paths that may be used, best first, such as direct, shm, uds and http.
	 * HTTP always remains as the last resort. Default is what the annotation says, else
	 * all.
	 * @param timeout Time-out of a call. Default is the read time-out of the HTTP client.
	 * @param ignoreClientInterceptors Whether typed paths may be used although the HTTP
	 * client adds something to requests that they do not carry, such as interceptors do.
	 * @param instances URLs of the replicas of the service, such as http://a:8080, for
	 * services without a load balancer. Each call goes to one of them; the host of the
	 * client's base URL is not used.
	 * @param locality Whether calls go to the nearest replicas as long as that is faster;
	 * off for spreading calls evenly.
	 */
	public record Channel(@DefaultValue("true") boolean enabled, @DefaultValue List<String> paths,
			@Nullable Duration timeout, @DefaultValue("false") boolean ignoreClientInterceptors,
			@DefaultValue List<String> instances, @DefaultValue("true") boolean locality) {
	}

	/**
	 * Directory in which processes of one host meet.
	 *
	 * @param directory Directory for sockets and shared memory, owned by and accessible
	 * to the user only; created if it is missing. Shared memory is only used if it is on
	 * a tmpfs, such as below /dev/shm. Default is the first that can be used of the
	 * directory vicinal in $XDG_RUNTIME_DIR and vicinal-USER in /dev/shm and in the
	 * temporary directory. In a named directory that others may enter, each user gets
	 * vicinal-USER.
	 */
	public record Rendezvous(@Nullable String directory) {
	}

	/**
	 * Encoding of arguments and results.
	 *
	 * @param flat Whether values may travel in Vicinal's flat format where it is provably
	 * equivalent to JSON.
	 */
	public record Codec(@DefaultValue("true") boolean flat) {
	}

	/**
	 * HTTP requests without a contract, over other paths than HTTP.
	 *
	 * @param enabled Whether requests of HTTP clients may take other paths to peers, and
	 * whether requests are accepted over them.
	 * @param peers Hosts that are asked for other paths although they have no address of
	 * this machine, with or without a port; "*.example" stands for all names that end so.
	 * @param paths Paths that may be used, best first, such as direct, shm and uds.
	 * Default is all that the application has.
	 */
	public record HttpExchanges(@DefaultValue("true") boolean enabled, @DefaultValue List<String> peers,
			@DefaultValue List<String> paths) {
	}

	/**
	 * Requests that go by https.
	 *
	 * @param localPaths Whether paths between processes of one user, such as direct, shm
	 * and uds, may stand in for https. Set it at clients and servers.
	 */
	public record Https(@DefaultValue("false") boolean localPaths) {
	}

	/**
	 * Paths between hosts.
	 *
	 * @param pastIntermediaries Whether paths over the network, such as tcp and rdma, may
	 * go around a gateway, proxy, sidecar or address translation that HTTP requests pass.
	 * Set it at clients.
	 */
	public record Network(@DefaultValue("false") boolean pastIntermediaries) {
	}

	/**
	 * Contracts that this application offers to others.
	 *
	 * @param enabled Whether contracts that controllers implement are offered over typed
	 * paths.
	 * @param paths Paths that are offered, such as direct, shm and uds. Default is all
	 * that the application has.
	 * @param requests Number of requests that run at once, over all paths.
	 */
	public record Server(@DefaultValue("true") boolean enabled, @Nullable List<String> paths,
			@DefaultValue Requests requests) {
	}

	/**
	 * Number of requests that run at once, over all paths.
	 *
	 * @param enabled Whether requests wait for a permit and can be rejected.
	 * @param threads Maximum number of requests that run at once. By default the load
	 * decides, up to what the web server has: server.tomcat.threads.max or
	 * server.jetty.threads.max, and with virtual threads server.tomcat.max-connections.
	 * @param kind Threads of requests that the application hands over itself: "platform"
	 * or "virtual"; "default" is virtual if spring.threads.virtual.enabled is set, else
	 * platform.
	 * @param queueCapacity Maximum number of requests that wait, up to 1000000 and a
	 * quarter of the heap. Default is what the web server may run, at most 1000, and five
	 * times as many (at most 1000) while the last of them should wait for no longer than
	 * the interval.
	 * @param interval Time for which the queue must stand until there is overload, from a
	 * millisecond to a minute.
	 * @param patience Maximum wait of most requests under overload, in mean service
	 * times. Requests that end together make some wait for up to a quarter longer.
	 * @param maxPerChannel Maximum number of requests of one contract, waiting and
	 * running; 0 for no limit of its own. For requests without a contract it counts for
	 * each endpoint.
	 * @param priorities Priorities by contract, its class name with or without the
	 * package; "critical", "normal" or "sheddable". A name of no contract is a warning.
	 * @param rules Priorities and limits of requests by path, HTTP method and caller. The
	 * limits of all rules that a request matches count; its priority is that of the first
	 * one that names a priority.
	 */
	public record Requests(@DefaultValue("true") boolean enabled, @Nullable Integer threads,
			@DefaultValue("default") Kind kind, @Nullable Integer queueCapacity,
			@DefaultValue("100ms") Duration interval, @DefaultValue("1.5") double patience,
			@DefaultValue("0") int maxPerChannel, @DefaultValue Map<String, Priority> priorities,
			@DefaultValue List<Rule> rules) {

		/** Kinds of threads. */
		public enum Kind {

			/** Virtual if the application uses virtual threads, else platform. */
			DEFAULT,

			/** Platform threads. */
			PLATFORM,

			/** Virtual threads; platform threads before Java 21. */
			VIRTUAL

		}

		/**
		 * Rule for some requests.
		 *
		 * @param path Path pattern as handlers have it, such as /orders/{id} or
		 * /orders/**.
		 * @param methods HTTP methods. Default is all.
		 * @param callers Addresses of clients, or blocks of them such as 10.0.0.0/8; with
		 * a CallerResolver bean, the names that it returns. Default is all.
		 * @param priority Priority of these requests.
		 * @param maxInFlight Maximum number of these requests, waiting and running.
		 * Default is no limit.
		 * @param per Requests that max-in-flight counts together: all requests of the
		 * rule together, those of each endpoint, or those of each caller.
		 */
		public record Rule(@DefaultValue("/**") String path, @DefaultValue List<String> methods,
				@DefaultValue List<String> callers, @Nullable Priority priority, @Nullable Integer maxInFlight,
				@DefaultValue("rule") Per per) {

			/** Scope of a limit. */
			public enum Per {

				/** All requests of the rule together. */
				RULE,

				/** The requests of each endpoint. */
				ENDPOINT,

				/** The requests of each caller. */
				CALLER

			}

		}

	}

}
