package io.github.vicinal.samples.trainticket.config;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The service {@code config}. It calls no other service.
 */
@TrainTicketService
@Import(ConfigController.class)
public class ConfigApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(ConfigApplication.class, arguments);
	}

	@Bean
	ConfigStore configStore() {
		return ConfigStore.seeded();
	}

}
