package io.github.vicinal.boot.placement;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.boot.placement.PlacementProperties.Mode;
import io.github.vicinal.boot.placement.PlacementService.Outcome;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelDescriptor;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.RecommendationDescriptor;
import io.github.vicinal.placement.sources.Cluster.PathInUse;
import io.github.vicinal.placement.sources.MeasuredPath;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows the traffic between services, where they run, and what should run where. Applies
 * nothing.
 *
 * @since 0.1.0
 */
@Endpoint(id = "vicinalplacement")
public class PlacementEndpoint {

	/** Value of the member {@code format}. */
	static final String FORMAT = "vicinal-placement";

	/** Value of the member {@code version}. */
	static final int VERSION = 1;

	private final PlacementService service;

	/**
	 * Creates the endpoint.
	 * @param service observes and recommends
	 */
	public PlacementEndpoint(PlacementService service) {
		this.service = service;
	}

	/**
	 * Shows what is observed and, unless the mode is off, what is recommended.
	 * @return model and recommendation
	 * @throws PlacementService.BusyException if another search is running
	 */
	@ReadOperation
	public PlacementDescriptor placement() {
		if (this.service.mode() == Mode.OFF) {
			return describe(observe());
		}
		return whatIf(WhatIf.NOTHING);
	}

	/**
	 * Shows what would be recommended.
	 * @param hosts hosts to change or add, as {@code name=cpuMillis:memoryMiB,...}
	 * @param pins where services must run, as {@code service=host|host,...}
	 * @param routing how calls choose among replicas
	 * @param edgeWeight what is counted of an edge
	 * @param sameHostCpuMicros CPU time of a call within a host, both ends, in us
	 * @param otherHostCpuMicros CPU time of a call between hosts, both ends, in us
	 * @param maxMoves most replicas that may move
	 * @param searchMillis how long to search
	 * @param seed decides all random choices
	 * @param concentrate services that may give up hosts and zones, as {@code one,other}
	 * @param headRoomPercent part of each host that is left free, in percent
	 * @return model and recommendation
	 */
	@WriteOperation
	public PlacementDescriptor whatIf(@Nullable String hosts, @Nullable String pins, @Nullable String routing,
			@Nullable String edgeWeight, @Nullable Double sameHostCpuMicros, @Nullable Double otherHostCpuMicros,
			@Nullable Integer maxMoves, @Nullable Long searchMillis, @Nullable Long seed, @Nullable String concentrate,
			@Nullable Integer headRoomPercent) {
		return whatIf(new WhatIf(hosts, pins, routing, edgeWeight, sameHostCpuMicros, otherHostCpuMicros, maxMoves,
				searchMillis, seed, concentrate, headRoomPercent));
	}

	/**
	 * Ends the search that is running. The request that waits for it gets the best plan
	 * so far.
	 * @return whether a search was running
	 */
	@DeleteOperation
	public Map<String, Object> cancel() {
		return Map.of("cancelled", this.service.cancel());
	}

	RunningSearch.State search() {
		return this.service.search();
	}

	private PlacementDescriptor whatIf(WhatIf what) {
		try {
			return describe(this.service.recommend(what));
		}
		catch (InvalidModelException ex) {
			throw new InvalidEndpointRequestException(String.valueOf(ex.getMessage()), String.valueOf(ex.getMessage()));
		}
	}

	/** Returns what is observed; the message of an error is shown to the client. */
	Outcome observe() {
		try {
			return this.service.observe();
		}
		catch (InvalidModelException ex) {
			throw new InvalidEndpointRequestException(String.valueOf(ex.getMessage()), String.valueOf(ex.getMessage()));
		}
	}

	Map<String, Object> instance() {
		return this.service.report().toMap();
	}

	ModelDescriptor model() {
		return ModelDescriptor.of(observe().model());
	}

	private PlacementDescriptor describe(Outcome outcome) {
		Recommendation found = outcome.recommendation();
		return new PlacementDescriptor(FORMAT, VERSION, this.service.mode().name().toLowerCase(Locale.ROOT),
				ModelDescriptor.of(outcome.model()), outcome.paths(), outcome.costs(),
				(found != null) ? RecommendationDescriptor.of(found) : null, outcome.notSeen());
	}

	/**
	 * Observations and recommendation.
	 *
	 * @param format names this form
	 * @param version its version
	 * @param mode what the endpoint does
	 * @param model services, hosts, traffic and rules, in the form that the command line
	 * reads
	 * @param paths which path calls between two services take now
	 * @param measuredPaths what calls by each kind of path were measured to cost, within
	 * a host and between hosts
	 * @param recommendation what to run where, in the form that the command line writes
	 * @param notSeen what is known to be missing, one sentence each
	 */
	public record PlacementDescriptor(String format, int version, String mode, ModelDescriptor model,
			List<PathInUse> paths, List<MeasuredPath> measuredPaths, @Nullable RecommendationDescriptor recommendation,
			List<String> notSeen) {
	}

}
