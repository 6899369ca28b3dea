package io.github.vicinal.boot.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;

import io.github.vicinal.boot.cache.AnswerRules.Verdict;
import io.github.vicinal.boot.client.CallAnswer.Received;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether and how long an answer may be kept, row by row as RFC 9111 says it. */
class AnswerRulesTests {

	private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.400Z");

	private static final Duration LIFETIME = Duration.ofSeconds(300);

	private static final Predicate<String> NONE = (name) -> false;

	private static Verdict judge(int status, String headers, boolean ofOneCaller, long delayMillis) {
		HttpHeaders parsed = new HttpHeaders();
		if (headers != null) {
			for (String header : headers.split(" & ")) {
				int colon = header.indexOf(':');
				parsed.add(header.substring(0, colon), header.substring(colon + 1).strip());
			}
		}
		Received received = new Received(status, parsed, Duration.ofMillis(delayMillis).toNanos(), NOW);
		return AnswerRules.judge(received, LIFETIME, ofOneCaller, (name) -> name.equals("x-tenant"));
	}

	/** Seconds that remain of 300, -1 if it must not be kept: for all, for one caller. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			                                                              |  300 | 300
			Cache-Control: no-store                                       |   -1 |  -1
			Cache-Control: No-Store                                       |   -1 |  -1
			Cache-Control: max-age=60, no-store                           |   -1 |  -1
			Cache-Control: max-age=60 & Cache-Control: no-store           |   -1 |  -1
			Cache-Control: no-cache                                       |   -1 |  -1
			Cache-Control: no-cache="Set-Cookie"                          |   -1 |  -1
			Cache-Control: private                                        |   -1 | 300
			Cache-Control: private="X-Name, X-Other", max-age=60          |   -1 |  60
			Cache-Control: max-age=60                                     |   60 |  60
			Cache-Control: max-age="60"                                   |   60 |  60
			Cache-Control: MAX-AGE=60                                     |   60 |  60
			Cache-Control: max-age = 60                                   |   60 |  60
			Cache-Control: max-age=3600                                   |  300 | 300
			Cache-Control: max-age=99999999999999999999                   |  300 | 300
			Cache-Control: max-age=0                                      |   -1 |  -1
			Cache-Control: max-age=soon                                   |   -1 |  -1
			Cache-Control: max-age=-5                                     |   -1 |  -1
			Cache-Control: max-age                                        |   -1 |  -1
			Cache-Control: max-age=60, max-age=30                         |   30 |  30
			Cache-Control: s-maxage=30, max-age=60                        |   30 |  60
			Cache-Control: s-maxage=0, max-age=60                         |   -1 |  60
			Cache-Control: public, max-age=60, must-revalidate            |   60 |  60
			Cache-Control: note="no-store, private", max-age=60           |   60 |  60
			Cache-Control: note="\\", no-store, \\"", max-age=60          |   60 |  60
			Cache-Control: no-storage                                     |  300 | 300
			Cache-Control: no-store, must-understand, max-age=60          |   -1 |  -1
			Expires: Sun, 01 Mar 2026 12:01:00 GMT & Date: Sun, 01 Mar 2026 12:00:00 GMT | 60 | 60
			Expires: Sun, 01 Mar 2026 11:00:00 GMT                        |   -1 |  -1
			Expires: 0                                                    |   -1 |  -1
			Expires: 0 & Cache-Control: max-age=60                        |   60 |  60
			Set-Cookie: a=b                                               |   -1 |  -1
			Vary: *                                                       |   -1 |  -1
			Vary: Accept-Encoding, Accept                                 |  300 | 300
			Vary: Origin & Vary: Access-Control-Request-Method            |  300 | 300
			Vary: X-Tenant                                                |  300 | 300
			Vary: Authorization                                           |   -1 | 300
			Vary: Accept, Cookie                                          |   -1 | 300
			Age: 100                                                      |  200 | 200
			Age: 100 & Cache-Control: max-age=120                         |   20 |  20
			Age: 100, 200                                                 |  200 | 200
			Cache-Control: max-age=60, note="open, no-store               |   -1 |  -1
			Age: 300                                                      |   -1 |  -1
			Age: never                                                    |  300 | 300
			Date: Sun, 01 Mar 2026 12:00:00 GMT                           |  300 | 300
			Date: Sun, 01 Mar 2026 11:59:00 GMT & Cache-Control: max-age=100 | 40.6 | 40.6
			Date: Sun, 01 Mar 2026 12:30:00 GMT                           |  300 | 300
			Date: not a date                                              |  300 | 300
			Pragma: no-cache                                              |  300 | 300
			""")
	void headersDecide(String headers, double forAll, double forOne) {
		assertRemaining(judge(200, headers, false, 0), forAll);
		assertRemaining(judge(200, headers, true, 0), forOne);
	}

	private static void assertRemaining(Verdict verdict, double seconds) {
		if (seconds < 0) {
			assertThat(verdict.reason()).isNotBlank();
			assertThat(verdict.nanos()).isZero();
		}
		else {
			assertThat(verdict.reason()).isNull();
			assertThat(verdict.nanos()).isEqualTo((long) (seconds * 1e9));
		}
	}

	@ParameterizedTest
	@CsvSource({ "200,true", "203,true", "201,false", "204,false", "206,false", "301,false", "304,false", "404,false",
			"410,false", "500,false" })
	void onlyWholeAnswersAreKept(int status, boolean kept) {
		assertThat(judge(status, "Cache-Control: max-age=60", false, 0).reason() == null).isEqualTo(kept);
	}

	/** Section 4.2.3: an answer is at least as old as its request. */
	@Test
	void timeCountsFromTheRequest() {
		assertRemaining(judge(200, null, false, 1_000), 299);
		assertRemaining(judge(200, "Age: 10", false, 1_000), 289);
		assertRemaining(judge(200, "Cache-Control: max-age=1", false, 1_000), -1);
		assertRemaining(judge(200, "Date: Sun, 01 Mar 2026 12:00:00 GMT", false, 1_000), 299);
	}

	@Test
	void anAnswerThatNobodySawIsNotKept() {
		assertThat(AnswerRules.judge(null, LIFETIME, false, NONE).reason()).isNotBlank();
		assertThat(AnswerRules.judge(null, LIFETIME, true, NONE).reason()).isNotBlank();
	}

	@Test
	void aLifetimeBeyondAllBoundsIsOne() {
		Received received = new Received(200, new HttpHeaders(), 0, NOW);
		assertThat(AnswerRules.judge(received, Duration.ofSeconds(Long.MAX_VALUE), false, NONE).nanos()).isPositive();
	}

}
