package io.github.vicinal.samples.trainticket.price;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code price}. It calls no other service.
 */
@TrainTicketService
@Import(PriceController.class)
public class PriceApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(PriceApplication.class, arguments);
	}

	@Bean
	PriceStore priceStore() {
		return PriceStore.seeded();
	}

}
