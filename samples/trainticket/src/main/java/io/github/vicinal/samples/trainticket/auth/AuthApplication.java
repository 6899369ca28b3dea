package io.github.vicinal.samples.trainticket.auth;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCodeApi;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code auth}.
 */
@TrainTicketService
@ImportHttpServices(group = "verification-code", types = VerificationCodeApi.class)
@Import({ AuthController.class, Tokens.class })
public class AuthApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(AuthApplication.class, arguments);
	}

	@Bean
	PasswordEncoder passwords() {
		return new BCryptPasswordEncoder();
	}

	@Bean
	AccountStore accountStore(PasswordEncoder passwords) {
		return AccountStore.seeded(passwords);
	}

}
