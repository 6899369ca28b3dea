package io.github.vicinal.samples.trainticket.route;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code route}. It calls no other service.
 */
@TrainTicketService
@Import(RouteController.class)
public class RouteApplication {

	@Bean
	RouteStore routeStore() {
		return RouteStore.seeded();
	}

}
