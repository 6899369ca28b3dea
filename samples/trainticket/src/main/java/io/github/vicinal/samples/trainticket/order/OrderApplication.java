package io.github.vicinal.samples.trainticket.order;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;

/**
 * The service {@code order}. It calls no other service.
 */
@TrainTicketService
@Import({ OrderController.class, OrderStore.class })
public class OrderApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(OrderApplication.class, arguments);
	}

}
