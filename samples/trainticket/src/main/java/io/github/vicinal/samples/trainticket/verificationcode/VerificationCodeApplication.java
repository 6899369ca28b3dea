package io.github.vicinal.samples.trainticket.verificationcode;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.context.annotation.Import;

/**
 * The service {@code verification-code}. It calls no other service.
 */
@TrainTicketService
@Import({ VerificationCodeController.class, VerificationCodeStore.class })
public class VerificationCodeApplication {

}
