package io.github.vicinal.samples.trainticket.travelplan;

import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.samples.trainticket.order.SeatClass;
import io.github.vicinal.samples.trainticket.order.SeatQuery;
import io.github.vicinal.samples.trainticket.routeplan.RankedTrip;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanApi;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanQuery;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel.TripOffer;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link TravelPlanApi}.
 */
@RestController
class TravelPlanController implements TravelPlanApi {

	private static final int LIMIT = 5;

	private final RoutePlanApi routePlan;

	private final StationApi station;

	private final TicketInfoApi ticketInfo;

	private final SeatApi seat;

	private final TravelApi travel;

	private final Travel2Api travel2;

	TravelPlanController(RoutePlanApi routePlan, StationApi station, TicketInfoApi ticketInfo, SeatApi seat,
			TravelApi travel, Travel2Api travel2) {
		this.routePlan = routePlan;
		this.station = station;
		this.ticketInfo = ticketInfo;
		this.seat = seat;
		this.travel = travel;
		this.travel2 = travel2;
	}

	@Override
	public List<PlannedTrip> cheapest(TripQuery query) {
		return planned(this.routePlan.cheapest(routePlanQuery(query)), query);
	}

	@Override
	public List<PlannedTrip> quickest(TripQuery query) {
		return planned(this.routePlan.quickest(routePlanQuery(query)), query);
	}

	@Override
	public List<PlannedTrip> fewestStops(TripQuery query) {
		return planned(this.routePlan.fewestStops(routePlanQuery(query)), query);
	}

	@Override
	public TransferTrips transfer(TransferQuery query) {
		List<TripOffer> first = trips(
				new TripQuery(query.fromStationName(), query.viaStationName(), query.travelDate()));
		List<TripOffer> second = trips(
				new TripQuery(query.viaStationName(), query.toStationName(), query.travelDate()));
		return new TransferTrips(first, second);
	}

	private List<TripOffer> trips(TripQuery query) {
		List<TripOffer> offers = new ArrayList<>(this.travel.tripsLeft(query));
		offers.addAll(this.travel2.tripsLeft(query));
		return offers;
	}

	private List<PlannedTrip> planned(List<RankedTrip> trips, TripQuery query) {
		return trips.stream().map((trip) -> planned(trip, query)).toList();
	}

	private PlannedTrip planned(RankedTrip trip, TripQuery query) {
		List<String> stops = this.station.names(trip.stopStations());
		int first = seatsLeft(trip, query, SeatClass.FIRST);
		int second = seatsLeft(trip, query, SeatClass.SECOND);
		return new PlannedTrip(trip.tripId(), trip.trainTypeId(), trip.fromStationName(), trip.toStationName(), stops,
				trip.priceForSecondClassSeat(), second, trip.priceForFirstClassSeat(), first, trip.startingTime(),
				trip.endTime());
	}

	private int seatsLeft(RankedTrip trip, TripQuery query, SeatClass seatClass) {
		String from = this.ticketInfo.stationId(trip.fromStationName()).value();
		String to = this.ticketInfo.stationId(trip.toStationName()).value();
		return this.seat.leftTickets(new SeatQuery(query.departureTime(), trip.tripId(), from, to, seatClass)).count();
	}

	private static RoutePlanQuery routePlanQuery(TripQuery query) {
		return new RoutePlanQuery(query.startingPlace(), query.endPlace(), query.departureTime(), LIMIT);
	}

}
