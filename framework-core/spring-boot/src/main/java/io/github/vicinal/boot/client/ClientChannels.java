package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.boot.autoconfigure.NearNames;
import io.github.vicinal.boot.autoconfigure.PathIds;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * The channels of an application: which of its HTTP interfaces have one, and with which
 * settings. Thread-safe.
 */
public final class ClientChannels implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ClientChannels.class);

	/**
	 * Keyed by name in the uniform form, since environment variables have no lower case.
	 */
	private final Map<String, ChannelDefinition> definitions = new HashMap<>();

	private final Map<String, String> definedNames = new TreeMap<>();

	private final Duration reconnectDelay;

	private final boolean comparesPaths;

	private final Duration confirmInterval;

	private final Collection<AffinityChannel> configured;

	private final Toolbox tools;

	private final Map<String, ClientChannel> channels = new ConcurrentHashMap<>();

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final Set<String> groups = ConcurrentHashMap.newKeySet();

	/**
	 * Collaborators that all channels share.
	 *
	 * @param providers the kinds of path that the application has
	 * @param legs connects proxies and request factories
	 * @param observation observes calls
	 * @param interceptors the application's interceptors, outermost first
	 * @param listeners notified of each call
	 * @param callCaches makes caches of calls, {@code null} where there are none
	 * @param self this instance, or {@code null}
	 * @param zone the zone of this instance, or {@code null}
	 * @param balancerAdditions returns what load balancers add to requests, for people
	 * @param mapper returns the mapper of bodies on typed paths
	 * @param placeholders resolves placeholders of contracts
	 * @param connector runs attempts to connect
	 * @param clock dates decisions
	 */
	record Toolbox(Supplier<List<PathProvider>> providers, HttpLegs legs, ClientObservation observation,
			Supplier<List<ChannelInterceptor>> interceptors, Supplier<List<ChannelListener>> listeners,
			Supplier<@Nullable CallCaches> callCaches, Supplier<@Nullable PeerIdentity> self, @Nullable String zone,
			Supplier<Collection<String>> balancerAdditions, Supplier<JsonMapper> mapper,
			UnaryOperator<String> placeholders, Executor connector, Clock clock) {
	}

	/**
	 * Creates the channels.
	 * @param definitions what properties say, by channel name
	 * @param reconnectDelay the shortest time between two attempts to connect a path
	 * @param comparesPaths whether a few calls go by another path to compare it
	 * @param confirmInterval how long calls may go by other paths until one goes over
	 * HTTP to confirm which instance answers there
	 * @param configured annotations on configuration classes
	 * @param tools what all channels share
	 */
	ClientChannels(Map<String, ChannelDefinition> definitions, Duration reconnectDelay, boolean comparesPaths,
			Duration confirmInterval, Collection<AffinityChannel> configured, Toolbox tools) {
		definitions.forEach((name, definition) -> {
			String other = this.definedNames.put(uniform(name), name);
			if (other != null) {
				throw new InvalidChannelException(
						"The properties vicinal.channels.%s.* and vicinal.channels.%s.* name the same channel"
							.formatted(other, name),
						"Use one of the names for all of them");
			}
			this.definitions.put(uniform(name), definition);
		});
		this.reconnectDelay = reconnectDelay;
		this.comparesPaths = comparesPaths;
		this.confirmInterval = confirmInterval;
		this.configured = List.copyOf(configured);
		this.tools = tools;
		for (AffinityChannel annotation : configured) {
			for (Class<?> type : annotation.types()) {
				if (!UnservedChannels.isFeignClient(type)) {
					verifyContract(type, annotation, ClientKind.HTTP_INTERFACE);
				}
			}
		}
	}

	/** Returns what names that are meant to be equal have in common. */
	private static String uniform(String name) {
		return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
	}

	HttpLegs legs() {
		return this.tools.legs();
	}

	/**
	 * Properties of a client that are known when its channel is made.
	 *
	 * @param group the group of the HTTP service client, or {@code null}
	 * @param bean the name of the bean, for clients that are made by hand
	 * @param soleOfGroup whether the group has no other contract
	 * @param targets says which peer a call is for
	 * @param clientName the name by which the client knows the service, or {@code null}
	 * @param discovers whether replicas may hide behind a balancer that cannot be asked
	 * @param timeout how long the HTTP client waits for an answer, or {@code null}
	 * @param interceptors class names of the application's HTTP interceptors
	 * @param kind the kind of the client
	 */
	record ClientFacts(@Nullable String group, @Nullable String bean, boolean soleOfGroup, CallTargets targets,
			@Nullable String clientName, boolean discovers, @Nullable Duration timeout, Collection<String> interceptors,
			ClientKind kind) {

		/** Creates the facts of an HTTP interface. */
		ClientFacts(@Nullable String group, @Nullable String bean, boolean soleOfGroup, CallTargets targets,
				@Nullable String clientName, boolean discovers, @Nullable Duration timeout,
				Collection<String> interceptors) {
			this(group, bean, soleOfGroup, targets, clientName, discovers, timeout, interceptors,
					ClientKind.HTTP_INTERFACE);
		}

	}

	/**
	 * Returns the channel of a client.
	 * @param type its interface
	 * @param facts what is known of the client
	 * @return the channel, or {@code null} if the interface has none
	 */
	@Nullable ClientChannel channel(Class<?> type, ClientFacts facts) {
		AffinityChannel annotation = annotation(type, facts.group());
		String plain = name(type, facts, annotation);
		synchronized (this.channels) {
			String name = plain;
			ClientChannel known = this.channels.get(name);
			while (known != null && isOfAnotherClient(known, type, facts)) {
				// Another client may have another base URL, and wait for another time.
				name = name + "-" + ((facts.bean() != null) ? facts.bean() : facts.group());
				known = this.channels.get(name);
			}
			ChannelDefinition defined = definition(type, name, plain, facts.group());
			if (annotation == null && defined == null && !hasAnnotatedMethod(type)) {
				return null;
			}
			ChannelDefinition definition = (defined != null) ? defined : ChannelDefinition.DEFAULT;
			if (!definition.enabled()) {
				return null;
			}
			Contract contract = verifyContract(type, annotation, facts.kind());
			if (known == null) {
				known = create(name, contract, annotation, definition, facts);
				this.channels.put(name, known);
			}
			else if (known.channel().contract().type() != type) {
				throw new InvalidChannelException(
						"The contracts %s and %s have channels of the same name '%s'"
							.formatted(known.channel().contract().name(), type.getName(), name),
						"Name one of them: @AffinityChannel(name = \"...\")");
			}
			return known;
		}
	}

	/** Contracts of groups that have one name by mistake are refused instead. */
	private static boolean isOfAnotherClient(ClientChannel known, Class<?> type, ClientFacts facts) {
		boolean sameType = known.channel().contract().type() == type;
		return (sameType || facts.bean() != null) && !(sameType && known.isOf(facts.group(), facts.bean()));
	}

	private ClientChannel create(String name, Contract contract, @Nullable AffinityChannel annotation,
			ChannelDefinition definition, ClientFacts facts) {
		List<PathProvider> providers = this.tools.providers().get();
		List<PathKind> paths = paths(name, definition, annotation, providers);
		Duration timeout = (definition.timeout() != null) ? definition.timeout() : facts.timeout();
		Channel channel = new Channel(settings(name, paths, timeout), contract, providers, this.tools.connector(),
				this.tools.clock());
		ClientTraits traits = new ClientTraits(name, definition.ignoreClientInterceptors(), facts.interceptors());
		return new ClientChannel(channel, facts, this.tools, traits, definition.timeout(),
				replicas(name, channel, definition, facts), new AsyncCalls());
	}

	private @Nullable ReplicaBalancer replicas(String name, Channel channel, ChannelDefinition definition,
			ClientFacts facts) {
		List<URI> instances = Instances.parse(name, definition.instances());
		boolean balanced = facts.targets() != CallTargets.FIXED;
		if (!instances.isEmpty() && balanced) {
			throw new InvalidChannelException(
					"vicinal.channels.%s.instances is set, but Spring Cloud's load balancer chooses the instances"
						.formatted(name),
					"Remove it and name the instances in spring.cloud.discovery.client.simple.instances.*, or give the "
							+ "client's group a base URL that is not lb://");
		}
		ReplicaLocator locator = new ReplicaLocator(channel, this.tools.self(), this.tools.zone(),
				this.tools.connector());
		if (!instances.isEmpty()) {
			return ReplicaBalancer.among(instances, locator, definition.locality(), this.tools.legs().selections());
		}
		return (balanced && definition.locality())
				? ReplicaBalancer.within(facts.targets(), locator, this.tools.legs().selections()) : null;
	}

	/**
	 * Returns the first configured instance of the service that a group calls.
	 * @param group the group
	 * @return its URL, or {@code null} if none is configured
	 */
	@Nullable String firstInstance(String group) {
		ChannelDefinition definition = this.definitions.get(uniform(group));
		return (definition != null && definition.enabled() && !definition.instances().isEmpty())
				? Instances.parse(group, definition.instances()).get(0).toString() : null;
	}

	private ChannelSettings settings(String name, List<PathKind> paths, @Nullable Duration timeout) {
		try {
			return new ChannelSettings(name, paths, timeout, this.reconnectDelay, this.comparesPaths,
					this.confirmInterval);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidChannelException(String.valueOf(ex.getMessage()),
					"Correct vicinal.channels.%s.timeout".formatted(name));
		}
	}

	private static List<PathKind> paths(String name, ChannelDefinition definition, @Nullable AffinityChannel annotation,
			List<PathProvider> providers) {
		List<PathKind> provided = providers.stream().map(PathProvider::kind).sorted().toList();
		if (!definition.paths().isEmpty()) {
			return PathIds.kinds(definition.paths(), provided, "vicinal.channels.%s.paths".formatted(name));
		}
		return (annotation != null && annotation.paths().length > 0) ? PathIds.kinds(List.of(annotation.paths()),
				provided, "paths in @AffinityChannel of channel '%s'".formatted(name)) : provided;
	}

	private @Nullable AffinityChannel annotation(Class<?> type, @Nullable String group) {
		AffinityChannel own = AnnotatedElementUtils.findMergedAnnotation(type, AffinityChannel.class);
		if (own != null) {
			return own;
		}
		for (AffinityChannel annotation : this.configured) {
			if (List.of(annotation.types()).contains(type)
					|| (group != null && List.of(annotation.groups()).contains(group))) {
				return annotation;
			}
		}
		return null;
	}

	private static boolean hasAnnotatedMethod(Class<?> type) {
		return Arrays.stream(type.getMethods())
			.anyMatch((method) -> AnnotatedElementUtils.hasAnnotation(method, AffinityChannel.class));
	}

	private static String name(Class<?> type, ClientFacts facts, @Nullable AffinityChannel annotation) {
		if (annotation != null && !annotation.name().isEmpty()) {
			return annotation.name();
		}
		if (facts.group() == null || facts.group().equals("default")) {
			return type.getSimpleName();
		}
		return facts.soleOfGroup() ? facts.group() : facts.group() + "-" + type.getSimpleName();
	}

	private @Nullable ChannelDefinition definition(Class<?> type, String name, String plain, @Nullable String group) {
		Set<String> keys = new LinkedHashSet<>();
		keys.add(name);
		keys.add(plain);
		if (group != null) {
			keys.add(group);
			this.groups.add(group);
		}
		keys.add(type.getSimpleName());
		this.names.addAll(keys);
		for (String key : keys) {
			ChannelDefinition definition = this.definitions.get(uniform(key));
			if (definition != null) {
				return definition;
			}
		}
		return null;
	}

	/**
	 * Notes the names of a client that may be made later.
	 * @param type its interface
	 * @param group the name of the service or context that it belongs to
	 */
	void expect(Class<?> type, String group) {
		AffinityChannel annotation = annotation(type, group);
		String name = (annotation != null && !annotation.name().isEmpty()) ? annotation.name() : group;
		definition(type, name, name, group);
	}

	private static Contract verifyContract(Class<?> type, @Nullable AffinityChannel annotation, ClientKind kind) {
		if (!type.isInterface()) {
			throw new InvalidChannelException("@AffinityChannel names %s, which is not an interface".formatted(type),
					"Name the @HttpExchange interface that client and server share");
		}
		Contract contract = kind.contract(type, annotation);
		if (contract.methods().isEmpty()) {
			throw new InvalidChannelException(
					"%s has @AffinityChannel but no method with @HttpExchange, @GetExchange or the like"
						.formatted(type.getName()),
					"Annotate its methods, or remove @AffinityChannel");
		}
		contract.methods().forEach((method) -> verifyMethod(method.method()));
		return contract;
	}

	/** A channel has one name and one order of paths. */
	private static void verifyMethod(Method method) {
		AffinityChannel annotation = AnnotatedElementUtils.findMergedAnnotation(method, AffinityChannel.class);
		if (annotation == null) {
			return;
		}
		boolean paths = !Arrays.stream(annotation.paths()).allMatch(PathKind.HTTP.id()::equalsIgnoreCase);
		if (paths || !annotation.name().isEmpty() || annotation.types().length > 0 || annotation.groups().length > 0) {
			throw new InvalidChannelException(
					"@AffinityChannel on %s.%s has attributes that apply to the interface only"
						.formatted(method.getDeclaringClass().getName(), method.getName()),
					"Leave paths = \"http\" and idempotent there, and put the rest on the interface");
		}
	}

	/**
	 * Looks, when all clients exist, for names that no client has. A property may be for
	 * another application that has the same configuration.
	 */
	void verifyNames() {
		Set<String> known = this.names.stream().map(ClientChannels::uniform).collect(Collectors.toSet());
		this.definedNames.forEach((uniform, name) -> {
			if (!known.contains(uniform)) {
				Collection<String> near = NearNames.of(name, names(this.names));
				logger.warn("vicinal.channels.{}.* is for a channel that this application does not have{}", name,
						!near.isEmpty() ? ". Did you mean " + String.join(" or ", near) + "?" : this.names.isEmpty()
								? ": it has no HTTP interface clients" : "; it has " + names(this.names));
			}
		});
		for (AffinityChannel annotation : this.configured) {
			for (String group : annotation.groups()) {
				if (!this.groups.contains(group)) {
					throw new InvalidChannelException(
							"@AffinityChannel(groups = \"%s\") names a group that no client has".formatted(group),
							this.groups.isEmpty() ? "Name types instead; this application has no groups of clients"
									: "Use one of the groups " + names(this.groups) + ", or remove it");
				}
			}
		}
	}

	/** Names that are equal in the uniform form are one name. */
	private static Collection<String> names(Set<String> all) {
		Map<String, String> distinct = new TreeMap<>();
		new TreeSet<>(all).descendingSet().forEach((name) -> distinct.putIfAbsent(uniform(name), name));
		return distinct.values();
	}

	/**
	 * Describes all channels.
	 * @return reports, ordered by name
	 */
	public List<ChannelReport> reports() {
		return this.channels.values()
			.stream()
			.map(ClientChannel::report)
			.sorted(Comparator.comparing(ChannelReport::name))
			.toList();
	}

	/**
	 * Returns the number of announcements of peers that could not be used.
	 * @return a count over all channels
	 */
	public long ignoredAnnouncements() {
		return this.channels.values().stream().mapToLong((channel) -> channel.channel().ignoredAnnouncements()).sum();
	}

	/**
	 * Returns the contracts that have channels.
	 * @return a new set of their interfaces
	 */
	Set<Class<?>> contracts() {
		return this.channels.values()
			.stream()
			.map((channel) -> channel.channel().contract().type())
			.collect(Collectors.toCollection(HashSet::new));
	}

	@Override
	public void close() {
		this.channels.values().forEach(ClientChannel::close);
		if (this.tools.connector() instanceof ExecutorService connector) {
			connector.shutdown();
		}
	}

}
