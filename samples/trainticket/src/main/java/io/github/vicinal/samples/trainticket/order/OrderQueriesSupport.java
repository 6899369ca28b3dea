package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;
import java.util.List;

/**
 * Answers {@link OrderQueries} from an {@link OrderStore}; both order services are built
 * on it.
 */
public abstract class OrderQueriesSupport implements OrderQueries {

	private final OrderStore orders;

	/**
	 * Creates the answers.
	 * @param orders where the orders are
	 */
	protected OrderQueriesSupport(OrderStore orders) {
		this.orders = orders;
	}

	@Override
	public List<SoldTicket> soldTickets(SeatQuery query) {
		return this.orders.find(query.travelDate(), query.tripId()).stream().map(Order::ticket).toList();
	}

	@Override
	public SoldSeats soldSeats(LocalDate date, String trip) {
		List<Order> sold = this.orders.find(date, trip);
		return new SoldSeats(date, trip, count(sold, SeatClass.FIRST), count(sold, SeatClass.SECOND));
	}

	private static int count(List<Order> orders, SeatClass seatClass) {
		return (int) orders.stream().filter((order) -> order.seatClass() == seatClass).count();
	}

}
