package io.github.vicinal.samples.trainticket.travel;

import java.time.Clock;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.samples.trainticket.basic.Prices;
import io.github.vicinal.samples.trainticket.basic.TravelQuery;
import io.github.vicinal.samples.trainticket.common.Problems;
import io.github.vicinal.samples.trainticket.order.SeatClass;
import io.github.vicinal.samples.trainticket.order.SeatQuery;
import io.github.vicinal.samples.trainticket.order.SoldSeats;
import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.train.TrainType;

import org.springframework.http.HttpStatus;

/**
 * Answers {@link TripSearchApi}; both trip services are built on it.
 * <p>
 * Nothing is asked for in bulk and nothing is remembered, as in the original: each trip
 * has its route looked up, and each trip that fits costs more than 20 further calls, many
 * of which repeat a question that was answered a moment before.
 */
public abstract class TripSearchSupport implements TripSearchApi {

	private final TripStore trips;

	private final TripCallees callees;

	private final Clock clock;

	/**
	 * Creates the answers.
	 * @param trips where the trips are
	 * @param callees the services to call
	 * @param clock gives the current day
	 */
	protected TripSearchSupport(TripStore trips, TripCallees callees, Clock clock) {
		this.trips = trips;
		this.callees = callees;
		this.clock = clock;
	}

	@Override
	public List<TripOffer> tripsLeft(TripQuery query) {
		String from = stationId(query.startingPlace());
		String to = stationId(query.endPlace());
		List<TripOffer> offers = new ArrayList<>();
		for (Trip trip : this.trips.all()) {
			Route route = this.callees.route().route(trip.routeId());
			if (route.leads(from, to)) {
				offers.add(offer(trip, route, from, to, query));
			}
		}
		return offers;
	}

	@Override
	public TripDetail tripDetail(TripDetailQuery query) {
		Trip trip = trip(query.tripId());
		String from = stationId(query.from());
		String to = stationId(query.to());
		Route route = this.callees.route().route(trip.routeId());
		return new TripDetail(trip,
				offer(trip, route, from, to, new TripQuery(query.from(), query.to(), query.travelDate())));
	}

	@Override
	public List<List<Trip>> tripsByRoutes(List<String> routeIds) {
		return routeIds.stream().map(this.trips::byRoute).toList();
	}

	@Override
	public Route route(String trip) {
		return this.callees.route().route(trip(trip).routeId());
	}

	@Override
	public TrainType trainType(String trip) {
		return this.callees.train().trainType(trip(trip).trainTypeId());
	}

	/**
	 * Called for each trip that fits, before its seats are counted.
	 * @param trip the trip
	 * @param query what is searched for
	 */
	protected void tripFits(Trip trip, TripQuery query) {
	}

	/**
	 * Asks for the id of a station.
	 * @param name name of the station
	 * @return its id
	 */
	protected final String stationId(String name) {
		return this.callees.ticketInfo().stationId(name).value();
	}

	private TripOffer offer(Trip trip, Route route, String from, String to, TripQuery query) {
		LocalDate date = query.departureTime();
		if (date.isBefore(LocalDate.now(this.clock))) {
			throw Problems.problem(HttpStatus.UNPROCESSABLE_CONTENT,
					"Departure day " + date + " is over; ask for today or a later day");
		}
		Prices prices = this.callees.ticketInfo()
			.ticketInfo(new TravelQuery(trip.id(), trip.trainTypeId(), trip.routeId(), query.startingPlace(),
					query.endPlace(), date))
			.prices();
		SoldSeats sold = this.callees.orders().soldSeats(date, trip.id());
		tripFits(trip, query);
		int comfortClass = seatsLeft(trip, query, SeatClass.FIRST);
		int economyClass = seatsLeft(trip, query, SeatClass.SECOND);
		TrainType train = this.callees.train().trainType(trip.trainTypeId());
		return new TripOffer(sold.tripId(), trip.trainTypeId(), query.startingPlace(), query.endPlace(),
				time(trip, route.distanceTo(from), train), time(trip, route.distanceTo(to), train), economyClass,
				comfortClass, prices.economyClass(), prices.comfortClass());
	}

	private int seatsLeft(Trip trip, TripQuery query, SeatClass seatClass) {
		String from = stationId(query.startingPlace());
		String to = stationId(query.endPlace());
		return this.callees.seat()
			.leftTickets(new SeatQuery(query.departureTime(), trip.id(), from, to, seatClass))
			.count();
	}

	private Trip trip(String id) {
		return this.trips.byId(id).orElseThrow(() -> Problems.notFound("trip", id));
	}

	private static LocalDateTime time(Trip trip, int distance, TrainType train) {
		return trip.startingTime().plusMinutes(60L * distance / train.averageSpeed());
	}

}
