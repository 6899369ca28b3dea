package io.github.vicinal.boot.server;

import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CallerMatcherTests {

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 10.255.1.2, true", "10.0.0.0/8, 11.0.0.1, false", "192.168.1.7, 192.168.1.7, true",
			"192.168.1.7, 192.168.1.8, false", "::1, 0:0:0:0:0:0:0:1, true", "fd00::/8, fdff::1, true",
			"fd00::/8, fe80::1%eth0, false", "fe80::/10, fe80::1%br-0a1b.7, true", "10.0.0.0/8, ::ffff:10.1.2.3, true",
			"fd00::/8, 10.0.0.1, false", "0.0.0.0/0, 1.2.3.4, true", "10.1.2.128/25, 10.1.2.127, false",
			"10.1.2.128/25, 10.1.2.128, true", "billing, billing, true", "billing, Billing, false",
			"10.0.0.0/8, localhost, false" })
	void matchesNamesAndBlocks(String configured, String caller, boolean matches) {
		assertThat(CallerMatcher.of(configured).test(caller)).isEqualTo(matches);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "name/8", "fd00::/129",
			"/8", "256.0.0.1/8" })
	void otherExpressionsAreNotAccepted(String configured) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallerMatcher.of(configured))
			.withMessageContaining("must");
	}

	/**
	 * Text that a client or a proxy sends must end nothing, and ask no name server.
	 */
	@Test
	void anyTextIsSomeName() {
		Random random = new Random(1);
		CallerMatcher block = CallerMatcher.of("10.0.0.0/8");
		String letters = "0123456789abcdef.:%/[] \u0000\u00e4";
		for (int i = 0; i < 10_000; i++) {
			StringBuilder text = new StringBuilder();
			for (int j = random.nextInt(100); j > 0; j--) {
				text.append(letters.charAt(random.nextInt(letters.length())));
			}
			String caller = text.toString();
			assertThat(block.test(caller)).as(caller)
				.isEqualTo(caller.matches("10(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}"));
		}
	}

}
