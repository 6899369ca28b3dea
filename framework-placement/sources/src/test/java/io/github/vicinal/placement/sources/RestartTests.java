package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Calls to and from an instance that restarts count once, and stay known. */
class RestartTests {

	private static final long SECOND = 1_000_000_000L;

	private static final int MINIMUM_CALLS = 100;

	private static Cluster cluster() {
		return new Cluster(Duration.ofMinutes(10), Duration.ofSeconds(42), MINIMUM_CALLS);
	}

	private static InstanceReport report(String service, String instance, double uptime, double incoming,
			Outgoing... outgoing) {
		return new InstanceReport(service, instance, instance, "h-" + service, "", 4, 8192, uptime, 1, 100, incoming, 0,
				List.of(outgoing));
	}

	private static Outgoing to(String address, String instance, double calls) {
		return new Outgoing("stock-client", address, instance, "shm", calls, null, null);
	}

	private static void assertRate(Cluster cluster, double t, String from, double perSecond) {
		Traffic traffic = cluster.traffic(Math.round(t * SECOND));
		assertThat(traffic.edges()).as("after %.1f s: %s", t, traffic.notSeen())
			.filteredOn((edge) -> edge.from().equals(from))
			.singleElement()
			.satisfies((edge) -> {
				assertThat(edge.to()).isEqualTo("stock");
				assertThat(rate(edge)).as("after %.1f s", t).isCloseTo(perSecond, within(0.05 * perSecond));
			});
		assertThat(traffic.notSeen()).as("after %.1f s", t).noneMatch((line) -> line.contains("do not report"));
	}

	private static double rate(Edge edge) {
		return Objects.requireNonNull(edge.callsPerSecond());
	}

	/** A caller goes on counting by address when the instance there is another one. */
	@ParameterizedTest
	@ValueSource(strings = { "stock:1", "stock.shop.svc:80" })
	void callsToARestartedInstanceCountOnce(String address) {
		Cluster cluster = cluster();
		for (int t = 0; t <= 200; t += 5) {
			long now = t * SECOND;
			boolean restarted = t > 60;
			cluster.add(report("shop", "s", 1000 + t, 0, to(address, restarted ? "t2" : "t1", 4000 + 40.0 * t)),
					"shop:1", now);
			if (!restarted) {
				cluster.add(report("stock", "t1", 500 + t, 40.0 * t), "stock:1", now);
			}
			else if (t > 65) {
				cluster.add(report("stock", "t2", t - 65, 40.0 * (t - 65)), "stock:1", now);
			}
			if (t >= 10) {
				assertRate(cluster, t, "shop", 40);
			}
		}
	}

	/** Until a peer has said what it is, calls go to a nameless one at its address. */
	@Test
	void callsBeforeAPeerSaysItsIdCountOnce() {
		Cluster cluster = cluster();
		for (int t = 0; t <= 60; t += 5) {
			long now = t * SECOND;
			cluster.add(report("shop", "s", 1000 + t, 0, to("stock.shop.svc:80", (t < 30) ? "" : "t", 40.0 * t)),
					"shop:1", now);
			cluster.add(report("stock", "t", 500 + t, 40.0 * t), "stock:1", now);
			if (t >= 30) {
				assertRate(cluster, t, "shop", 40);
			}
		}
	}

	/** One address may be that of a load balancer: each answer comes from another one. */
	@Test
	void instancesBehindOneAddressAreNoRestarts() {
		Cluster cluster = cluster();
		for (int t = 0; t <= 120; t += 5) {
			boolean odd = t % 2 == 1;
			cluster.add(report("shop", odd ? "s1" : "s2", 1000 + t, 0, to("stock:1", odd ? "t1" : "t2", 20.0 * t)),
					"shop:1", t * SECOND);
			cluster.add(report("stock", odd ? "t2" : "t1", 1000 + t, 20.0 * t), "stock:1", t * SECOND);
			if (t >= 40) {
				assertRate(cluster, t, "shop", 40);
			}
		}
		assertThat(cluster.current().total("shop")).isEqualTo(2);
	}

	/** Before the first hundred calls of the new life, those of the old one are known. */
	@ParameterizedTest
	@ValueSource(strings = { "shop:1", "shop:2" })
	void callsOfARestartedInstanceStayKnown(String address) {
		Cluster cluster = cluster();
		for (int t = 0; t <= 120; t++) {
			long now = t * SECOND;
			if (t <= 60) {
				cluster.add(report("shop", "s1", 100 + t, 0, to("stock:1", "t", 10.0 * t)), "shop:1", now);
			}
			else if (t > 70) {
				cluster.add(report("shop", "s2", t - 70, 0, to("stock:1", "t", 10.0 * (t - 70))), address, now);
			}
			cluster.add(report("stock", "t", 500 + t, 10.0 * Math.min(t, 60) + 10.0 * Math.max(0, t - 70)), "stock:1",
					now);
			if (t >= 20) {
				assertRateOnly(cluster, t, "shop", 10);
			}
		}
	}

