package io.github.vicinal.samples.trainticket.user;

import io.github.vicinal.samples.trainticket.auth.AuthApi;
import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code user}.
 */
@TrainTicketService
@ImportHttpServices(group = "auth", types = AuthApi.class)
@Import(UserController.class)
public class UserApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(UserApplication.class, arguments);
	}

	@Bean
	UserStore userStore() {
		return UserStore.seeded();
	}

}
