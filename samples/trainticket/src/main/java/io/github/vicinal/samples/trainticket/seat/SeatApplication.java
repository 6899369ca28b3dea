package io.github.vicinal.samples.trainticket.seat;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.config.ConfigApi;
import io.github.vicinal.samples.trainticket.order.OrderApi;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApi;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code seat}.
 */
@TrainTicketService
@ImportHttpServices(group = "travel", types = TravelApi.class)
@ImportHttpServices(group = "travel2", types = Travel2Api.class)
@ImportHttpServices(group = "order", types = OrderApi.class)
@ImportHttpServices(group = "order-other", types = OrderOtherApi.class)
@ImportHttpServices(group = "config", types = ConfigApi.class)
@Import(SeatController.class)
public class SeatApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(SeatApplication.class, arguments);
	}

}
