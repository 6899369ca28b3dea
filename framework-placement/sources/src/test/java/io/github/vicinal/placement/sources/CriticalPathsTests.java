package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.placement.model.Route;
import io.github.vicinal.placement.source.Traffic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Critical paths of traces whose structure is known. */
class CriticalPathsTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final String SPAN = """
			{"traceId":"%s","id":"%s","parentId":"%s","kind":"%s","name":"%s","timestamp":%d,"duration":%d,
			 "localEndpoint":{"serviceName":"%s"}}""";

	@TempDir
	private Path directory = Path.of("");

	private final List<String> spans = new ArrayList<>();

	private int trace;

	private void begin() {
		this.trace++;
	}

	private void span(String id, String parent, String kind, String service, long start, long duration) {
		String root = parent.isEmpty() ? "post /orders" : "";
		this.spans.add(SPAN
			.formatted(this.trace, id, parent, kind, root, 1_000_000 + 1000L * this.trace + start, duration, service)
			.replace("\"parentId\":\"\",", ""));
	}

	/** A call, in the caller's time and in the time of a machine whose clock is off. */
	private void call(String id, String parent, String from, String to, long start, long duration) {
		span(id, parent, "CLIENT", from, start, duration);
		span(id + "s", id, "SERVER", to, start - 500_000, Math.max(1, duration - 10));
	}

	private Traffic observe(double sampled) throws IOException {
		Path file = Files.writeString(this.directory.resolve("zipkin.json"),
				"[[" + String.join(",", this.spans) + "]]");
		return ZipkinSource.file(file, MINUTE, 1).sampled(sampled).observe();
	}

	/** Stock is asked beside pay, which takes longer; mail goes on after the answer. */
	@Test
	void onlyWhatIsWaitedForCounts() throws IOException {
		for (int i = 0; i < 200; i++) {
			begin();
			span("r", "", "SERVER", "shop", 0, 10_000 + i);
			call("c1", "r", "shop", "cart", 100, 2000);
			call("c2", "r", "shop", "stock", 2200, 1000);
			call("c3", "r", "shop", "pay", 2200, 5000);
			call("c4", "r", "shop", "mail", 7300, 60_000);
			span("i", "r", "", "shop", 7300, 1000);
			call("c5", "i", "shop", "cart", 7400, 900);
		}
		Traffic traffic = observe(0.5);
		assertThat(traffic.routes()).singleElement().satisfies((route) -> {
			assertThat(route.name()).isEqualTo("shop post /orders");
			assertThat(route.callsPerSecond()).isCloseTo(200 / 60.0 / 0.5, within(1e-9));
			assertThat(route.p99Micros()).isEqualTo(10_197);
			assertThat(route.criticalPath()).containsExactlyInAnyOrder(new Route.Hop("shop", "cart", 2),
					new Route.Hop("shop", "pay", 1));
			assertThat(route.evidence().partial()).isFalse();
		});
	}

	/** The time of what the called service asks for is waited for, too. */
	@Test
	void callsOfCalledServicesAreFollowed() throws IOException {
		begin();
		span("r", "", "SERVER", "shop", 0, 10_000);
		call("c1", "r", "shop", "orders", 100, 9000);
		// The children of a server are in the time of its own machine.
		span("c2", "c1s", "CLIENT", "orders", -499_800, 2000);
		span("c2", "c1s", "SERVER", "db", -499_700, 1500);
		assertThat(observe(1).routes()).singleElement()
			.satisfies((route) -> assertThat(route.criticalPath()).containsExactly(new Route.Hop("shop", "orders", 1),
					new Route.Hop("orders", "db", 1)))
			.satisfies((route) -> assertThat(route.p99Micros()).isNull());
	}

	/** A gateway takes part in traces, and reports no spans. */
	@Test
	void aRequestOfACallerThatDoesNotReportIsOne() throws IOException {
		begin();
		span("r", "gateway", "SERVER", "shop", 0, 10_000);
		call("c1", "r", "shop", "cart", 100, 2000);
		assertThat(observe(1).routes()).singleElement()
			.satisfies((route) -> assertThat(route.criticalPath()).containsExactly(new Route.Hop("shop", "cart", 1)));
		// A call whose client span is missing is no request of its own.
		begin();
		span("r", "", "SERVER", "shop", 0, 10_000);
		call("c1", "r", "shop", "cart", 100, 2000);
		span("m", "missing", "SERVER", "mail", 0, 10_000);
		call("c2", "m", "mail", "cart", 100, 2000);
		// Of two nobody knows which one is the request.
		begin();
		span("r", "gateway", "SERVER", "shop", 0, 10_000);
		call("c1", "r", "shop", "cart", 100, 2000);
		span("m", "missing", "SERVER", "mail", 0, 10_000);
		call("c2", "m", "mail", "cart", 100, 2000);
		assertThat(observe(1).routes()).extracting(Route::name).containsExactlyInAnyOrder("shop", "shop post /orders");
	}

	@Test
	void spansThatGoInCirclesEnd() throws IOException {
		begin();
		span("r", "", "SERVER", "shop", 0, 10_000);
		span("a", "b", "CLIENT", "shop", 0, 10);
		span("b", "a", "CLIENT", "shop", 0, 10);
		span("x", "r", "CLIENT", "shop", 0, 10);
		span("r", "x", "SERVER", "stock", 0, 10);
		assertThat(observe(1).routes()).singleElement()
			.satisfies((route) -> assertThat(route.criticalPath()).containsExactly(new Route.Hop("shop", "stock", 1)));
	}

	@Test
	void seriesWithoutTimesAreNamed() throws IOException {
		begin();
		span("r", "", "SERVER", "shop", 0, 10_000);
		call("c1", "r", "shop", "orders", 100, 9000);
		this.spans.replaceAll((span) -> span.replaceAll("\"timestamp\":[0-9]*", "\"timestamp\":-1"));
		Traffic traffic = observe(1);
		assertThat(traffic.edges()).hasSize(1);
		assertThat(traffic.routes()).isEmpty();
		assertThat(traffic.notSeen()).anySatisfy((line) -> assertThat(line).contains("traces without times: 1"));
	}

}
