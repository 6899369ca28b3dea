package io.github.vicinal.samples.trainticket.routeplan;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code route-plan}.
 */
@TrainTicketService
@ImportHttpServices(group = "travel", types = TravelApi.class)
@ImportHttpServices(group = "travel2", types = Travel2Api.class)
@ImportHttpServices(group = "route", types = RouteApi.class)
@ImportHttpServices(group = "station", types = StationApi.class)
@Import(RoutePlanController.class)
public class RoutePlanApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(RoutePlanApplication.class, arguments);
	}

}
