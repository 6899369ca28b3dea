package io.github.vicinal.samples.trainticket.bench;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WarmUpTests {

	private static WarmUp windows(long... cpuMillisOfHundredRequests) {
		WarmUp warmUp = new WarmUp();
		for (long millis : cpuMillisOfHundredRequests) {
			warmUp.window(Duration.ofMillis(millis), 100);
		}
		return warmUp;
	}

	@Test
	void fewWindowsAreNoSteadyState() {
		assertThat(windows(500, 500, 500, 500, 500).isSteady()).isFalse();
		assertThat(windows(500, 500, 500, 500, 500, 500).isSteady()).isTrue();
	}

	@Test
	void costsThatFallAreNoSteadyState() {
		assertThat(windows(900, 800, 700, 600, 500, 400).isSteady()).isFalse();
	}

	@Test
	void onlyTheLatestWindowsCount() {
		assertThat(windows(9000, 4000, 500, 510, 490, 500, 495, 505).isSteady()).isTrue();
	}

	@Test
	void costsThatRiseAgainAreNoSteadyState() {
		assertThat(windows(500, 500, 500, 700, 700, 700).isSteady()).isFalse();
	}

	@Test
	void costsAreThoseOfARequest() {
		WarmUp warmUp = new WarmUp();
		for (int requests = 100; requests <= 600; requests += 100) {
			warmUp.window(Duration.ofMillis(5L * requests), requests);
		}
		assertThat(warmUp.isSteady()).isTrue();
	}

}
