package io.github.vicinal.samples.trainticket.station;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code station}. It calls no other service.
 */
@TrainTicketService
@Import(StationController.class)
public class StationApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(StationApplication.class, arguments);
	}

	@Bean
	StationStore stationStore() {
		return StationStore.seeded();
	}

}
