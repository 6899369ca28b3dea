package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.Rejection.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestPermitsTests {

	/** So that those who were rejected together do not come back together. */
	@Test
	void whenToTryAgainIsSpreadOverUpToTwiceTheTime() {
		Set<String> said = new TreeSet<>();
		for (int i = 0; i < 1_000; i++) {
			Reply.Failure failure = RequestPermits
				.failure(new Rejection(Reason.OVERLOAD, () -> "too much", Duration.ofMillis(1_500)));
			said.add(failure.headers().get("Retry-After").get(0));
		}
		assertThat(said).containsExactly("2", "3", "4");
	}

}
