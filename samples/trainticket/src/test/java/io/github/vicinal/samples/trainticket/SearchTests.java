package io.github.vicinal.samples.trainticket;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;

import io.github.vicinal.samples.trainticket.AllServices.Started;
import io.github.vicinal.samples.trainticket.gateway.GatewayApi;
import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.samples.trainticket.order.Order;
import io.github.vicinal.samples.trainticket.order.OrderStore;
import io.github.vicinal.samples.trainticket.order.SeatClass;
import io.github.vicinal.samples.trainticket.order.SoldTicket;
import io.github.vicinal.samples.trainticket.travel.TripOffer;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travelplan.PlannedTrip;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.http.ProblemDetail;
import org.springframework.web.client.HttpClientErrorException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(AllServices.class)
class SearchTests {

	private static final LocalDate DAY = LocalDate.of(2099, 5, 4);

	/** Half of the seats of a train with as many seats as an int can hold. */
	private static final int HALF = Integer.MAX_VALUE / 2;

	private final GatewayApi gateway;

	private final Started started;

	SearchTests(Started started) {
		this.started = started;
		this.gateway = Clients.gateway(started.gateway());
	}

	@Test
	@DisplayName("an offer has times, seats and prices of the section")
	void offerOfSection() {
		assertThat(this.gateway.highSpeedTrips(new TripQuery("Shang Hai", "Su Zhou", DAY)))
			.containsExactly(new TripOffer("D1345", "DongCheOne", "Shang Hai", "Su Zhou",
					LocalDateTime.of(2013, 5, 4, 7, 0), LocalDateTime.of(2013, 5, 4, 7, 16), HALF, HALF,
					new BigDecimal("22.50"), new BigDecimal("50.0")));
	}

	@Test
	@DisplayName("a planned trip has the names of all its stops")
	void plannedTrip() {
		List<PlannedTrip> trips = this.gateway.cheapest(new TripQuery("Nan Jing", "Shang Hai", DAY));

		assertThat(trips.get(0)).isEqualTo(new PlannedTrip("G1234", "GaoTieOne", "Nan Jing", "Shang Hai",
				List.of("Nan Jing", "Zhen Jiang", "Wu Xi", "Su Zhou", "Shang Hai"), new BigDecimal("95.00"), HALF,
				new BigDecimal("250.0"), HALF, LocalDateTime.of(2013, 5, 4, 9, 0),
				LocalDateTime.of(2013, 5, 4, 10, 0)));
	}

	@Test
	@DisplayName("cheapest trips first")
	void cheapest() {
		assertThat(this.gateway.cheapest(new TripQuery("Nan Jing", "Shang Hai", DAY))).extracting(PlannedTrip::tripId)
			.containsExactly("G1234", "Z1236", "G1235", "G1236");
	}

	@Test
	@DisplayName("quickest trips first, and those that are as quick in the order of the search")
	void quickest() {
		assertThat(this.gateway.quickest(new TripQuery("Nan Jing", "Shang Hai", DAY))).extracting(PlannedTrip::tripId)
			.containsExactly("G1234", "G1235", "G1236", "Z1236");
	}

	@Test
	@DisplayName("trips with the fewest stops first, and those with as many in the order of the routes")
	void fewestStops() {
		assertThat(this.gateway.fewestStops(new TripQuery("Nan Jing", "Shang Hai", DAY)))
			.extracting(PlannedTrip::tripId)
			.containsExactly("Z1236", "G1235", "G1236", "G1234");
	}

	@Test
	@DisplayName("a sold ticket takes a seat, until its passenger leaves the train")
	void soldTicketTakesSeat() {
		LocalDate day = DAY.plusDays(1);
		this.started.services()
			.context(Service.ORDER)
			.getBean(OrderStore.class)
			.add(new Order(day, "G1234", SeatClass.SECOND, new SoldTicket(1, "nanjing", "wuxi")));

		assertThat(seats("Nan Jing", "Zhen Jiang", day)).isEqualTo(HALF - 1);
		assertThat(seats("Su Zhou", "Shang Hai", day)).isEqualTo(HALF);
	}

	private int seats(String from, String to, LocalDate day) {
		return this.gateway.highSpeedTrips(new TripQuery(from, to, day))
			.stream()
			.filter((offer) -> offer.tripId().equals("G1234"))
			.findFirst()
			.orElseThrow()
			.economyClass();
	}

	@Test
	@DisplayName("no way between two stations: no trips")
	void noWay() {
		TripQuery query = new TripQuery("Bei Jing", "Hang Zhou", DAY);

		assertThat(this.gateway.highSpeedTrips(query)).isEmpty();
		assertThat(this.gateway.cheapest(query)).isEmpty();
		assertThat(this.gateway.fewestStops(query)).isEmpty();
	}

	@Test
	@DisplayName("an unknown station is named to the client, through all services in between")
	void unknownStation() {
		assertThatExceptionOfType(HttpClientErrorException.NotFound.class)
			.isThrownBy(() -> this.gateway.cheapest(new TripQuery("Nan Jin", "Shang Hai", DAY)))
			.satisfies((ex) -> assertThat(detail(ex)).isEqualTo("There is no station 'Nan Jin'"));
	}

	@Test
	@DisplayName("a day that is over is refused")
	void dayIsOver() {
		assertThatExceptionOfType(HttpClientErrorException.UnprocessableContent.class)
			.isThrownBy(() -> this.gateway.otherTrips(new TripQuery("Nan Jing", "Shang Hai", LocalDate.of(2020, 1, 1))))
			.satisfies((ex) -> assertThat(detail(ex)).contains("2020-01-01"));
	}

	private static String detail(HttpClientErrorException ex) {
		return ex.getResponseBodyAs(ProblemDetail.class).getDetail();
	}

}
