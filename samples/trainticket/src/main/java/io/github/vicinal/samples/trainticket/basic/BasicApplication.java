package io.github.vicinal.samples.trainticket.basic;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.price.PriceApi;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.train.TrainApi;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code basic}.
 */
@TrainTicketService
@ImportHttpServices(group = "station", types = StationApi.class)
@ImportHttpServices(group = "train", types = TrainApi.class)
@ImportHttpServices(group = "route", types = RouteApi.class)
@ImportHttpServices(group = "price", types = PriceApi.class)
@Import(BasicController.class)
public class BasicApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(BasicApplication.class, arguments);
	}

}
