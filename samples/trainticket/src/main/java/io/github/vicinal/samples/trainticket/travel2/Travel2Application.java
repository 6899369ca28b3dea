package io.github.vicinal.samples.trainticket.travel2;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApi;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.train.TrainApi;
import io.github.vicinal.samples.trainticket.travel.Trip;
import io.github.vicinal.samples.trainticket.travel.TripCallees;
import io.github.vicinal.samples.trainticket.travel.TripStore;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code travel2}.
 */
@TrainTicketService
@ImportHttpServices(group = "ticketinfo", types = TicketInfoApi.class)
@ImportHttpServices(group = "route", types = RouteApi.class)
@ImportHttpServices(group = "train", types = TrainApi.class)
@ImportHttpServices(group = "seat", types = SeatApi.class)
@ImportHttpServices(group = "order-other", types = OrderOtherApi.class)
@Import(Travel2Controller.class)
public class Travel2Application {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(Travel2Application.class, arguments);
	}

	@Bean
	TripCallees callees(TicketInfoApi ticketInfo, RouteApi route, TrainApi train, SeatApi seat, OrderOtherApi order) {
		return new TripCallees(ticketInfo, route, train, seat, order);
	}

	/**
	 * The 5 other trips of the original.
	 * @return a store with the seed data
	 */
	@Bean
	TripStore tripStore() {
		return new TripStore(List.of(trip("Z1234", "ZhiDa", "0b23bd3e-876a-4af3-b920-c50a90c90b04", "09:51:52"),
				trip("Z1235", "ZhiDa", "9fc9c261-3263-4bfa-82f8-bb44e06b2f52", "11:31:52"),
				trip("Z1236", "ZhiDa", "d693a2c5-ef87-4a3c-bef8-600b43f62c68", "07:05:52"),
				trip("T1235", "TeKuai", "20eb7122-3a11-423f-b10a-be0dc5bce7db", "08:31:52"),
				trip("K1345", "KuaiSu", "1367db1f-461e-4ab7-87ad-2bcc05fd9cb7", "07:51:52")));
	}

	private static Trip trip(String id, String trainTypeId, String routeId, String startingTime) {
		return new Trip(id, trainTypeId, routeId, "shanghai", "beijing",
				LocalDate.of(2013, 5, 4).atTime(LocalTime.parse(startingTime)));
	}

}
