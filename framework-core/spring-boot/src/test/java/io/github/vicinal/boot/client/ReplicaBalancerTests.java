package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.Replica;
import io.github.vicinal.replica.ReplicaReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Replicas of a balancer from the lists of instances of a load balancer. */
@Timeout(60)
class ReplicaBalancerTests {

	private static final String ONE = "198.51.100.1:80";

	private static final String OTHER = "198.51.100.2:80";

	private final Channel channel = new Channel(
			new ChannelSettings("baskets", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false),
			ExchangeContractReader.contract(Baskets.class), List.of(), Runnable::run, Clock.systemUTC());

	private final ReplicaBalancer balancer = ReplicaBalancer.within(CallTargets.FIXED,
			new ReplicaLocator(this.channel, () -> null, "z1", Runnable::run), new ReplicaSelection.Holder());

	@Test
	void aListThatCameLaterIsNotOvertakenByAnEarlierOne() throws Exception {
		CountDownLatch taken = new CountDownLatch(1);
		CountDownLatch mayGoOn = new CountDownLatch(1);
		Map<String, String> slow = new AbstractMap<>() {

			@Override
			public Set<Entry<String, String>> entrySet() {
				taken.countDown();
				try {
					mayGoOn.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				return Set.of();
			}

		};
		Thread earlier = new Thread(() -> this.balancer.choose(List.of(ONE, OTHER), slow));
		earlier.start();
		assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
		Thread later = new Thread(() -> this.balancer.choose(List.of(ONE), Map.of()));
		later.start();
		await().until(() -> later.getState() == Thread.State.BLOCKED || !later.isAlive());
		mayGoOn.countDown();
		earlier.join();
		later.join();
		this.balancer.choose(List.of(ONE), Map.of());
		assertThat(this.balancer.report()).extracting(ReplicaReport::address).containsExactly(ONE);
	}

	/** Two calls at a time: the second one takes the turn that the first one needs. */
	@Test
	void inTurnsACallGoesOnAtEachOtherReplicaOnce() {
		List<URI> instances = List.of(URI.create("http://" + ONE), URI.create("http://" + OTHER),
				URI.create("http://198.51.100.3:80"));
		ReplicaBalancer turns = ReplicaBalancer.among(instances,
				new ReplicaLocator(this.channel, () -> null, null, Runnable::run), false,
				new ReplicaSelection.Holder());
		for (int others = 0; others < instances.size(); others++) {
			List<Replica> met = new ArrayList<>();
			for (int i = 0; i < instances.size(); i++) {
				met.add(turns.begin(List.copyOf(met)).replica());
				for (int j = 0; j < others; j++) {
					turns.begin(List.of());
				}
			}
			assertThat(met).doesNotHaveDuplicates();
		}
	}

	@Test
	void aZoneThatChangesIsNoticed() {
		this.balancer.choose(List.of(ONE), Map.of(ONE, "z2"));
		assertThat(this.balancer.report().get(0).locality()).isEqualTo(Locality.ANY);
		this.balancer.choose(List.of(ONE), Map.of(ONE, "z1"));
		assertThat(this.balancer.report().get(0).locality()).isEqualTo(Locality.ZONE);
	}

}
