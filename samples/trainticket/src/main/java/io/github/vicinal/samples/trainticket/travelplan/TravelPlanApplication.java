package io.github.vicinal.samples.trainticket.travelplan;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanApi;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code travel-plan}.
 */
@TrainTicketService
@ImportHttpServices(group = "route-plan", types = RoutePlanApi.class)
@ImportHttpServices(group = "station", types = StationApi.class)
@ImportHttpServices(group = "ticketinfo", types = TicketInfoApi.class)
@ImportHttpServices(group = "seat", types = SeatApi.class)
@ImportHttpServices(group = "travel", types = TravelApi.class)
@ImportHttpServices(group = "travel2", types = Travel2Api.class)
@Import(TravelPlanController.class)
public class TravelPlanApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(TravelPlanApplication.class, arguments);
	}

}
