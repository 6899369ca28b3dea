package io.github.vicinal.samples.trainticket.seat;

import java.util.List;

import io.github.vicinal.samples.trainticket.config.ConfigApi;
import io.github.vicinal.samples.trainticket.order.OrderApi;
import io.github.vicinal.samples.trainticket.order.OrderQueries;
import io.github.vicinal.samples.trainticket.order.SeatClass;
import io.github.vicinal.samples.trainticket.order.SeatQuery;
import io.github.vicinal.samples.trainticket.order.SoldTicket;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApi;
import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.train.TrainType;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel.Trip;
import io.github.vicinal.samples.trainticket.travel.TripSearchApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link SeatApi}.
 */
@RestController
class SeatController implements SeatApi {

	private final TravelApi travel;

	private final Travel2Api travel2;

	private final OrderApi order;

	private final OrderOtherApi orderOther;

	private final ConfigApi config;

	SeatController(TravelApi travel, Travel2Api travel2, OrderApi order, OrderOtherApi orderOther, ConfigApi config) {
		this.travel = travel;
		this.travel2 = travel2;
		this.order = order;
		this.orderOther = orderOther;
		this.config = config;
	}

	@Override
	public LeftTickets leftTickets(SeatQuery query) {
		boolean highSpeed = Trip.isHighSpeed(query.tripId());
		TripSearchApi trips = highSpeed ? this.travel : this.travel2;
		OrderQueries orders = highSpeed ? this.order : this.orderOther;
		Route route = trips.route(query.tripId());
		List<SoldTicket> sold = orders.soldTickets(query);
		TrainType train = trips.trainType(query.tripId());
		double directShare = Double.parseDouble(this.config.config(ConfigApi.DIRECT_TICKET_SHARE).value());

		boolean wholeRoute = route.startStationId().equals(query.fromStationId())
				&& route.terminalStationId().equals(query.toStationId());
		int seats = (query.seatClass() == SeatClass.FIRST) ? train.comfortSeats() : train.economySeats();
		int share = (int) (seats * (wholeRoute ? directShare : 1.0 - directShare));
		return new LeftTickets(share - sold.size() + freeAgain(sold, route, query.fromStationId()));
	}

	/**
	 * Counts the sold tickets whose passenger has left the train before the station.
	 */
	private static int freeAgain(List<SoldTicket> sold, Route route, String fromStationId) {
		int start = route.stations().indexOf(fromStationId);
		return (int) sold.stream().filter((ticket) -> route.stations().indexOf(ticket.toStationId()) < start).count();
	}

}
