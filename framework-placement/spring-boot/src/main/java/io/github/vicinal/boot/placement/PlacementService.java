package io.github.vicinal.boot.placement;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.sources.Cluster;
import io.github.vicinal.placement.sources.Cluster.PathInUse;
import io.github.vicinal.placement.sources.HttpJson;
import io.github.vicinal.placement.sources.InstanceReport;
import io.github.vicinal.placement.sources.InstanceSource;
import io.github.vicinal.placement.sources.MeasuredPath;
import io.github.vicinal.placement.sources.ObservedCosts;
import io.github.vicinal.placement.sources.ObservedModel;
import org.jspecify.annotations.Nullable;

/**
 * Observes and recommends when asked, and does nothing in between. Thread-safe; one
 * search runs at a time.
 */
final class PlacementService implements AutoCloseable {

	private static final int SILENT_REFRESHES = 6;

	private final PlacementProperties properties;

	private final @Nullable PlacementModel base;

	private final @Nullable Prices prices;

	private final LocalInstance local;

	private final Cluster cluster;

	private final InstanceSource instances;

	private final HttpJson http;

	private final Recommender recommender;

	private final Semaphore searching = new Semaphore(1);

	private volatile @Nullable RunningSearch running;

	private long refreshed;

	private List<String> unanswered = List.of();

	private boolean known;