	private static void assertRateOnly(Cluster cluster, int t, String from, double perSecond) {
		Traffic traffic = cluster.traffic(t * SECOND);
		assertThat(traffic.edges()).as("after %d s: %s", t, traffic.notSeen())
			.filteredOn((edge) -> edge.from().equals(from))
			.singleElement()
			.satisfies((edge) -> assertThat(rate(edge)).as("after %d s", t)
				.isCloseTo(perSecond, within(0.05 * perSecond)));
	}

	/** The new instance takes over half of the load, then all of it. */
	@Test
	void aRollingDeployUnderLoadCountsNoCallTwice() {
		Cluster cluster = cluster();
		for (int t = 0; t <= 200; t += 5) {
			long now = t * SECOND;
			double shared = Math.max(0, Math.min(t, 80) - 60);
			if (t <= 80) {
				cluster.add(report("shop", "s1", 900 + t, 0, to("stock:1", "t", 40.0 * Math.min(t, 60) + 20 * shared)),
						"shop:1", now);
			}
			if (t > 60) {
				cluster.add(
						report("shop", "s2", t - 60, 0, to("stock:1", "t", 20 * shared + 40.0 * Math.max(0, t - 80))),
						"shop:2", now);
			}
			cluster.add(report("stock", "t", 500 + t, 40.0 * t), "stock:1", now);
			if (t >= 10) {
				assertRate(cluster, t, "shop", 40);
			}
		}
	}

	/**
	 * Two services call a third; one of the three is restarted again and again, at the
	 * same address or at another one. What callers call the third is not its name.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
	void edgesStayWithinFivePercentOfTheDrivenRates(long seed) {
		Random random = new Random(seed);
		String restarting = List.of("shop", "desk", "stock").get(random.nextInt(3));
		boolean sameAddress = random.nextBoolean();
		boolean known = random.nextBoolean();
		double interval = 1 + 6 * random.nextDouble();
		Cluster cluster = cluster();
		int life = 0;
		double begun = -1000;
		double ends = 20 + 40 * random.nextDouble();
		double up = ends + 1 + 15 * random.nextDouble();
		for (double t = 0; t <= 300; t += interval) {
			while (t >= up) {
				life++;
				begun = up;
				ends = up + 20 + 40 * random.nextDouble();
				up = ends + 1 + 15 * random.nextDouble();
			}
			List<String> order = new ArrayList<>(List.of("shop", "desk", "stock"));
			Collections.shuffle(order, random);
			for (String service : order) {
				boolean restarts = service.equals(restarting);
				if (restarts && t >= ends) {
					continue;
				}
				int number = restarts ? life : 0;
				double since = restarts ? begun : -500;
				double counting = Math.min(t, t - since);
				String called = "stock-" + (restarting.equals("stock") ? life : 0);
				double perSecond = service.equals("shop") ? 20 : 80;
				Outgoing[] outgoing = service.equals("stock") ? new Outgoing[0]
						: new Outgoing[] {
								to(known ? "stock:" + ((sameAddress || !restarting.equals("stock")) ? 0 : life)
										: "stock.shop.svc:80", called, perSecond * counting) };
				cluster.add(report(service, service + "-" + number, t - since,
						service.equals("stock") ? 100 * counting : 0, outgoing),
						service + ":" + (sameAddress ? 0 : number), Math.round(t * SECOND));
			}
			if (t >= 20) {
				assertThat(cluster.traffic(Math.round(t * SECOND)).edges()).as("after %.1f s", t).hasSize(2);
				for (String service : List.of("shop", "desk")) {
					assertRateOf(cluster, t, service, service.equals("shop") ? 20 : 80);
				}
			}
		}
	}

	private static void assertRateOf(Cluster cluster, double t, String from, double perSecond) {
		Traffic traffic = cluster.traffic(Math.round(t * SECOND));
		assertThat(traffic.edges()).as("after %.1f s: %s", t, traffic.notSeen())
			.filteredOn((edge) -> edge.from().equals(from))
			.singleElement()
			.satisfies((edge) -> {
				assertThat(edge.to()).isEqualTo("stock");
				assertThat(rate(edge)).as("after %.1f s", t).isCloseTo(perSecond, within(0.05 * perSecond));
			});
	}

}
