package io.github.vicinal.samples.trainticket.verificationcode;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;

/**
 * The service {@code verification-code}. It calls no other service.
 */
@TrainTicketService
@Import({ VerificationCodeController.class, VerificationCodeStore.class })
public class VerificationCodeApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(VerificationCodeApplication.class, arguments);
	}

}
