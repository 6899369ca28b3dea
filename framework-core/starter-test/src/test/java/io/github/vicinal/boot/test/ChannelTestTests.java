package io.github.vicinal.boot.test;

import java.util.List;

import io.github.vicinal.boot.test.ChannelCalls.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ChannelTest(Prices.class)
class ChannelTestTests {

	private static final StubServer SERVER = StubServer.serving(new FakeQuotes());

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry registry) {
		registry.add("spring.http.serviceclient.quotes.base-url", SERVER::url);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Autowired
	private Prices prices;

	@Autowired
	private ChannelCalls calls;

	@Test
	void aComponentCallsAStubOverThePath() {
		this.calls.connect("quotes", "direct", () -> this.prices.twice("A"));
		this.calls.clear();
		assertThat(this.prices.twice("B")).isEqualTo(2);
		assertThat(this.calls.all()).containsExactly(new Call("quotes", "quote", "direct", null));
	}

	@Test
	void theReasonIsNamedWhereAPathIsNotTaken() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.calls.connect("baskets", "direct", () -> this.prices.twice("A")))
			.withMessageContaining("No channel 'baskets' was called")
			.withMessageContaining("quotes");
	}

	@ParameterizedTest
	@ValueSource(strings = { "A", "BB", "CCC" })
	void answersAreThoseOfTheStub(String symbol) {
		assertThat(this.prices.twice(symbol)).isEqualTo(2L * symbol.length());
		List<Call> made = this.calls.of("quotes");
		assertThat(made).last().extracting(Call::method).isEqualTo("quote");
	}

	@Test
	void onlyControllersAreStubs() {
		assertThatIllegalArgumentException().isThrownBy(() -> StubServer.serving("no controller"))
			.withMessageContaining("java.lang.String")
			.withMessageContaining("@RestController");
	}

	@RestController
	static class FakeQuotes implements Quotes {

		@Override
		public Quote quote(String symbol) {
			return new Quote(symbol, symbol.length());
		}

	}

}
