package io.github.vicinal.samples.trainticket.station;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code station}. It calls no other service.
 */
@TrainTicketService
@Import(StationController.class)
public class StationApplication {

	@Bean
	StationStore stationStore() {
		return StationStore.seeded();
	}

}
