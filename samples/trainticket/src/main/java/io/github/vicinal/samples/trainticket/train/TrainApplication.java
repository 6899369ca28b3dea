package io.github.vicinal.samples.trainticket.train;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code train}. It calls no other service.
 */
@TrainTicketService
@Import(TrainController.class)
public class TrainApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(TrainApplication.class, arguments);
	}

	@Bean
	TrainStore trainStore() {
		return TrainStore.seeded();
	}

}
