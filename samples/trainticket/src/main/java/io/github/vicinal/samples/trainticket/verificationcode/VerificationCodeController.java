package io.github.vicinal.samples.trainticket.verificationcode;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link VerificationCodeApi}.
 */
@RestController
class VerificationCodeController implements VerificationCodeApi {

	private final VerificationCodeStore codes;

	VerificationCodeController(VerificationCodeStore codes) {
		this.codes = codes;
	}

	@Override
	public VerificationCode issue() {
		return this.codes.issue();
	}

	@Override
	public Verification verify(VerificationCode code) {
		return new Verification(this.codes.verify(code));
	}

}
