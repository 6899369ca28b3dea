package io.github.vicinal.samples.trainticket.routeplan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel.Trip;
import io.github.vicinal.samples.trainticket.travel.TripDetailQuery;
import io.github.vicinal.samples.trainticket.travel.TripOffer;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travel.TripSearchApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link RoutePlanApi}.
 */
@RestController
class RoutePlanController implements RoutePlanApi {

	private final TravelApi travel;

	private final Travel2Api travel2;

	private final RouteApi route;

	private final StationApi station;

	RoutePlanController(TravelApi travel, Travel2Api travel2, RouteApi route, StationApi station) {
		this.travel = travel;
		this.travel2 = travel2;
		this.route = route;
		this.station = station;
	}

	@Override
	public List<RankedTrip> cheapest(RoutePlanQuery query) {
		return best(query, Comparator.comparing(TripOffer::priceForEconomyClass));
	}

	@Override
	public List<RankedTrip> quickest(RoutePlanQuery query) {
		return best(query, Comparator.comparing((offer) -> Duration.between(offer.startingTime(), offer.endTime())));
	}

	@Override
	public List<RankedTrip> fewestStops(RoutePlanQuery query) {
		String from = this.station.id(query.fromStationName()).value();
		String to = this.station.id(query.toStationName()).value();
		List<String> routeIds = this.route.routes(from, to)
			.stream()
			.sorted(Comparator.comparingInt((route) -> route.sections(from, to)))
			.limit(query.limit())
			.map(Route::id)
			.toList();
		List<List<Trip>> highSpeed = this.travel.tripsByRoutes(routeIds);
		List<List<Trip>> others = this.travel2.tripsByRoutes(routeIds);
		List<RankedTrip> ranked = new ArrayList<>();
		for (int i = 0; i < routeIds.size(); i++) {
			others.get(i).forEach((trip) -> ranked.add(detailed(trip, query)));
			highSpeed.get(i).forEach((trip) -> ranked.add(detailed(trip, query)));
		}
		return ranked;
	}

	private List<RankedTrip> best(RoutePlanQuery query, Comparator<TripOffer> order) {
		TripQuery trips = new TripQuery(query.fromStationName(), query.toStationName(), query.travelDate());
		List<TripOffer> offers = new ArrayList<>(this.travel.tripsLeft(trips));
		offers.addAll(this.travel2.tripsLeft(trips));
		return offers.stream()
			.sorted(order)
			.limit(query.limit())
			.map((offer) -> ranked(offer, service(offer.tripId()).route(offer.tripId())))
			.toList();
	}

	private RankedTrip detailed(Trip trip, RoutePlanQuery query) {
		TripOffer offer = service(trip.id())
			.tripDetail(
					new TripDetailQuery(trip.id(), query.travelDate(), query.fromStationName(), query.toStationName()))
			.offer();
		return ranked(offer, this.route.route(trip.routeId()));
	}

	private TripSearchApi service(String tripId) {
		return Trip.isHighSpeed(tripId) ? this.travel : this.travel2;
	}

	private static RankedTrip ranked(TripOffer offer, Route route) {
		return new RankedTrip(offer.tripId(), offer.trainTypeId(), offer.startingStation(), offer.terminalStation(),
				route.stations(), offer.priceForEconomyClass(), offer.priceForComfortClass(), offer.startingTime(),
				offer.endTime());
	}

}
