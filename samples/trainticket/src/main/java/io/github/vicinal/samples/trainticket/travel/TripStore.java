package io.github.vicinal.samples.trainticket.travel;

import java.util.List;
import java.util.Optional;

/**
 * The trips of one trip service.
 */
public class TripStore {

	private final List<Trip> trips;

	/**
	 * Creates a store.
	 * @param trips all trips
	 */
	public TripStore(List<Trip> trips) {
		this.trips = List.copyOf(trips);
	}

	List<Trip> all() {
		return this.trips;
	}

	Optional<Trip> byId(String id) {
		return this.trips.stream().filter((trip) -> trip.id().equals(id)).findFirst();
	}

	List<Trip> byRoute(String routeId) {
		return this.trips.stream().filter((trip) -> trip.routeId().equals(routeId)).toList();
	}

}
