package io.github.vicinal.samples.trainticket.station;

import java.util.List;

import io.github.vicinal.samples.trainticket.common.Problems;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link StationApi}.
 */
@RestController
class StationController implements StationApi {

	private final StationStore stations;

	StationController(StationStore stations) {
		this.stations = stations;
	}

	@Override
	public StationId id(String name) {
		return this.stations.byName(name)
			.map((station) -> new StationId(station.id()))
			.orElseThrow(() -> Problems.notFound("station", name));
	}

	@Override
	public List<String> names(List<String> ids) {
		return ids.stream().map(this::name).toList();
	}

	private String name(String id) {
		return this.stations.byId(id).map(Station::name).orElseThrow(() -> Problems.notFound("station id", id));
	}

}
