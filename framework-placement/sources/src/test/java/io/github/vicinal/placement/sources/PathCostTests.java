package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.List;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Costs of calls, from the reports of callers and the called. */
class PathCostTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static final PathCost NEAR = PathCosts.defaults().sameHost();

	private static final PathCost FAR = PathCosts.defaults().otherHost();

	private final Cluster cluster = new Cluster(LONG, LONG, 100);

	/** An instance that served 1,000 calls, with so much time for each. */
	private void serves(String name, String host, double servedMicros, Outgoing... outgoing) {
		this.cluster.add(new InstanceReport(name, name, name, host, "", 4, 8192, 100, 50, 400, 1000,
				servedMicros * 1000 / 1e6, List.of(outgoing)), name + ":80", 0);
	}

	private static Outgoing calls(String to, String path, double calls, double micros) {
		return calls(to, path, calls, micros, 0, null);
	}

	private static Outgoing calls(String to, String path, double calls, double micros, double bytesPerCall,
			@Nullable Double nanosPerByte) {
		return new Outgoing(to, to + ":80", "", path, calls, calls * bytesPerCall,
				new Outgoing.Cost(1000 * micros, (nanosPerByte != null) ? nanosPerByte : 0, 20_000.0));
	}

	@Test
	void aPathTakesWhatIsNotTheServices() {
		serves("shop", "a", 1, calls("stock", "shm", 2000, 130), calls("orders", "http", 1000, 400));
		serves("stock", "a", 100);
		serves("orders", "b", 200);
		ObservedCosts observed = this.cluster.pathCosts();
		PathCost near = observed.costs().sameHost();
		assertThat(near.path()).isEqualTo("shm");
		assertThat(near.latencyMicros()).isCloseTo(30, within(1e-9));
		assertThat(near.latencyMicrosPerKib()).isZero();
		// 10 % of 100 us are more of 30 us than the default's error.
		assertThat(near.relativeError()).isCloseTo(10 / 30.0, within(1e-9));
		PathCost far = observed.costs().otherHost();
		assertThat(far.path()).isEqualTo("http");
		assertThat(far.latencyMicros()).isCloseTo(200, within(1e-9));
		assertThat(far.relativeError()).isEqualTo(FAR.relativeError());
		assertThat(List.of(near.cpuMicros(), far.cpuMicros())).containsExactly(NEAR.cpuMicros(), FAR.cpuMicros());
		assertThat(observed.notSeen()).singleElement().asString().startsWith("the CPU time of both ends of a call");
		assertThat(observed.paths()).hasSize(2).first().satisfies((path) -> {
			assertThat(path.path() + path.sameHost() + path.calls()).isEqualTo("shmtrue2000.0");
			assertThat(path.latencyMicros()).isCloseTo(30, within(1e-9));
			assertThat(path.servedMicros()).isCloseTo(100, within(1e-9));
			assertThat(path.callerCpuMicros()).isCloseTo(20, within(1e-9));
		});
	}

	@Test
	void pathsOfAHostAreWeightedByTheirCallsAndTheirSpreadIsAnError() {
		serves("shop", "a", 1, calls("stock", "shm", 3000, 20), calls("mail", "uds", 1000, 60));
		serves("stock", "a", 0.001);
		serves("mail", "a", 0.001);
		PathCost near = this.cluster.pathCosts().costs().sameHost();
		assertThat(near.path()).isEqualTo("shm+uds");
		assertThat(near.latencyMicros()).isCloseTo(30, within(0.01));
		assertThat(near.relativeError()).isCloseTo(Math.sqrt(300) / 30, within(0.001));
	}

	/** Calls within a JVM are no measure of what a host costs. */
	@Test
	void directCallsAreThoseOfAJvm() {
		serves("shop", "a", 1, calls("stock", "direct", 3000, 3), calls("mail", "uds", 1000, 60));
		serves("stock", "a", 0.001);
		serves("mail", "a", 0.001);
		PathCosts costs = this.cluster.pathCosts().costs();
		assertThat(costs.sameHost().latencyMicros()).isCloseTo(60, within(0.01));
		assertThat(costs.nearest().path()).isEqualTo("direct");
		assertThat(costs.nearest().latencyMicros()).isCloseTo(3, within(0.01));
		assertThat(this.cluster.pathCosts().paths()).hasSize(2);
	}

	@Test
	void theLineKeepsItsSlope() {
		serves("shop", "a", 1, calls("stock", "uds", 1000, 140, 4096, 2.0));
		serves("stock", "a", 100);
		PathCost near = this.cluster.pathCosts().costs().sameHost();
		assertThat(near.latencyMicrosPerKib()).isCloseTo(2.048, within(1e-9));
		assertThat(near.latency(4096)).isCloseTo(140 + 2 * 4.096 - 100, within(1e-9));
	}

	@Test
	void unmeasuredInputsAreNamedAsDefaults() {
		serves("shop", "a", 1, new Outgoing("stock", "stock:80", "", "shm", 5000, null, null),
				calls("orders", "http", 99, 400), calls("mail", "http", 5000, 1000));
		serves("stock", "a", 100);
		serves("orders", "b", 100);
		ObservedCosts observed = this.cluster.pathCosts();
		assertThat(observed.costs()).isEqualTo(PathCosts.defaults());
		assertThat(observed.notSeen()).satisfiesExactly(
				(line) -> assertThat(line).contains("within a host: nobody measured it", "default stands (uds, 55 us)"),
				(line) -> assertThat(line).contains("between hosts: 99 calls are less than the 100",
						"default stands (http, 147 us)"));
		assertThat(this.cluster.model(Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), 0).notSeen())
			.containsAll(observed.notSeen());
	}

	/** After 400 calls of 200 us a mean still has 4 % of the 300 ms of the first one. */
	@Test
	void firstCallsAreNoCostOfAPath() {
		serves("shop", "a", 1, calls("orders", "http", 400, 13_000));
		serves("orders", "b", 100);
		ObservedCosts observed = this.cluster.pathCosts();
		assertThat(observed.costs()).isEqualTo(PathCosts.defaults());
		assertThat(observed.notSeen()).anySatisfy((line) -> assertThat(line).contains("between hosts: too few",
				"have made 1000 calls", "default stands (http, 147 us)"));
		assertThat(observed.paths()).hasSize(1);
	}

	/** Times of a slow service differ by more than a path takes. */
	@Test
	void slowServicesHideTheirPath() {
		serves("shop", "a", 1, calls("stock", "shm", 5000, 5040));
		serves("stock", "a", 5000);
		ObservedCosts observed = this.cluster.pathCosts();
		assertThat(observed.costs()).isEqualTo(PathCosts.defaults());
		assertThat(observed.notSeen()).first()
			.asString()
			.contains("of 5040 us that they take, services take 5000 us", "not certain enough");
	}

	@Test
	void aServiceThatIsFasterThanItsMeanIsNoPathOfLessThanNothing() {
		serves("shop", "a", 1, calls("stock", "shm", 5000, 40));
		serves("stock", "a", 100);
		assertThat(this.cluster.pathCosts().costs()).isEqualTo(PathCosts.defaults());
	}

	@Test
	void aHostWhosePathsCostMoreThanTheNetworkSavesNothing() {
		serves("shop", "a", 1, calls("stock", "http", 5000, 400, 1000, 1.0), calls("orders", "tcp", 5000, 130));
		serves("stock", "a", 20);
		serves("orders", "b", 10);
		ObservedCosts observed = this.cluster.pathCosts();
		assertThat(observed.costs().sameHost().latency(1024)).isEqualTo(observed.costs().otherHost().latency(1024))
			.isCloseTo(120, within(1e-9));
		assertThat(observed.notSeen()).anySatisfy((line) -> assertThat(line)
			.contains("calls within a host (http) take 381 us", "between hosts (tcp) 120 us", "saves no waiting"));
	}

	@Test
	void withoutTheTimeOfTheServiceNothingIsConcluded() {
		serves("shop", "a", 1, calls("stock", "shm", 5000, 40));
		serves("stock", "a", 0);
		assertThat(this.cluster.pathCosts().paths()).isEmpty();
	}

	@Test
	void theTimeOfServicesIsThatOfTheRecentPast() {
		serves("shop", "a", 1, calls("stock", "shm", 5000, 130));
		serves("stock", "a", 1000);
		long later = 9 * 3_600_000_000_000L;
		this.cluster.add(new InstanceReport("shop", "shop", "shop", "a", "", 4, 8192, 100, 50, 400, 1000, 1,
				List.of(calls("stock", "shm", 5000, 130))), "shop:80", later);
		this.cluster.add(
				new InstanceReport("stock", "stock", "stock", "a", "", 4, 8192, 100, 50, 400, 2000, 1.1, List.of()),
				"stock:80", later);
		assertThat(this.cluster.pathCosts().costs().sameHost().latencyMicros()).isCloseTo(28, within(1.0));
	}

}
