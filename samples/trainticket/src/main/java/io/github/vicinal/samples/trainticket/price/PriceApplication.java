package io.github.vicinal.samples.trainticket.price;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code price}. It calls no other service.
 */
@TrainTicketService
@Import(PriceController.class)
public class PriceApplication {

	@Bean
	PriceStore priceStore() {
		return PriceStore.seeded();
	}

}
