package io.github.vicinal.samples.trainticket.ticketinfo;

import io.github.vicinal.samples.trainticket.basic.BasicApi;
import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code ticketinfo}.
 */
@TrainTicketService
@ImportHttpServices(group = "basic", types = BasicApi.class)
@Import(TicketInfoController.class)
public class TicketInfoApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(TicketInfoApplication.class, arguments);
	}

}
