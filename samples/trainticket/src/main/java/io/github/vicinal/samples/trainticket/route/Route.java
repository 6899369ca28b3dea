package io.github.vicinal.samples.trainticket.route;

import java.util.List;

/**
 * A route.
 *
 * @param id the id
 * @param stations ids of the stations in the order of travel
 * @param distances for each station the distance from the first one in km
 * @param startStationId the first station
 * @param terminalStationId the last station
 */
public record Route(String id, List<String> stations, List<Integer> distances, String startStationId,
		String terminalStationId) {

	/**
	 * Returns whether a train on this route goes from one station to another.
	 * @param from id of the station to start from
	 * @param to id of the station to reach
	 * @return whether both are on the route, in this order
	 */
	public boolean leads(String from, String to) {
		int start = this.stations.indexOf(from);
		return start >= 0 && start < this.stations.indexOf(to);
	}

	/**
	 * Counts the sections between two stations.
	 * @param from id of the station to start from
	 * @param to id of the station to reach
	 * @return the number of sections, 1 if the stations are neighbours
	 */
	public int sections(String from, String to) {
		return this.stations.indexOf(to) - this.stations.indexOf(from);
	}

	/**
	 * Returns the distance of a station from the start of the route.
	 * @param station id of a station on the route
	 * @return the distance in km
	 */
	public int distanceTo(String station) {
		return this.distances.get(this.stations.indexOf(station)) - this.distances.get(0);
	}

}
