package io.github.vicinal.samples.trainticket.orderother;

import io.github.vicinal.samples.trainticket.order.OrderQueriesSupport;
import io.github.vicinal.samples.trainticket.order.OrderStore;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link OrderOtherApi}.
 */
@RestController
class OrderOtherController extends OrderQueriesSupport implements OrderOtherApi {

	OrderOtherController(OrderStore orders) {
		super(orders);
	}

}
