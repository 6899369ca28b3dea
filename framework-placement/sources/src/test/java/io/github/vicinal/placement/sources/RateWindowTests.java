package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.List;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.EdgeCount.Side;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class RateWindowTests {

	private static final long SECOND = 1_000_000_000L;

	private static final Duration LONG = Duration.ofHours(1);

	private static EdgeCount count(Side side, double calls, Double bytes) {
		return new EdgeCount("a", "b", side, calls, bytes);
	}

	private static Traffic traffic(RateWindow window, long seconds) {
		return window.traffic("test", seconds * SECOND, LONG, (name) -> name);
	}

	@Property(tries = 200)
	void aSteadyRateIsFoundWhateverTheHalfLife(@ForAll @IntRange(min = 1, max = 1000) int perSecond,
			@ForAll @IntRange(min = 1, max = 500) int halfLife, @ForAll @IntRange(min = 1, max = 60) int interval) {
		RateWindow window = new RateWindow(Duration.ofSeconds(halfLife), 0);
		long time = 1;
		for (int i = 0; i < 50; i++, time += interval) {
			window.add("one", time * SECOND, Duration.ofSeconds(time),
					List.of(count(Side.CLIENT, (double) perSecond * time, 100.0 * perSecond * time)));
		}
		Edge edge = traffic(window, time - interval).edges().get(0);
		assertThat(edge.callsPerSecond()).isCloseTo(perSecond, within(1e-6 * perSecond));
		assertThat(edge.applicationBytesPerSecond()).isCloseTo(100.0 * perSecond, within(1e-4 * perSecond));
		assertThat(edge.evidence().partial()).isFalse();
	}

	@Test
	void oldTrafficFades() {
		RateWindow window = new RateWindow(Duration.ofSeconds(10), 0);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 100_000, null)));
		for (int i = 1; i <= 100; i++) {
			window.add("one", (100 + i) * SECOND, Duration.ofSeconds(100 + i),
					List.of(count(Side.CLIENT, 100_000 + i, null)));
		}
		assertThat(traffic(window, 200).edges().get(0).callsPerSecond()).isBetween(1.0, 15.0);
	}

	@Test
	void aRestartStartsCountingAnew() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 1000, 5000.0)));
		window.add("one", 200 * SECOND, Duration.ofSeconds(50), List.of(count(Side.CLIENT, 500, 2500.0)));
		Edge edge = traffic(window, 200).edges().get(0);
		assertThat(edge.evidence().samples()).isBetween(480L, 500L);
		assertThat(edge.callsPerSecond()).isCloseTo(10, within(0.5));
		assertThat(edge.bytesPerCall()).isCloseTo(5, within(0.01));
	}

	/** The first report of a fresh JVM is half a second under way, later ones are not. */
	@Test
	void aReportThatWasUnderWayForLongDoesNotShortenTheTimeOfItsCounts() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("other", SECOND, Duration.ofSeconds(1), List.of());
		window.add("one", 10 * SECOND + SECOND / 2, Duration.ofSeconds(1), List.of(count(Side.CLIENT, 20, null)));
		for (int i = 2; i <= 5; i++) {
			window.add("one", (9 + i) * SECOND, Duration.ofSeconds(i), List.of(count(Side.CLIENT, 20 * i, null)));
			assertThat(traffic(window, 9 + i).edges().get(0).callsPerSecond()).isCloseTo(20, within(1e-3));
		}
	}

	/** A clock that says what cannot be does not count. */
	@Test
	void aReporterWhoseClockJumpsIsTimedHere() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("one", 10 * SECOND, Duration.ofSeconds(10), List.of(count(Side.CLIENT, 100, null)));
		window.add("one", 30 * SECOND, Duration.ofSeconds(1_000_000), List.of(count(Side.CLIENT, 300, null)));
		assertThat(traffic(window, 30).edges().get(0).callsPerSecond()).isCloseTo(10, within(1e-3));
	}

	@Test
	void bothEndsCountACallOnce() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("caller", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 1000, null)));
		window.add("called", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.SERVER, 980, 98_000.0)));
		Traffic traffic = traffic(window, 100);
		assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.callsPerSecond()).isCloseTo(10, within(1e-9));
			assertThat(edge.bytesPerCall()).isCloseTo(100, within(1e-6));
			assertThat(edge.evidence().partial()).isFalse();
		});
	}

	@Test
	void endsThatDisagreeArePartialEvidence() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("caller", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 500, null)));
		window.add("called", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.SERVER, 1000, null)));
		Edge edge = traffic(window, 100).edges().get(0);
		assertThat(edge.callsPerSecond()).isCloseTo(10, within(1e-9));
		assertThat(edge.evidence().partial()).isTrue();
		assertThat(edge.evidence().note()).contains("callers counted 5.00 calls/s, the called 10.0");
	}

	@Test
	void replicasAddUp() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 1000, null)));
		window.add("other", 100 * SECOND, Duration.ofSeconds(50), List.of(count(Side.CLIENT, 1000, null)));
		assertThat(traffic(window, 100).edges().get(0).callsPerSecond()).isCloseTo(30, within(1e-9));
	}

	@Test
	void littleEvidenceIsNamedAndLeftOut() {
		RateWindow window = new RateWindow(LONG, 100);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 99, null)));
		Traffic traffic = traffic(window, 100);
		assertThat(traffic.edges()).isEmpty();
		assertThat(traffic.notSeen()).singleElement().asString().contains("'a' -> 'b': 99 calls in 100 s");
	}

	@Test
	void silentInstancesAreLeftOutAndNamed() {
		RateWindow window = new RateWindow(Duration.ofSeconds(100), 0);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 1000, null)));
		Traffic traffic = window.traffic("test", 200 * SECOND, Duration.ofSeconds(30), (name) -> name);
		assertThat(traffic.notSeen()).singleElement().asString().contains("'one' has not answered for 100 s");
		assertThat(traffic.edges()).isEmpty();
	}

	@Test
	void bytesOfSomeCallsStandForAll() {
		RateWindow window = new RateWindow(LONG, 0);
		window.add("one", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 100, 1000.0)));
		window.add("other", 100 * SECOND, Duration.ofSeconds(100), List.of(count(Side.CLIENT, 300, null)));
		Edge edge = traffic(window, 100).edges().get(0);
		assertThat(edge.bytesPerCall()).isCloseTo(10, within(1e-6));
		assertThat(edge.evidence().note()).contains("bytes of 25 % of the calls");
	}

}
