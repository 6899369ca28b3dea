package io.github.vicinal.samples.trainticket.travel;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.order.OrderApi;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.train.TrainApi;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code travel}.
 */
@TrainTicketService
@ImportHttpServices(group = "ticketinfo", types = TicketInfoApi.class)
@ImportHttpServices(group = "route", types = RouteApi.class)
@ImportHttpServices(group = "train", types = TrainApi.class)
@ImportHttpServices(group = "seat", types = SeatApi.class)
@ImportHttpServices(group = "order", types = OrderApi.class)
@Import(TravelController.class)
public class TravelApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(TravelApplication.class, arguments);
	}

	@Bean
	TripCallees callees(TicketInfoApi ticketInfo, RouteApi route, TrainApi train, SeatApi seat, OrderApi order) {
		return new TripCallees(ticketInfo, route, train, seat, order);
	}

	/**
	 * The 5 high-speed trips of the original.
	 * @return a store with the seed data
	 */
	@Bean
	TripStore tripStore() {
		return new TripStore(List.of(trip("G1234", "GaoTieOne", "92708982-77af-4318-be25-57ccb0ff69ad", "09:00:00"),
				trip("G1235", "GaoTieOne", "aefcef3f-3f42-46e8-afd7-6cb2a928bd3d", "12:00:00"),
				trip("G1236", "GaoTieOne", "a3f256c1-0e43-4f7d-9c21-121bf258101f", "14:00:00"),
				trip("G1237", "GaoTieTwo", "084837bb-53c8-4438-87c8-0321a4d09917", "08:00:00"),
				trip("D1345", "DongCheOne", "f3d4d4ef-693b-4456-8eed-59c0d717dd08", "07:00:00")));
	}

	private static Trip trip(String id, String trainTypeId, String routeId, String startingTime) {
		return new Trip(id, trainTypeId, routeId, "shanghai", "taiyuan",
				LocalDate.of(2013, 5, 4).atTime(LocalTime.parse(startingTime)));
	}

}
