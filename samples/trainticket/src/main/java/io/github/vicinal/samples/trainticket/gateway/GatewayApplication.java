package io.github.vicinal.samples.trainticket.gateway;

import io.github.vicinal.samples.trainticket.auth.AuthApi;
import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;
import io.github.vicinal.samples.trainticket.travelplan.TravelPlanApi;
import io.github.vicinal.samples.trainticket.user.UserApi;
import io.github.vicinal.samples.trainticket.verificationcode.VerificationCodeApi;
import tools.jackson.databind.DeserializationFeature;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * The service {@code gateway}.
 */
@TrainTicketService
@ImportHttpServices(group = "travel", types = TravelApi.class)
@ImportHttpServices(group = "travel2", types = Travel2Api.class)
@ImportHttpServices(group = "travel-plan", types = TravelPlanApi.class)
@ImportHttpServices(group = "verification-code", types = VerificationCodeApi.class)
@ImportHttpServices(group = "auth", types = AuthApi.class)
@ImportHttpServices(group = "user", types = UserApi.class)
@Import(GatewayController.class)
public class GatewayApplication {

	/**
	 * Runs this service alone.
	 * @param arguments properties, as {@code --name=value}
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(GatewayApplication.class, arguments);
	}

	/**
	 * Refuses requests from outside that leave something out, before they reach a
	 * service.
	 * @return the customizer
	 */
	@Bean
	JsonMapperBuilderCustomizer completeRequests() {
		return (builder) -> builder.enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
				DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);
	}

}
