package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.EdgeCount.Side;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import org.jspecify.annotations.Nullable;

/**
 * Merged reports of instances: the hosts of services, their usage, and calls between
 * services. A callee is identified by the name that the peer reports, else by the address
 * of the peer, else by the caller's own name for it. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Cluster {

	/**
	 * Time between the first and the last report from which on rates of instances of
	 * different ages can be compared.
	 */
	public static final Duration MIN_OBSERVED = RateWindow.MIN_OBSERVED;

	/** Between the parts of a key that is resolved later; in no name of a host. */
	private static final char SEPARATOR = '\n';

	/** Name of applications to which nobody has given one. */
	private static final String NAMELESS = "application";

	/** Number of half-lives after which a silent instance is forgotten. */
	private static final int FORGOTTEN = 10;

	private final Duration halfLife;

	private final Duration silentAfter;

	private final long minimumCalls;

	private final RateWindow calls;

	/** Incoming calls of a service from all callers. */
	private final RateWindow incoming;

	private final Map<String, Member> members = new LinkedHashMap<>();

	private final Map<String, String> serviceByAddress = new HashMap<>();

	/** By address and service: several services may be behind one address. */
	private final Map<String, String> memberByAddress = new HashMap<>();

	/** Peers that instances call, by the name of the caller and of its life. */
	private final Map<String, Peers> peers = new HashMap<>();

	/** Services of all instances that have reported, also of those that are gone. */
	private final Map<String, Known> services = new HashMap<>();

	/** Time of the last report of any instance. */
	private long newest = Long.MIN_VALUE;

	/**
	 * Service of an instance.
	 *
	 * @param service its name
	 * @param nanos time of its last report
	 */
	private record Known(String service, long nanos) {
	}

	/**
	 * Peers of a caller. It counts by address, whichever instance is there: that one is
	 * the peer which answered last, and says which service all of these calls were for.
	 */
	private static final class Peers {

		private final Map<String, String> instances = new HashMap<>();

		private final Map<String, String> services = new HashMap<>();

		private long nanos;

	}

	/** An instance as it was seen last. */
	private static final class Member {

		private final String id;

		private InstanceReport report;

		private long nanos;

		private final CpuHistory cpu = new CpuHistory();

		private long peakMib;

		/** Calls that it served, of which old ones count less. */
		private double served;

		/** The time that these took. */
		private double servedSeconds;

		private Member(String id, InstanceReport report, long nanos) {
			this.id = id;
			this.report = report;
			this.nanos = nanos;
			this.cpu.add(report.cpuSeconds(), report.uptimeSeconds(), nanos);
			this.peakMib = report.memory().peakMib();
			this.served = report.incomingCalls();
			this.servedSeconds = report.incomingSeconds();
		}

		/** Returns what the process may come to need. */
		private ProcessMemory.Need memory() {
			ProcessMemory known = this.report.memory();
			return new ProcessMemory(known.heapLimitMib(), known.heapLimitChosen(), known.nonHeapMib(),
					known.containerLimitMib(), this.peakMib)
				.need(this.report.memoryMib());
		}

		/** Calls since the last report count, and earlier ones fade. */
		private void add(InstanceReport next, long now, Duration halfLife) {
			double seconds = (now - this.nanos) / 1e9;
			if (seconds > 0) {
				double fade = Math.pow(0.5, seconds / (halfLife.toNanos() / 1e9));
				double used = next.cpuSeconds() - this.report.cpuSeconds();
				this.cpu.add(used, seconds, now);
				this.peakMib = Math.max(this.peakMib, Math.max(this.report.memoryMib(), next.memory().peakMib()));
				this.served = fade * this.served + Math.max(0, next.incomingCalls() - this.report.incomingCalls());
				this.servedSeconds = fade * this.servedSeconds
						+ Math.max(0, next.incomingSeconds() - this.report.incomingSeconds());
			}
			this.report = next;
			this.nanos = now;
		}

	}

	/**
	 * Creates an empty cluster.
	 * @param halfLife after this time a count has half its weight
	 * @param silentAfter an instance that has said nothing for so long is taken to be
	 * gone, and named
	 * @param minimumCalls edges with less evidence are left out, and named
	 */
	public Cluster(Duration halfLife, Duration silentAfter, long minimumCalls) {
		this.halfLife = halfLife;
		this.silentAfter = silentAfter;
		this.minimumCalls = minimumCalls;
		this.calls = new RateWindow(halfLife, minimumCalls);
		this.incoming = new RateWindow(halfLife, 0);
	}

	/**
	 * Adds what an instance reports.
	 * @param report the report
	 * @param address where it was asked, {@code host:port}, {@code null} if it is this
	 * process
	 * @param nanos when, on any clock that all calls share
	 */
	public synchronized void add(InstanceReport report, @Nullable String address, long nanos) {
		String id = id(report);
		Duration running = Duration.ofMillis(Math.round(1000 * Math.min(1e9, report.uptimeSeconds())));
		Member replaced = null;
		if (address != null) {
			this.serviceByAddress.put(address, report.service());
			String before = this.memberByAddress.put(address + ' ' + report.service(), id);
			if (before != null && restarted(before, id, nanos - running.toNanos())) {
				// This is the same instance under a new id.
				replaced = this.members.remove(before);
				this.calls.replace(before, id);
				this.incoming.replace(before, id);
			}
		}
		Member member = this.members.get(id);
		if (member == null) {
			Member first = new Member(id, report, nanos);
			if (replaced != null) {
				// What the service used at its peaks, it may use again.
				first.cpu.follow(replaced.cpu);
			}
			this.members.put(id, first);
		}
		else {
			member.add(report, nanos, this.halfLife);
		}
		this.newest = Math.max(this.newest, nanos);
		this.services.put(report.instance(), new Known(report.service(), nanos));
		List<EdgeCount> counts = new ArrayList<>();
		Peers called = this.peers.computeIfAbsent(id, (name) -> new Peers());
		called.nanos = nanos;
		for (Outgoing outgoing : report.outgoing()) {
			String key = key(outgoing, id);
			// What the peer was until now is known as long as nobody knows the new one.
			resolve(key);
			if (!outgoing.instance().isEmpty()) {
				called.instances.put(key, outgoing.instance());
			}
			counts.add(new EdgeCount(report.service(), key, Side.CLIENT, outgoing.calls(), outgoing.bytes()));
		}
		this.calls.add(id, report.service(), nanos, running, counts);
		this.incoming.add(id, report.service(), nanos, running,
				List.of(new EdgeCount("", report.service(), Side.SERVER, report.incomingCalls(), null)));
		// A silent instance is remembered as long as its calls are: when it reports
		// again,
		// that it is new would be wrong, and all that it has ever used would count as
		// now.
		long longest = Math.max(this.silentAfter.toNanos(), FORGOTTEN * this.halfLife.toNanos());
		this.members.values().removeIf((one) -> this.newest - one.nanos > longest);
		this.peers.values().removeIf((one) -> this.newest - one.nanos > longest);
		this.services.values().removeIf((one) -> this.newest - one.nanos() > longest);
	}

	/**
	 * Names an instance. Processes that were restored from one checkpoint report one id.
	 */
	private String id(InstanceReport report) {
		String id = report.service() + '@' + report.instance();
		Member known = this.members.get(id);
		return (known == null || known.report.process().equals(report.process())) ? id : id + ' ' + report.process();
	}

	/**
	 * Returns whether an instance that answers at the address of another one is that one
	 * after a restart. Behind one address there may be several, which all ran before.
	 */
	private boolean restarted(String before, String id, long begun) {
		Member member = this.members.get(before);
		return !before.equals(id) && !this.calls.knows(id)
				&& (member == null || begun >= member.nanos - RateWindow.ROUND.toNanos());
	}

	/**
	 * Names what a caller counts as one: calls to an address, or to an instance if there
	 * is none.
	 */
	private static String key(Outgoing outgoing, String caller) {
		return String.join(String.valueOf(SEPARATOR), outgoing.target(), outgoing.address(), caller,
				outgoing.address().isEmpty() ? outgoing.instance() : "");
	}

	/** Those that have not been silent for too long, and that no other one replaced. */
	private List<Member> alive() {
		this.calls.succeed(this.silentAfter);
		return this.members.entrySet()
			.stream()
			.filter((one) -> this.newest - one.getValue().nanos <= this.silentAfter.toNanos()
					&& !this.calls.replaced(one.getKey()))
			.map(Map.Entry::getValue)
			.toList();
	}

	/** Returns the instance that was called, as far as it reports. */
	private @Nullable Member called(Outgoing outgoing, Map<String, Member> byInstance) {
		Member member = byInstance.get(outgoing.instance());
		if (member != null) {
			return member;
		}
		String service = this.serviceByAddress.get(outgoing.address());
		String id = (service != null) ? this.memberByAddress.get(outgoing.address() + ' ' + service) : null;
		Member there = (id != null) ? this.members.get(id) : null;
		return (there != null) ? byInstance.get(there.report.instance()) : null;
	}

	/**
	 * Returns what calls cost, from what callers measured and from the time that the
	 * called took to serve them.
	 * @return costs, what they come from, and which of them are defaults
	 */
	public synchronized ObservedCosts pathCosts() {
		PathCostEstimator estimator = new PathCostEstimator(this.minimumCalls);
		Map<String, Member> byInstance = new HashMap<>();
		alive().forEach((member) -> byInstance.put(member.report.instance(), member));
		for (Member member : alive()) {
			for (Outgoing outgoing : member.report.outgoing()) {
				Outgoing.Cost cost = outgoing.cost();
				Member called = (cost != null) ? called(outgoing, byInstance) : null;
				if (cost != null && called != null && called.served > 0 && called.servedSeconds > 0) {
					estimator.add(outgoing, cost, 1e6 * called.servedSeconds / called.served,
							host(member.report).equals(host(called.report)));
				}
			}
		}
		return estimator.estimate();
	}

	private String resolve(String key) {
		String[] parts = key.split(String.valueOf(SEPARATOR), -1);
		if (parts.length != 4) {
			return key;
		}
		Peers called = this.peers.get(parts[2]);
		if (called != null) {
			Known now = this.services.get(called.instances.getOrDefault(key, ""));
			String service = (now != null) ? now.service() : called.services.get(key);
			if (service != null) {
				called.services.put(key, service);
				return service;
			}
		}
		String byAddress = this.serviceByAddress.get(parts[1]);
		return (byAddress != null) ? byAddress : parts[0];
	}

	/**
	 * Returns the traffic between the services.
	 * @param nanos now, on the clock of {@link #add}
	 * @return edges and what is missing
	 */
	public synchronized Traffic traffic(long nanos) {
		Traffic calls = this.calls.traffic("micrometer", nanos, this.silentAfter, this::resolve);
		Map<String, Double> known = new HashMap<>();
		calls.edges().forEach((edge) -> known.merge(edge.to(), rate(edge), Double::sum));
		List<String> notSeen = new ArrayList<>(calls.notSeen());
		if (!this.calls.comparable()) {
			notSeen.add(
					"instances have counted for different times; until they were observed for %d s, their rates are means over these times and cannot be compared"
						.formatted(RateWindow.MIN_OBSERVED.toSeconds()));
			return new Traffic(calls.edges(), notSeen);
		}
		for (Edge edge : this.incoming.traffic("micrometer", nanos, this.silentAfter, (name) -> name).edges()) {
			double all = rate(edge);
			double seen = known.getOrDefault(edge.to(), 0.0);
			// Part of a mean over the life of an instance says nothing.
			if (edge.evidence().partial()) {
				continue;
			}
			if (all > 0 && seen < (1 - RateWindow.TOLERANCE) * all) {
				notSeen.add("'%s': %.0f %% of its calls come from callers that do not report here".formatted(edge.to(),
						100 * (1 - seen / all)));
			}
		}
		return new Traffic(calls.edges(), notSeen);
	}

	private static double rate(Edge edge) {
		Double calls = edge.callsPerSecond();
		return (calls != null) ? calls : 0;
	}

	/**
	 * Returns the names of the services that report.
	 * @return names in the order of their first report
	 */
	public synchronized Set<String> services() {
		Set<String> services = new LinkedHashSet<>();
		alive().forEach((member) -> services.add(member.report.service()));
		return services;
	}

	/**
	 * A path between two services.
	 *
	 * @param from name of the calling service
	 * @param to name of the called service
	 * @param path the path that carried most calls
	 * @since 0.1.0
	 */
	public record PathInUse(String from, String to, String path) {
	}

	/**
	 * Returns which path calls take.
	 * @return one for each edge
	 */
	public synchronized List<PathInUse> paths() {
		Map<List<String>, Map<String, Double>> calls = new LinkedHashMap<>();
		for (Member member : alive()) {
			for (Outgoing one : member.report.outgoing()) {
				String to = resolve(key(one, member.id));
				if (one.calls() > 0) {
					calls.computeIfAbsent(List.of(member.report.service(), to), (ends) -> new TreeMap<>())
						.merge(one.path(), one.calls(), Double::sum);
				}
			}
		}
		List<PathInUse> paths = new ArrayList<>();
		calls.forEach((ends, byPath) -> byPath.entrySet()
			.stream()
			.max(Map.Entry.comparingByValue())
			.ifPresent((most) -> paths.add(new PathInUse(ends.get(0), ends.get(1), most.getKey()))));
		return paths;
	}

	/**
	 * Returns where instances run.
	 * @return replicas by service and host
	 */
	public synchronized Plan current() {
		Map<String, Map<String, Integer>> replicas = new TreeMap<>();
		alive().forEach((member) -> replicas.computeIfAbsent(member.report.service(), (name) -> new TreeMap<>())
			.merge(host(member.report), 1, Integer::sum));
		return new Plan(replicas);
	}

	private static String host(InstanceReport report) {
		return report.host().isBlank() ? "host of " + report.instance() : report.host();
	}

	/**
	 * Makes a model of all that reports: the hosts that instances run on, what these may
	 * need, the traffic, and what calls cost. A service needs what its largest instance
	 * needs; where several share a process, that is divided among them by their calls. A
	 * host has what the instance that sees most of it sees.
	 * @param objective what a good plan is
	 * @param nanos now, on the clock of {@link #add}
	 * @return the model
	 * @throws InvalidModelException if nothing has reported yet
	 */
	public synchronized ObservedModel model(Objective objective, long nanos) {
		List<Member> alive = alive();
		if (alive.isEmpty()) {
			throw new InvalidModelException("No instance has reported yet; wait, or name instances to ask");
		}
		List<String> notSeen = new ArrayList<>();
		Map<String, List<Member>> processes = new LinkedHashMap<>();
		alive
			.forEach((member) -> processes
				.computeIfAbsent(member.report.process().isEmpty() ? member.report.instance() : member.report.process(),
						(name) -> new ArrayList<>())
				.add(member));
		Map<String, Demand> demands = new LinkedHashMap<>();
		Map<String, Integer> replicas = new LinkedHashMap<>();
		Map<String, List<InstanceReport>> hosts = new LinkedHashMap<>();
		processes.values().forEach((sharing) -> {
			double all = sharing.stream().mapToDouble((member) -> member.report.incomingCalls()).sum();
			if (sharing.size() > 1) {
				notSeen.add("%s share a process; what it uses is divided among them by their calls"
					.formatted(names(sharing)));
			}
			for (Member member : sharing) {
				double part = (all > 0) ? member.report.incomingCalls() / all : 1.0 / sharing.size();
				demands.merge(member.report.service(), demand(member, part, sharing.size()), Demand::larger);
				replicas.merge(member.report.service(), 1, Integer::sum);
				hosts.computeIfAbsent(host(member.report), (name) -> new ArrayList<>()).add(member.report);
			}
		});
		List<Service> services = new ArrayList<>();
		demands.forEach((name, demand) -> services.add(new Service(name, replicas.getOrDefault(name, 1),
				demand.needed(), Set.of(), Integer.MAX_VALUE, Set.of(), Set.of(), demand.from())));
		List<Host> places = new ArrayList<>();
		Plan current = current();
		hosts.forEach((name, reports) -> {
			Resources has = capacity(name, reports, notSeen);
			// Peaks of several moments can add up to more than there is.
			long cpu = 0;
			long memory = 0;
			for (Map.Entry<String, Demand> demand : demands.entrySet()) {
				Resources needed = demand.getValue().needed();
				cpu += current.count(demand.getKey(), name) * needed.get(Resources.CPU);
				memory += current.count(demand.getKey(), name) * needed.get(Resources.MEMORY);
			}
			Resources needed = larger(has, Resources.of(bounded(cpu), bounded(memory)));
			if (!needed.equals(has)) {
				notSeen.add("host '%s': what runs there may need %s; that is taken for its capacity".formatted(name,
						needed.amounts()));
			}
			places.add(new Host(name, reports.get(0).zone(), needed, Resources.none(), Integer.MAX_VALUE));
		});
		ObservedCosts costs = pathCosts();
		PlacementModel bare = new PlacementModel(services, places, List.of(), List.of(), costs.costs(), objective,
				current);
		notSeen.addAll(costs.notSeen());
		Set<String> unlocated = new TreeSet<>();
		if (replicas.getOrDefault(NAMELESS, 0) > 1) {
			unlocated.add(NAMELESS);
			notSeen.add(
					"%d instances have the name '%s', which applications without a name have; give each application a spring.application.name"
						.formatted(replicas.get(NAMELESS), NAMELESS));
		}
		return ObservedModel.of(bare.with(new Doubts(notSeen, unlocated)), List.of(traffic(nanos)));
	}

	/**
	 * Needs of one replica, by resource; unknown ones are left out.
	 *
	 * @param amounts amounts
	 * @param from where each comes from
	 */
	private record Demand(TreeMap<String, Long> amounts, TreeMap<String, String> from) {

		Resources needed() {
			return new Resources(this.amounts);
		}

		void add(String resource, long amount, String from) {
			Long known = this.amounts.get(resource);
			if (known == null || amount > known) {
				this.amounts.put(resource, amount);
				this.from.put(resource, from);
			}
		}

		static Demand larger(Demand one, Demand other) {
			other.amounts.forEach((resource, amount) -> one.add(resource, amount,
					Objects.requireNonNullElse(other.from.get(resource), "")));
			return one;
		}

	}

	private static Demand demand(Member member, double part, int sharing) {
		Demand demand = new Demand(new TreeMap<>(), new TreeMap<>());
		String divided = (sharing > 1) ? ", divided among %d services of one process".formatted(sharing) : "";
		// Each process uses some: 0 says that it does not know.
		if (!member.cpu.isEmpty() && member.report.cpuSeconds() > 0) {
			demand.add(Resources.CPU, bounded(Math.ceil(member.cpu.need() * part)), member.cpu.from() + divided);
		}
		ProcessMemory.Need memory = member.memory();
		if (memory.mib() > 0) {
			demand.add(Resources.MEMORY, bounded(Math.ceil(memory.mib() / (double) sharing)), memory.from() + divided);
		}
		return demand;
	}

	/** An instance in a container may see no more of its host than its limits. */
	private static Resources capacity(String host, List<InstanceReport> reports, List<String> notSeen) {
		Resources most = Resources.of(0, 0);
		Resources least = Resources.of(Resources.MAX_AMOUNT, Resources.MAX_AMOUNT);
		for (InstanceReport report : reports) {
			Resources seen = Resources.of(1000L * report.processors(), bounded(report.hostMemoryMib()));
			most = larger(most, seen);
			least = Resources.of(Math.min(least.get(Resources.CPU), seen.get(Resources.CPU)),
					Math.min(least.get(Resources.MEMORY), seen.get(Resources.MEMORY)));
		}
		if (!least.equals(most)) {
			notSeen.add(
					"host '%s': its instances see between %s and %s of it, as in containers with limits; the most is taken for its capacity. Name the host in a model if it has more"
						.formatted(host, least.amounts(), most.amounts()));
		}
		return most;
	}

	private static String names(Collection<Member> members) {
		return members.stream().map((member) -> member.report.service()).sorted().toList().toString();
	}

	private static long bounded(double amount) {
		return (long) Math.max(0, Math.min(Resources.MAX_AMOUNT, amount));
	}

	private static Resources larger(Resources one, Resources other) {
		return Resources.of(Math.max(one.get(Resources.CPU), other.get(Resources.CPU)),
				Math.max(one.get(Resources.MEMORY), other.get(Resources.MEMORY)));
	}

}
