package io.github.vicinal.boot.placement;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.sources.Cluster;
import io.github.vicinal.placement.sources.Cluster.PathInUse;
import io.github.vicinal.placement.sources.HttpJson;
import io.github.vicinal.placement.sources.InstanceReport;
import io.github.vicinal.placement.sources.InstanceSource;
import io.github.vicinal.placement.sources.ObservedModel;

/**
 * Observes and recommends when asked, and does nothing in between. Thread-safe; one
 * search runs at a time.
 */
public final class PlacementService {

	private static final int SILENT_REFRESHES = 6;

	private final PlacementProperties properties;

	private final @Nullable PlacementModel base;

	private final LocalInstance local;

	private final Cluster cluster;

	private final InstanceSource instances;

	private final Recommender recommender;

	private final Semaphore searching = new Semaphore(1);

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
		this.local = local;
		Duration silent = properties.refresh().plus(properties.timeout()).multipliedBy(SILENT_REFRESHES);
		this.cluster = new Cluster(properties.halfLife(), silent, properties.minimumCalls());
		this.instances = new InstanceSource(addresses, this.cluster, new HttpJson(properties.timeout()));
		this.recommender = new Recommender(new VicinalSolver(), MovePolicy.defaults(), merges);
		objective((base != null) ? base.objective() : Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM));
	}

	/**
	 * What is observed, and what follows.
	 *
	 * @param model services, hosts, traffic and rules
	 * @param paths which path calls take now
	 * @param recommendation what to run where, {@code null} if nothing is recommended
	 * @param notSeen what is known to be missing, one sentence each
	 */
	public record Outcome(PlacementModel model, List<PathInUse> paths, @Nullable Recommendation recommendation,
			List<String> notSeen) {
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
		ObservedModel observed;
		if (this.base == null) {
			observed = this.cluster.model(objective(Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM)), now);
		}
		else {
			observed = ObservedModel.of(withCurrent(this.base).with(objective(this.base.objective())),
					List.of(this.cluster.traffic(now)));
		}
		List<String> notSeen = new ArrayList<>(this.unanswered);
		notSeen.addAll(observed.notSeen());
		return new Outcome(observed.model(), this.cluster.paths(), null, notSeen);
	}

	/** Where instances run is only used if the model knows all these hosts. */
	private PlacementModel withCurrent(PlacementModel model) {
		Plan current = this.cluster.current();
		Set<String> hosts = model.hostIndex().keySet();
		boolean fits = model.services().stream().allMatch((service) -> current.total(service.name()) > 0)
				&& current.replicas().values().stream().allMatch((on) -> hosts.containsAll(on.keySet()));
		return fits ? model.with(current) : model;
	}

	private Objective objective(Objective given) {
		try {
			String weight = this.properties.edgeWeight();
			String routing = this.properties.routing();
			return new Objective((weight != null) ? EdgeWeight.of(weight) : given.weight(),
					(routing != null) ? Routing.of(routing) : given.routing(), given.communication(), given.imbalance(),
					given.moves(), given.hosts());
		}
		catch (InvalidModelException ex) {
			throw new InvalidPlacementException("%s.edge-weight or %s.routing cannot be used: %s"
				.formatted(PlacementProperties.PREFIX, PlacementProperties.PREFIX, ex.getMessage()),
					"Choose one of the names, or leave it out");
		}
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
		if (!this.searching.tryAcquire()) {
			throw new BusyException();
		}
		try {
			Recommendation found = this.recommender.recommend(model, (moves != null) ? moves : -1,
					Budget.ofTime(what.time(this.properties.searchTime()),
							(what.seed() != null) ? what.seed() : this.properties.seed()),
					Progress.none());
			return new Outcome(model, observed.paths(), found.withNotSeen(observed.notSeen()), observed.notSeen());
		}
		finally {
			this.searching.release();
		}
	}

	/** Another search is running. */
	public static final class BusyException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		BusyException() {
			super("Another search is running; ask again when it has ended");
		}

	}

}
