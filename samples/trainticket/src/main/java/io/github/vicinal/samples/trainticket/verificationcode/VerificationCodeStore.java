package io.github.vicinal.samples.trainticket.verificationcode;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The codes that were issued and not yet checked. Bounded in time and number: codes that
 * are requested and never used only displace the oldest ones.
 */
class VerificationCodeStore {

	static final int CAPACITY = 10_000;

	static final Duration LIFETIME = Duration.ofMinutes(5);

	private static final int LENGTH = 4;

	/** Alphabet of codes, without characters that look alike. */
	private static final String ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

	private final Map<String, Issued> codes = new LinkedHashMap<>();

	private final SecureRandom random = new SecureRandom();

	private final Clock clock;

	VerificationCodeStore(Clock clock) {
		this.clock = clock;
	}

	synchronized VerificationCode issue() {
		dropOldest();
		String text = this.random.ints(LENGTH, 0, ALPHABET.length())
			.mapToObj(ALPHABET::charAt)
			.collect(StringBuilder::new, StringBuilder::append, StringBuilder::append)
			.toString();
		String id = UUID.randomUUID().toString();
		this.codes.put(id, new Issued(text, this.clock.instant().plus(LIFETIME)));
		return new VerificationCode(id, text);
	}

	synchronized boolean verify(VerificationCode code) {
		@Nullable Issued issued = this.codes.remove(code.id());
		return issued != null && this.clock.instant().isBefore(issued.expires())
				&& issued.text().equalsIgnoreCase(code.text());
	}

	private void dropOldest() {
		Instant now = this.clock.instant();
		Iterator<Issued> oldestFirst = this.codes.values().iterator();
		while (oldestFirst.hasNext()) {
			Issued oldest = oldestFirst.next();
			if (this.codes.size() < CAPACITY && now.isBefore(oldest.expires())) {
				return;
			}
			oldestFirst.remove();
		}
	}

	private record Issued(String text, Instant expires) {
	}

}
