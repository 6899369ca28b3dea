package io.github.vicinal.samples.trainticket.verificationcode;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code verification-code}.
 */
@AffinityChannel
@HttpExchange("/api/v1/verificationcodeservice")
public interface VerificationCodeApi {

	/**
	 * Issues a code. It is good for one check within five minutes.
	 * @return the code
	 */
	@PostExchange("/verifycode/generate")
	VerificationCode issue();

	/**
	 * Checks a code and makes it void.
	 * @param code the code as it was entered
	 * @return whether it was right
	 */
	@PostExchange("/verifycode/verify")
	Verification verify(@RequestBody VerificationCode code);

}
