package io.github.vicinal.samples.trainticket.route;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code route}. It calls no other service.
 */
@TrainTicketService
@Import(RouteController.class)
public class RouteApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(RouteApplication.class, arguments);
	}

	@Bean
	RouteStore routeStore() {
		return RouteStore.seeded();
	}

}
