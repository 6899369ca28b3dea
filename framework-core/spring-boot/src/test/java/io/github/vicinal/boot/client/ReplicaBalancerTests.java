package io.github.vicinal.boot.client;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.peer.PathKind;
import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.ReplicaReport;

import static org.assertj.core.api.Assertions.assertThat;

/** What a balancer makes of the lists of instances that a load balancer brings. */
@Timeout(60)
class ReplicaBalancerTests {

	private static final String ONE = "198.51.100.1:80";

	private static final String OTHER = "198.51.100.2:80";

	private static final int ROUNDS = 50_000;

	private final Channel channel = new Channel(
			new ChannelSettings("baskets", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false, true),
			ExchangeContractReader.contract(Baskets.class), List.of(), Runnable::run, Clock.systemUTC());

	private final ReplicaBalancer balancer = ReplicaBalancer.within(CallTargets.FIXED,
			new ReplicaLocator(this.channel, () -> null, "z1", Runnable::run), new ReplicaSelection.Holder());

	@Test
	void theListThatCameLastCountsWhateverThreadsDo() throws Exception {
		CyclicBarrier round = new CyclicBarrier(2);
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try {
			Future<?> both = threads.submit(() -> feed(round, List.of(ONE, OTHER)));
			Future<?> one = threads.submit(() -> feed(round, List.of(ONE)));
			both.get(50, TimeUnit.SECONDS);
			one.get(50, TimeUnit.SECONDS);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/** In each round both threads bring their lists; then the shorter one is true. */
	private Void feed(CyclicBarrier round, List<String> addresses) throws Exception {
		for (int i = 0; i < ROUNDS; i++) {
			round.await(20, TimeUnit.SECONDS);
			this.balancer.choose(addresses, Map.of());
			if (round.await(20, TimeUnit.SECONDS) == 0) {
				this.balancer.choose(List.of(ONE), Map.of());
				assertThat(this.balancer.report()).extracting(ReplicaReport::address).containsExactly(ONE);
			}
		}
		return null;
	}

	@Test
	void aZoneThatChangesIsNoticed() {
		this.balancer.choose(List.of(ONE), Map.of(ONE, "z2"));
		assertThat(this.balancer.report().get(0).locality()).isEqualTo(Locality.ANY);
		this.balancer.choose(List.of(ONE), Map.of(ONE, "z1"));
		assertThat(this.balancer.report().get(0).locality()).isEqualTo(Locality.ZONE);
	}

}
