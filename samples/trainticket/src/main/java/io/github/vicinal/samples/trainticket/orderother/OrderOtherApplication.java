package io.github.vicinal.samples.trainticket.orderother;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.order.OrderStore;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;

/**
 * The service {@code order-other}. It calls no other service.
 */
@TrainTicketService
@Import({ OrderOtherController.class, OrderStore.class })
public class OrderOtherApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(OrderOtherApplication.class, arguments);
	}

}
