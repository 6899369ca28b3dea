package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.server.PathContainer;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Announcements of this application, by contract. Services are built, and servers
 * started, when the first client asks. Thread-safe.
 */
public final class ServiceCatalog implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ServiceCatalog.class);

	/**
	 * A stranger can ask for any name; only a limited number of unknown ones is
	 * remembered.
	 */
	private static final int MAX_UNKNOWN = 1000;

	private static final int MAX_NAME_CHARS = 500;

	/** Maximum number of clients' interfaces that are known by their structure. */
	private static final int MAX_STRUCTURAL = 200;

	private static final String NOT_IMPLEMENTED = "no controller implements the contract";

	private static final String NO_STRUCTURE = NOT_IMPLEMENTED + ", and no handler has the structure of its methods";

	/** Minimum interval between looks for changes of what was announced. */
	private static final long LOOK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Supplier<PeerIdentity> self;

	private final ServiceSource source;

	private final Supplier<ServiceRegistry> registry;

	private final Supplier<OfferedPaths> paths;

	private final ConnectionTickets tickets;

	private List<PathServer> servers = List.of();

	/** Ids of paths that the application has, but is not to offer. */
	private List<String> notOffered = List.of();

	/** Whether local paths are offered to clients that come by https. */
	private boolean httpsLocalPaths;

	/** Announcements of known contracts. */
	private final Map<String, PeerAnnouncement> announcements = new ConcurrentHashMap<>();

	/** Announcements of unknown contracts. */
	private final Map<String, PeerAnnouncement> unknown = new ConcurrentHashMap<>();

	private boolean started;

	private boolean closed;

	/** Last announcement of this instance and its paths. Guarded by this. */
	private List<Object> lastSeen = List.of();

	private volatile int changes;

	private volatile long nextLook = System.nanoTime();

	/** Builds services on demand. */
	@FunctionalInterface
	public interface ServiceSource {

		/**
		 * Builds the service of a contract.
		 * @param contractName the contract's class name
		 * @return the service, or {@code null} if no bean implements the contract
		 */
		@Nullable Service find(String contractName);

		/**
		 * Builds the service of a client whose interface no bean implements.
		 * @param structure the structure of the interface's methods
		 * @return the service, or {@code null} if no handler has the structure of any of
		 * them, which is the default
		 */
		default @Nullable Service find(ContractInquiry.Structure structure) {
			return null;
		}

	}

	/**
	 * Creates the catalog.
	 * @param self names this instance
	 * @param source builds services
	 * @param registry where servers look services up
	 * @param paths the paths that the application offers
	 * @param tickets name the connections of clients
	 */
	ServiceCatalog(Supplier<PeerIdentity> self, ServiceSource source, Supplier<ServiceRegistry> registry,
			Supplier<OfferedPaths> paths, ConnectionTickets tickets) {
		this.self = self;
		this.source = source;
		this.registry = registry;
		this.paths = paths;
		this.tickets = tickets;
	}

	/**
	 * Returns the announcement of a contract.
	 * @param inquiry what a client asked for
	 * @param handler the handler that its request has reached
	 * @param path the path of its request within the application, {@code null} if it is
	 * not known
	 * @return the value of the announcement header, or {@code null} if the name is none
	 */
	@Nullable String announcement(Inquiry inquiry, Object handler, @Nullable PathContainer path) {
		ConnectionFacts facts = inquiry.facts();
		String name = inquiry.contract();
		PeerAnnouncement base = base(name, () -> this.source.find(name), NOT_IMPLEMENTED);
		ContractInquiry.Structure structure = (base != null && base.refusal().equals(NOT_IMPLEMENTED))
				? inquiry.structure() : null;
		if (structure != null) {
			base = base(structure.name(), () -> structural(structure), NO_STRUCTURE);
		}
		if (base == null) {
			return null;
		}
		Service service = base.paths().isEmpty() ? null
				: this.registry.get().find((structure != null) ? structure.name() : name);
		if (service == null) {
			return base.format();
		}
		String misled = (structure == null && service instanceof MvcService mvc) ? mvc.elsewhere(handler, path) : null;
		if (misled != null) {
			return new PeerAnnouncement(base.peer(), Set.of(), base.contractHash(), misled).format();
		}
		if (facts == null || !inquiry.refusal().isEmpty()) {
			return new PeerAnnouncement(base.peer(), Set.of(), base.contractHash(), inquiry.refusal()).format();
		}
		Set<String> offered = facts.secure() ? besideHttps(base.paths(), service) : base.paths();
		if (offered.isEmpty()) {
			return new PeerAnnouncement(base.peer(), offered, base.contractHash(), whyNotBesideHttps(service)).format();
		}
		String elsewhere = (structure != null && service instanceof MvcService mvc)
				? mvc.reached(structure.call(), handler, inquiry.watch().reason()) : null;
		Map<String, String> addresses = new TreeMap<>(base.addresses());
		addresses.keySet().retainAll(offered);
		boolean tellsWay = service instanceof ExchangeService || isOverNetwork(offered);
		String ticket = (service instanceof MvcService mvc && handler instanceof HandlerMethod method)
				? ticket(mvc, method, facts, inquiry) : this.tickets.ticket(facts);
		Map<Integer, String> methods = service.httpOnlyMethods();
		if (structure != null && elsewhere != null) {
			methods = new TreeMap<>(methods);
			methods.put(structure.call(), elsewhere);
		}
		return new PeerAnnouncement(base.peer(), offered, base.contractHash(),
				String.join(", ", new TreeSet<>(methods.values())), methods.keySet())
			.withArrival(tellsWay ? arrival(facts) : "")
			.withOrigin(tellsWay ? withoutScope(facts.remoteAddr()) : "")
			.withTicket(ticket)
			.withMissing(base.missing())
			.withAddresses(addresses)
			.format();
	}

	/** Returns whether a client has to find out what its requests pass on their way. */
	private boolean isOverNetwork(Set<String> offered) {
		return servers().stream()
			.map(PathServer::kind)
			.anyMatch((kind) -> kind.reach() == PathKind.Reach.NETWORK && offered.contains(kind.id()));
	}

	/** Returns which paths are protected well enough for a client that uses https. */
	private synchronized Set<String> besideHttps(Set<String> offered, Service service) {
		Set<String> protectedPaths = new TreeSet<>();
		if (service instanceof ExchangeService) {
			return protectedPaths;
		}
		for (PathServer server : this.servers) {
			boolean isProtected = switch (server.protection()) {
				case NONE -> false;
				case SAME_USER -> this.httpsLocalPaths;
				case MUTUAL_TLS -> true;
			};
			if (isProtected && offered.contains(server.kind().id())) {
				protectedPaths.add(server.kind().id());
			}
		}
		return protectedPaths;
	}

	private static String whyNotBesideHttps(Service service) {
		return (service instanceof ExchangeService) ? "the client comes by TLS, for which exchanges do not stand in"
				: "the client comes by TLS, for which only tcp with TLS on both sides stands in, or local paths with "
						+ "vicinal.https.local-paths=true";
	}

	private String ticket(MvcService service, HandlerMethod handler, ConnectionFacts facts, Inquiry inquiry) {
		if (!service.contract().isStructural()) {
			service.seen(handler, inquiry.watch().reason());
		}
		String ticket = this.tickets.ticket(declaresAccept(handler) ? facts.withoutAccept() : facts);
		Class<?> body = body(handler);
		if (body != String.class && body != byte[].class) {
			this.tickets.learn(ticket, facts, body != void.class);
		}
		return ticket;
	}

	/** Returns the type of the body that a handler takes, {@code void} for none. */
	private static Class<?> body(HandlerMethod handler) {
		for (MethodParameter parameter : handler.getMethodParameters()) {
			if (parameter.hasParameterAnnotation(RequestBody.class)) {
				return parameter.getParameterType();
			}
		}
		return void.class;
	}

	private static boolean declaresAccept(HandlerMethod handler) {
		HttpExchange ofMethod = AnnotatedElementUtils.findMergedAnnotation(handler.getMethod(), HttpExchange.class);
		HttpExchange ofType = AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), HttpExchange.class);
		return (ofMethod != null && ofMethod.accept().length > 0) || (ofType != null && ofType.accept().length > 0);
	}

	/** The name of a network interface says nothing to others. */
	private static String arrival(ConnectionFacts facts) {
		return "%s:%d".formatted(withoutScope(facts.localAddr()), facts.localPort());
	}

	private static String withoutScope(String address) {
		int scope = address.indexOf('%');
		return (scope >= 0) ? address.substring(0, scope) : address;
	}

	/** A stranger can ask for any combination of methods. */
	private @Nullable Service structural(ContractInquiry.Structure structure) {
		long known = this.registry.get()
			.services()
			.stream()
			.filter((service) -> service.contract().isStructural())
			.count();
		return (known < MAX_STRUCTURAL) ? this.source.find(structure) : null;
	}

	private @Nullable PeerAnnouncement base(String contractName, Supplier<@Nullable Service> finder, String otherwise) {
		if (contractName.isEmpty() || contractName.length() > MAX_NAME_CHARS) {
			return null;
		}
		int age = lookForChanges();
		PeerAnnouncement known = this.announcements.get(contractName);
		if (known == null) {
			known = this.unknown.get(contractName);
		}
		if (known != null) {
			return known;
		}
		PeerAnnouncement announcement;
		try {
			announcement = announce(contractName, finder, otherwise);
		}
		catch (RuntimeException | Error ex) {
			// The request that asked is to be answered, whatever becomes of other paths.
			logger.warn("The contract {} cannot be offered over other paths than http", contractName, ex);
			announcement = new PeerAnnouncement(this.self.get(), Set.of(), "",
					"the contract could not be offered; the log of the peer says why");
		}
		keep(contractName, announcement, age);
		return announcement;
	}

	private synchronized void keep(String contractName, PeerAnnouncement announcement, int age) {
		if (age != this.changes) {
			return;
		}
		if (!announcement.contractHash().isEmpty()) {
			this.announcements.put(contractName, announcement);
		}
		else if (this.unknown.size() < MAX_UNKNOWN) {
			this.unknown.put(contractName, announcement);
		}
	}

	/**
	 * Forgets announcements if what they say of this instance and its paths has changed.
	 * @return how often that was so
	 */
	private int lookForChanges() {
		long now = System.nanoTime();
		if (now - this.nextLook < 0) {
			return this.changes;
		}
		synchronized (this) {
			if (this.started && !this.closed && now - this.nextLook >= 0) {
				this.nextLook = now + LOOK_INTERVAL_NANOS;
				List<Object> seen = seen();
				if (!seen.equals(this.lastSeen)) {
					this.lastSeen = seen;
					this.announcements.clear();
					this.unknown.clear();
					this.changes++;
				}
			}
			return this.changes;
		}
	}

	private List<Object> seen() {
		List<Object> seen = new ArrayList<>(List.of(this.self.get()));
		this.servers.forEach((server) -> seen.add(List.of(server.unavailable(), server.address())));
		return seen;
	}

	private synchronized PeerAnnouncement announce(String contractName, Supplier<@Nullable Service> finder,
			String otherwise) {
		PeerIdentity identity = this.self.get();
		if (this.closed) {
			return new PeerAnnouncement(identity, Set.of(), "", "it is shutting down");
		}
		Service service = this.registry.get().find(contractName);
		if (service == null) {
			service = finder.get();
			if (service == null) {
				return new PeerAnnouncement(identity, Set.of(), "", otherwise);
			}
			this.registry.get().register(service);
		}
		Optional<String> refusal = service.refusal();
		if (refusal.isPresent()) {
			logger.info("Contract {} is offered over http only: {}", contractName, refusal.get());
			return new PeerAnnouncement(identity, Set.of(), service.contract().hash(), refusal.get());
		}
		start();
		Set<String> offered = new TreeSet<>();
		Map<String, String> addresses = new TreeMap<>();
		for (PathServer server : this.servers) {
			if (server.unavailable().isEmpty()) {
				offered.add(server.kind().id());
				server.address().ifPresent((address) -> addresses.put(server.kind().id(), address));
			}
		}
		Map<String, String> missing = MissingPaths.of(this.servers, this.notOffered);
		missing.keySet().removeAll(offered);
		return new PeerAnnouncement(identity, offered, service.contract().hash(), "").withMissing(missing)
			.withAddresses(addresses);
	}

	private void start() {
		if (!this.started) {
			this.started = true;
			OfferedPaths offered = this.paths.get();
			this.servers = offered.servers();
			this.notOffered = offered.notOffered();
			this.httpsLocalPaths = offered.httpsLocalPaths();
			this.servers.forEach((server) -> attempt(server, PathServer::start, "started"));
			this.lastSeen = seen();
			this.nextLook = System.nanoTime() + LOOK_INTERVAL_NANOS;
		}
	}

	/**
	 * Offer of one contract, for people.
	 *
	 * @param contract the contract's class name
	 * @param hash the contract's hash
	 * @param offered whether typed paths are offered
	 * @param reason why not, or empty
	 */
	public record ServiceReport(String contract, String hash, boolean offered, String reason) {
	}

	/**
	 * Describes the services that clients have asked for.
	 * @return a snapshot
	 */
	public List<ServiceReport> reports() {
		return this.registry.get()
			.services()
			.stream()
			.map((service) -> new ServiceReport(service.contract().name(), service.contract().hash(),
					service.refusal().isEmpty(), service.refusal().orElse("")))
			.toList();
	}

	/**
	 * Returns why kinds of path are not offered.
	 * @return reasons by the name of the path, of those that were started
	 */
	public synchronized Map<String, String> unavailable() {
		Map<String, String> reasons = new java.util.TreeMap<>();
		if (this.started) {
			this.servers.forEach(
					(server) -> server.unavailable().ifPresent((reason) -> reasons.put(server.kind().id(), reason)));
		}
		return reasons;
	}

	/**
	 * Describes the clients that are connected over typed paths, where there is something
	 * to say of them.
	 * @return what each does at this moment, by the name of the path
	 */
	public synchronized Map<String, List<Map<String, Object>>> clients() {
		Map<String, List<Map<String, Object>>> clients = new java.util.TreeMap<>();
		if (this.started) {
			for (PathServer server : this.servers) {
				List<Map<String, Object>> connected = server.clients();
				if (!connected.isEmpty()) {
					clients.put(server.kind().id(), connected);
				}
			}
		}
		return clients;
	}

	/**
	 * Announces nothing more and begins nothing more. Calls in flight go on;
	 * {@link #close(Duration)} must follow. Paths accept no further calls, unless an
	 * exchange is in flight: the rest of it comes by further calls.
	 */
	void stopAccepting() {
		List<PathServer> all;
		synchronized (this) {
			this.closed = true;
			this.announcements.clear();
			all = this.servers;
		}
		Collection<Service> services = services();
		services.forEach(Service::stopAccepting);
		if (services.stream().noneMatch(Service::isBusy)) {
			stopAccepting(all);
		}
	}

	private synchronized Collection<Service> services() {
		return this.started ? this.registry.get().services() : List.of();
	}

	/** One that fails must not keep the others. */
	private static void attempt(PathServer server, Consumer<PathServer> step, String what) {
		try {
			step.accept(server);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The path {} could not be {}", server.kind().id(), what, ex);
		}
	}

	/**
	 * Closes all paths at the same time. Requests for an announcement are still answered
	 * meanwhile.
	 * @param timeout how long calls in flight may take to end, over all paths; those that
	 * take longer are cut off
	 */
	void close(Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		stopAccepting();
		Collection<Service> services = services();
		while (services.stream().anyMatch(Service::isBusy) && System.nanoTime() - deadline < 0
				&& !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, POLL_NANOS);
		}
		// Their remaining parts could not be fetched after the paths have ended.
		services.forEach(Service::cutOff);
		stopAccepting(servers());
		end((server) -> server.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
	}

	/** Cuts off what has further calls to come. Paths stay as they are. */
	void cutOff() {
		services().forEach(Service::cutOff);
	}

	/** Closes all paths, each of which waits for calls in flight as it is configured. */
	@Override
	public void close() {
		stopAccepting();
		stopAccepting(servers());
		end(PathServer::close);
	}

	private synchronized List<PathServer> servers() {
		return this.servers;
	}

	private static void stopAccepting(List<PathServer> servers) {
		servers.forEach((server) -> attempt(server, PathServer::stopAccepting, "ended in order"));
	}

	/** Each path may have to wait for handlers that it has interrupted. */
	private void end(Consumer<PathServer> step) {
		List<Thread> closing = new ArrayList<>();
		for (PathServer server : servers()) {
			Runnable task = () -> attempt(server, step, "ended in order");
			Thread thread = new Thread(task, "vicinal-%s-close".formatted(server.kind().id()));
			thread.setDaemon(true);
			try {
				thread.start();
				closing.add(thread);
			}
			catch (OutOfMemoryError ex) {
				// No thread can be had: one after the other, then.
				task.run();
			}
		}
		boolean interrupted = false;
		for (Thread thread : closing) {
			while (thread.isAlive()) {
				try {
					thread.join();
				}
				catch (InterruptedException ex) {
					interrupted = true;
					closing.forEach(Thread::interrupt);
				}
			}
		}
		services().forEach(Service::cutOff);
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
