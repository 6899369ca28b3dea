package io.github.vicinal.samples.trainticket.order;

import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The orders of one order service. As in the original it is empty at the start.
 */
public class OrderStore {

	private final List<Order> orders = new CopyOnWriteArrayList<>();

	/**
	 * Adds an order.
	 * @param order the order
	 */
	public void add(Order order) {
		this.orders.add(order);
	}

	List<Order> find(LocalDate travelDate, String tripId) {
		return this.orders.stream()
			.filter((order) -> order.travelDate().equals(travelDate) && order.tripId().equals(tripId))
			.toList();
	}

}
