package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.sources.HttpJson;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the placement endpoint.
 *
 * @param mode Mode of the endpoint: "recommend", or "off" to show only what was observed.
 * @param model Location of a model with services, hosts and rules, such as
 * file:shop.json; traffic is added to it. Default is a model of what reports.
 * @param instances Base addresses of the actuators of other instances, such as
 * http://host:8080/actuator, or http://user:password@host:8080/actuator with special
 * characters percent-encoded.
 * @param bearerToken Bearer token that is sent to other instances whose address has no
 * user.
 * @param discovery Whether instances are found through the DiscoveryClient, too.
 * @param timeout Time that another instance has to answer.
 * @param refresh Minimum interval between two requests to an instance.
 * @param halfLife Time after which a call has half its weight.
 * @param minimumCalls Minimum number of calls of an edge. Edges with fewer are left out,
 * and named.
 * @param searchTime Time of the search for a plan.
 * @param seed Seed of all random choices.
 * @param maxMoves Maximum number of replicas that a plan may move. Default is no limit.
 * @param routing Choice of calls among replicas. Default is that of the model, else
 * uniform.
 * @param edgeWeight Quantity of an edge that counts. Default is that of the model, else
 * calls.
 * @param host Name of the host that this instance runs on. Default is made from the boot
 * id of its kernel, which all containers of a host see.
 * @param zone Name of the zone of that host.
 * @param applications Files of services that say which may share a JVM: a jar, a pom.xml,
 * a bill of materials or a Dockerfile, by name of the service. Needs vicinal-copackage.
 * @param accept Rules of copackage whose findings keep no services apart, such as
 * jvm-wide-call.
 * @param ports Ports that services get where they share a JVM, by name of the service.
 * Default is what their files say.
 * @param savedByJvmSharing Memory that a service saves if it is not the first of its JVM,
 * at most what it needs.
 * @param prices Prices of processors and hosts, with which savings are shown as money.
 * Default is what the model says.
 * @since 0.1.0
 */
@ConfigurationProperties(PlacementProperties.PREFIX)
record PlacementProperties(@DefaultValue("recommend") Mode mode, @Nullable String model,
		@DefaultValue List<String> instances, @Nullable String bearerToken, @DefaultValue("false") boolean discovery,
		@DefaultValue("2s") Duration timeout, @DefaultValue("5s") Duration refresh,
		@DefaultValue("10m") Duration halfLife, @DefaultValue("100") long minimumCalls,
		@DefaultValue("500ms") Duration searchTime, @DefaultValue("1") long seed, @Nullable Integer maxMoves,
		@Nullable ReplicaChoice routing, @Nullable EdgeWeight edgeWeight, @Nullable String host,
		@DefaultValue("") String zone, @DefaultValue Map<String, List<String>> applications,
		@DefaultValue List<String> accept, @DefaultValue Map<String, Integer> ports,
		@DefaultValue("160MB") DataSize savedByJvmSharing, @Nullable Cost prices) {

	/** Prefix of the properties. */
	public static final String PREFIX = "vicinal.placement";

	/** The longest search that a request may ask for. */
	static final Duration LONGEST_SEARCH = Duration.ofSeconds(30);

	/** The longest half-life. Ten of them still are a number of nanoseconds. */
	private static final Duration LONGEST_HALF_LIFE = Duration.ofDays(10_000);

	public PlacementProperties {
		// An empty variable, as in ${NODE_NAME:}, names no host.
		host = (host == null || host.isBlank()) ? null : host.strip();
		positive("timeout", timeout);
		positive("half-life", halfLife);
		positive("search-time", searchTime);
		if (searchTime.compareTo(LONGEST_SEARCH) > 0) {
			throw new InvalidPlacementException("%s.search-time is %d s".formatted(PREFIX, searchTime.toSeconds()),
					"Choose at most %d s; a request waits for it".formatted(LONGEST_SEARCH.toSeconds()));
		}
		if (savedByJvmSharing.toBytes() < 0) {
			throw new InvalidPlacementException(
					"%s.saved-by-jvm-sharing is %d bytes".formatted(PREFIX, savedByJvmSharing.toBytes()),
					"Choose at least 0, or leave it out for 160MB");
		}
		if (refresh.isNegative()) {
			throw new InvalidPlacementException("%s.refresh is %d ms".formatted(PREFIX, refresh.toMillis()),
					"Choose at least 0, or leave it out for 5s");
		}
		if (halfLife.compareTo(LONGEST_HALF_LIFE) > 0) {
			throw new InvalidPlacementException("%s.half-life is %d days".formatted(PREFIX, halfLife.toDays()),
					"Choose at most %d days; no instance runs for longer".formatted(LONGEST_HALF_LIFE.toDays()));
		}
		if (maxMoves != null && maxMoves < 0) {
			throw new InvalidPlacementException("%s.max-moves is %d".formatted(PREFIX, maxMoves),
					"Choose at least 0, or leave it out for no limit");
		}
		if (minimumCalls < 0) {
			throw new InvalidPlacementException("%s.minimum-calls is %d".formatted(PREFIX, minimumCalls),
					"Choose at least 0, or leave it out for 100");
		}
		instances.forEach(PlacementProperties::address);
	}

	/**
	 * Returns the addresses of the other instances. Spring's own conversion to an address
	 * would encode what is percent-encoded once more, and spoil passwords.
	 * @return the addresses
	 */
	List<URI> addresses() {
		return this.instances.stream().map(PlacementProperties::address).toList();
	}

	private static URI address(String text) {
		try {
			return HttpJson.address(text.strip());
		}
		catch (IOException ex) {
			throw new InvalidPlacementException(
					"%s.instances has '%s'".formatted(PREFIX, text.replaceFirst("//.*@", "//***@")),
					"Write the base address of an actuator, such as http://host:8080/actuator; special characters of a user or password are percent-encoded");
		}
	}

	private static void positive(String name, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new InvalidPlacementException("%s.%s is %d ms".formatted(PREFIX, name, value.toMillis()),
					"Choose a positive time, or leave it out for the default");
		}
	}

	/**
	 * Prices of capacity.
	 *
	 * @param currency Name of the currency, such as EUR.
	 * @param perCoreHour Price of a processor for an hour.
	 * @param perHostHour Price of a host for an hour.
	 */
	public record Cost(@DefaultValue("EUR") String currency, @DefaultValue("0") double perCoreHour,
			@DefaultValue("0") double perHostHour) {

		Prices prices() {
			try {
				return new Prices(this.currency, this.perCoreHour, this.perHostHour);
			}
			catch (InvalidModelException ex) {
				throw new InvalidPlacementException("%s.prices cannot be used: %s".formatted(PREFIX, ex.getMessage()),
						"Correct it, or leave it out");
			}
		}

	}

	/** Choice of calls among replicas. */
	enum ReplicaChoice {

		/** Any replica with equal probability. */
		UNIFORM(Routing.UNIFORM),

		/** Replicas on the caller's host first. */
		LOCAL(Routing.LOCALITY);

		private final Routing routing;

		ReplicaChoice(Routing routing) {
			this.routing = routing;
		}

		Routing routing() {
			return this.routing;
		}

	}

	/** Mode of the endpoint. */
	public enum Mode {

		/** Shows what was observed. */
		OFF,

		/** Recommends, and applies nothing. */
		RECOMMEND

	}

}
