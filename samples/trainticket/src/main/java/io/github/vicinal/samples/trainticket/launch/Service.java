package io.github.vicinal.samples.trainticket.launch;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.vicinal.samples.trainticket.auth.AuthApplication;
import io.github.vicinal.samples.trainticket.basic.BasicApplication;
import io.github.vicinal.samples.trainticket.config.ConfigApplication;
import io.github.vicinal.samples.trainticket.gateway.GatewayApplication;
import io.github.vicinal.samples.trainticket.order.OrderApplication;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApplication;
import io.github.vicinal.samples.trainticket.price.PriceApplication;
import io.github.vicinal.samples.trainticket.route.RouteApplication;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanApplication;
import io.github.vicinal.samples.trainticket.seat.SeatApplication;
import io.github.vicinal.samples.trainticket.station.StationApplication;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApplication;
import io.github.vicinal.samples.trainticket.train.TrainApplication;
import io.github.vicinal.samples.trainticket.travel.TravelApplication;
import io.github.vicinal.samples.trainticket.travel2.Travel2Application;
import io.github.vicinal.samples.trainticket.travelplan.TravelPlanApplication;
import io.github.vicinal.samples.trainticket.user.UserApplication;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCodeApplication;

/**
 * The services. Each listens on the base port plus its position in this list.
 */
public enum Service {

	/** The public entry, on the base port itself. */
	GATEWAY(GatewayApplication.class),
	/** Trips of high-speed trains. */
	TRAVEL(TravelApplication.class),
	/** Trips of all other trains. */
	TRAVEL2(Travel2Application.class),
	/** Advanced search. */
	TRAVEL_PLAN(TravelPlanApplication.class),
	/** Ranking of trips. */
	ROUTE_PLAN(RoutePlanApplication.class),
	/** Passes on to basic. */
	TICKETINFO(TicketInfoApplication.class),
	/** Prices of trips. */
	BASIC(BasicApplication.class),
	/** Stations. */
	STATION(StationApplication.class),
	/** Train types. */
	TRAIN(TrainApplication.class),
	/** Routes. */
	ROUTE(RouteApplication.class),
	/** Price rates. */
	PRICE(PriceApplication.class),
	/** Seats that are left. */
	SEAT(SeatApplication.class),
	/** Named values. */
	CONFIG(ConfigApplication.class),
	/** Orders of high-speed trains. */
	ORDER(OrderApplication.class),
	/** Orders of all other trains. */
	ORDER_OTHER(OrderOtherApplication.class),
	/** Logins and tokens. */
	AUTH(AuthApplication.class),
	/** User profiles. */
	USER(UserApplication.class),
	/** Verification codes. */
	VERIFICATION_CODE(VerificationCodeApplication.class);

	/**
	 * Base port if none is given.
	 */
	public static final String DEFAULT_BASE_PORT = "18100";

	private final Class<?> application;

	Service(Class<?> application) {
		this.application = application;
	}

	/**
	 * The name that plans, groups of HTTP clients and log lines use.
	 * @return the name, such as "travel-plan"
	 */
	public String serviceName() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * The configuration class of the service.
	 * @return the class
	 */
	public Class<?> application() {
		return this.application;
	}

	/**
	 * The port on which the service listens.
	 * @param basePort port of the first service
	 * @return the port
	 */
	public int port(int basePort) {
		return basePort + ordinal();
	}

	/**
	 * The address under which the service is called.
	 * @param host where it runs
	 * @param basePort port of the first service
	 * @return the address
	 */
	public URI address(String host, int basePort) {
		return URI.create("http://" + host + ":" + port(basePort));
	}

	/**
	 * Finds a service by name.
	 * @param name the name
	 * @return the service
	 */
	public static Service named(String name) {
		return Arrays.stream(values())
			.filter((service) -> service.serviceName().equals(name))
			.findFirst()
			.orElseThrow(() -> new UsageException("Unknown service '" + name + "'",
					"a service is one of " + names(List.of(values())), "correct the name"));
	}

	/**
	 * Writes services as one text.
	 * @param services the services
	 * @return their names, with commas
	 */
	public static String names(List<Service> services) {
		return services.stream().map(Service::serviceName).collect(Collectors.joining(", "));
	}

}
