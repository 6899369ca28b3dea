package io.github.vicinal.boot.test;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ChannelTest(properties = "vicinal.channels.quotes.paths=http")
class UnreachedPathTests {

	private static final StubServer SERVER = StubServer.serving(new ChannelTestTests.FakeQuotes());

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry registry) {
		registry.add("spring.http.serviceclient.quotes.base-url", SERVER::url);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Autowired
	private Quotes quotes;

	@Autowired
	private ChannelCalls calls;

	@Test
	void aPathThatIsNotTakenIsReported() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.calls.connect("quotes", "shm", Duration.ofMillis(200), () -> this.quotes.quote("A")))
			.withMessageContaining("take the path http instead of shm");
		assertThat(this.calls.all()).hasSizeLessThanOrEqualTo(ChannelCalls.MAX_CALLS);
	}

}
