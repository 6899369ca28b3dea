package io.github.vicinal.samples.trainticket.order;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link OrderApi}.
 */
@RestController
class OrderController extends OrderQueriesSupport implements OrderApi {

	OrderController(OrderStore orders) {
		super(orders);
	}

}