	/**
	 * Creates the service.
	 * @param properties what is configured
	 * @param base services, hosts and rules, {@code null} to take those that report
	 * @param local this instance
	 * @param addresses actuators of other instances
	 * @param merges says which services may share a JVM
	 */
	public PlacementService(PlacementProperties properties, @Nullable PlacementModel base, LocalInstance local,
			Supplier<List<URI>> addresses, MergeChecker merges) {
		this.properties = properties;
		this.base = base;
		PlacementProperties.Cost cost = properties.prices();
		this.prices = (cost != null) ? cost.prices() : null;
		this.local = local;
		Duration silent = properties.refresh().plus(properties.timeout()).multipliedBy(SILENT_REFRESHES);
		this.cluster = new Cluster(properties.halfLife(), silent, properties.minimumCalls());
		this.http = http(properties);
		this.instances = new InstanceSource(addresses, this.cluster, this.http);
		this.recommender = new Recommender(new VicinalSolver(), MovePolicy.defaults(), merges);
		objective((base != null) ? base.objective() : Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM));
	}

	/**
	 * Observations and the recommendation that follows from them.
	 *
	 * @param model services, hosts, traffic and rules
	 * @param paths which path calls take now
	 * @param costs what calls by each kind of path were measured to cost
	 * @param recommendation what to run where, {@code null} if nothing is recommended
	 * @param notSeen what is known to be missing, one sentence each
	 * @param unlocated services of which nobody says where all their replicas run;
	 * nothing is applied before that is known
	 */
	public record Outcome(PlacementModel model, List<PathInUse> paths, List<MeasuredPath> costs,
			@Nullable Recommendation recommendation, List<String> notSeen, List<String> unlocated) {

		public Outcome {
			notSeen = List.copyOf(notSeen);
			unlocated = List.copyOf(unlocated);
		}

	}

	private static HttpJson http(PlacementProperties properties) {
		try {
			return new HttpJson(properties.timeout(), properties.bearerToken());
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidPlacementException("%s.bearer-token cannot be sent".formatted(PlacementProperties.PREFIX),
					"Write the token alone; it has printable characters without spaces");
		}
	}

	@Override
	public void close() {
		this.http.close();
	}

	/**
	 * Returns what this instance reports.
	 * @return the report
	 */
	public InstanceReport report() {
		return this.local.report();
	}

	/**
	 * Returns the mode.
	 * @return what the endpoint does
	 */
	public PlacementProperties.Mode mode() {
		return this.properties.mode();
	}

	/**
	 * Observes.
	 * @return the model and what is missing; no recommendation
	 * @throws InvalidModelException if what was observed makes no model
	 */
	public synchronized Outcome observe() {
		long now = System.nanoTime();
		if (!this.known || now - this.refreshed >= this.properties.refresh().toNanos()) {
			this.cluster.add(this.local.report(), null, now);
			this.unanswered = this.instances.refresh();
			this.refreshed = now;
			this.known = true;
		}
		now = System.nanoTime();
		List<String> notSeen = new ArrayList<>(this.unanswered);
		Set<String> unlocated = new TreeSet<>();
		ObservedModel observed;
		if (this.base == null) {
			observed = this.cluster.model(objective(Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM)), now);
		}
		else {
			PlacementModel located = this.base.with(current(this.base, notSeen, unlocated));
			if (located.pathCosts().equals(PathCosts.defaults())) {
				ObservedCosts costs = this.cluster.pathCosts();
				located = located.with(costs.costs());
				notSeen.addAll(costs.notSeen());
			}
			observed = ObservedModel.of(located.with(objective(this.base.objective())),
					List.of(this.cluster.traffic(now)));
		}
		Doubts known = new Doubts(observed.model().doubts().notSeen(), unlocated,
				observed.model().doubts().unanswered());
		Doubts doubts = new Doubts(notSeen, Set.of(), this.unanswered).and(known);
		PlacementModel model = observed.model().with(doubts);
		Prices prices = this.prices;
		return new Outcome((prices != null) ? model.withPrices(prices) : model, this.cluster.paths(),
				this.cluster.pathCosts().paths(), null, doubts.notSeen(), List.copyOf(doubts.unlocated()));
	}

	/**
	 * Returns where the services of the model run: each where its instances say, else
	 * where the model says. What is missing for that is named, and never made up.
	 */
	private Plan current(PlacementModel model, List<String> notSeen, Set<String> unlocated) {
		Plan reported = this.cluster.current();
		Plan stated = Objects.requireNonNullElse(model.current(), new Plan(Map.of()));
		Set<String> hosts = model.hostIndex().keySet();
		Set<String> doubted = new TreeSet<>(model.doubts().unlocated());
		Map<String, Map<String, Integer>> current = new LinkedHashMap<>();
		for (Service service : model.services()) {
			String name = service.name();
			int replicas = service.replicas();
			Map<String, Integer> on = new TreeMap<>(reported.on(name));
			Set<String> strange = new TreeSet<>(on.keySet());
			strange.removeAll(hosts);
			on.keySet().removeAll(strange);
			int known = on.values().stream().mapToInt(Integer::intValue).sum();
			if (known >= replicas) {
				current.put(name, on);
				doubted.remove(name);
				if (!strange.isEmpty()) {
					notSeen.add("'%s' reports to run on %s, too, which the model does not have; that is left out"
						.formatted(name, strange));
				}
				continue;
			}
			String missing = strange.isEmpty()
					? "'%s': %d of %d replicas report where they run".formatted(name, known, replicas)
					: "'%s' reports to run on %s, which the model does not have".formatted(name, strange);
			boolean agrees = on.entrySet()
				.stream()
				.allMatch((there) -> there.getValue() <= stated.count(name, there.getKey()));
			if (agrees && stated.total(name) >= replicas) {
				current.put(name, stated.on(name));
				notSeen.add("%s; taken is what the model says, %s".formatted(missing, stated.on(name)));
			}
			else {
				current.put(name, on);
				unlocated.add(name);
				notSeen.add("%s; nothing is recommended to be applied until all do%s".formatted(missing,
						strange.isEmpty() ? "" : ", or the model has these hosts"));
			}
		}
		unlocated.addAll(doubted);
		return new Plan(current);
	}

	private Objective objective(Objective given) {
		EdgeWeight weight = this.properties.edgeWeight();
		PlacementProperties.ReplicaChoice choice = this.properties.routing();
		Objective weighted = (weight != null) ? given.with(weight) : given;
		return (choice != null) ? weighted.with(choice.routing()) : weighted;
	}

	/**
	 * Recommends.
	 * @param what what to assume
	 * @return the model, changed as assumed, and what follows
	 * @throws InvalidModelException if it makes no model
	 * @throws BusyException if another search is running
	 */
	public Outcome recommend(WhatIf what) {
		Outcome observed = observe();
		PlacementModel model = what.change(observed.model());
		Integer moves = (what.maxMoves() != null) ? what.maxMoves() : this.properties.maxMoves();
		Duration time = what.time(this.properties.searchTime());
		if (!this.searching.tryAcquire()) {
			throw new BusyException();
		}
		RunningSearch search = new RunningSearch();
		this.running = search;
		try {
			Recommendation found = this.recommender.recommend(model, (moves != null) ? moves : -1,
					Budget.ofTime(time, (what.seed() != null) ? what.seed() : this.properties.seed())
						.cancelledBy(search.cancellation()),
					search);
			return new Outcome(model, observed.paths(), observed.costs(), found, observed.notSeen(),
					observed.unlocated());
		}
		finally {
			this.running = null;
			this.searching.release();
		}
	}

	/**
	 * Returns where the search stands that is running.
	 * @return its state
	 */
	public RunningSearch.State search() {
		RunningSearch search = this.running;
		return (search != null) ? search.state() : RunningSearch.State.IDLE;
	}

	/**
	 * Ends the search that is running: it answers with its best plan so far.
	 * @return whether one was running
	 */
	public boolean cancel() {
		RunningSearch search = this.running;
		if (search != null) {
			search.cancel();
		}
		return search != null;
	}

	/** Another search is running. */
	public static final class BusyException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		BusyException() {
			super("Another search is running; ask again when it has ended");
		}

	}

}
