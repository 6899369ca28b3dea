package io.github.vicinal.samples.trainticket.verificationcode;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class VerificationCodeStoreTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final VerificationCodeStore codes = new VerificationCodeStore(
			((InstantSource) this.now::get).withZone(ZoneOffset.UTC));

	@Test
	@DisplayName("a code is right once, in upper or lower case")
	void once() {
		VerificationCode code = this.codes.issue();
		VerificationCode lower = new VerificationCode(code.id(), code.text().toLowerCase(Locale.ROOT));

		assertThat(this.codes.verify(lower)).isTrue();
		assertThat(this.codes.verify(lower)).isFalse();
	}

	@Test
	@DisplayName("a wrong attempt uses the code up")
	void wrong() {
		VerificationCode code = this.codes.issue();

		assertThat(this.codes.verify(new VerificationCode(code.id(), "0000"))).isFalse();
		assertThat(this.codes.verify(code)).isFalse();
	}

	@Test
	@DisplayName("a code ends")
	void expires() {
		VerificationCode code = this.codes.issue();
		this.now.set(Instant.EPOCH.plus(VerificationCodeStore.LIFETIME));

		assertThat(this.codes.verify(code)).isFalse();
	}

	@Test
	@DisplayName("the oldest code makes room when there are too many")
	void bounded() {
		VerificationCode oldest = this.codes.issue();
		VerificationCode second = this.codes.issue();
		for (int i = 2; i <= VerificationCodeStore.CAPACITY; i++) {
			this.codes.issue();
		}

		assertThat(this.codes.verify(oldest)).isFalse();
		assertThat(this.codes.verify(second)).isTrue();
	}

}
