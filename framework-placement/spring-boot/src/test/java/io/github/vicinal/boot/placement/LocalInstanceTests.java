package io.github.vicinal.boot.placement;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.placement.sources.InstanceReport;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.support.StaticApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

class LocalInstanceTests {

	private static LocalInstance instance(@Nullable MeterRegistry meters) {
		return new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "", () -> null, () -> null,
				() -> meters, (names) -> Map.of(), () -> List.of("/actuator"));
	}

	private static void ready(LocalInstance instance) {
		instance.onApplicationEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
				new StaticApplicationContext(), Duration.ZERO));
	}

	/** Calls over a time that begins with the JVM would be too few after a restart. */
	@Test
	void theTimeOfTheStartCountsForNothing() {
		LocalInstance instance = instance(new SimpleMeterRegistry());
		InstanceReport before = instance.report();
		ready(instance);
		InstanceReport after = instance.report();
		assertThat(before.uptimeSeconds()).isPositive();
		assertThat(after.uptimeSeconds()).isNotNegative().isLessThan(before.uptimeSeconds());
		assertThat(after.cpuSeconds()).isNotNegative().isLessThan(before.cpuSeconds());
	}

	@Test
	void callsOfTheStartKeepTheirTime() {
		MeterRegistry meters = new SimpleMeterRegistry();
		meters.timer("http.client.requests", "client.name", "stock").record(Duration.ofMillis(1));
		LocalInstance instance = instance(meters);
		InstanceReport before = instance.report();
		ready(instance);
		assertThat(before.outgoing()).hasSize(1);
		assertThat(instance.report().uptimeSeconds()).isGreaterThanOrEqualTo(before.uptimeSeconds());
	}

	/** Each user has a rendezvous directory, and often each container. */
	@Test
	void instancesOfOneKernelAreOnOneHost() {
		PeerIdentity one = PeerIdentity.create("0".repeat(32));
		PeerIdentity other = PeerIdentity.create("1".repeat(32));
		PeerIdentity alone = PeerIdentity.create(PeerIdentity.NO_HOST);
		String boot = "c523ed66-451b-4085-83eb-7ee42fdbb525";
		assertThat(List.of(LocalHost.name(boot, one), LocalHost.name(boot, other), LocalHost.name(boot, alone)))
			.containsOnly("host-c523ed66");
		assertThat(LocalHost.name("", one)).isEqualTo("host-00000000");
		assertThat(LocalHost.name("", alone)).isEqualTo("host-" + alone.instanceId().substring(0, 8));
	}

	/** The process id of most containers is 1. */
	@Test
	void containersOfOneHostAreNotOneProcess() {
		String name = LocalProcess.name(1, "/4026532001", 1_700_000_000_000L, "a");
		assertThat(LocalProcess.name(1, "/4026532001", 1_700_000_000_000L, "a")).isEqualTo(name);
		assertThat(LocalProcess.name(1, "/4026532002", 1_700_000_000_000L, "a")).isNotEqualTo(name);
		assertThat(LocalProcess.name(1, "/4026532001", 1_700_000_000_001L, "a")).isNotEqualTo(name);
		assertThat(LocalProcess.name(1, "/4026532001", 1_700_000_000_000L, "b")).isNotEqualTo(name);
		String here = instance(null).report().process();
		assertThat(here).matches(Files.exists(Path.of("/proc/self/ns/pid")) ? "[0-9]+/[0-9]+:[0-9]+@a" : ".+@a");
		assertThat(instance(null).report().process()).as("another application of this JVM").isEqualTo(here);
	}

	/** Probes and scrapes are no calls of a caller that should report. */
	@Test
	void callsOfTheActuatorDoNotCountWhereverItIs() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		record(meters.timer("http.server.requests", "uri", "/manage"), 9);
		record(meters.timer("http.server.requests", "uri", "/manage/health/**"), 9);
		record(meters.timer("http.server.requests", "uri", "/management/{id}"), 2);
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, () -> null, () -> meters, (names) -> Map.of(), () -> List.of("/manage"));
		assertThat(instance.report().incomingCalls()).isEqualTo(2);
		assertThat(instance.report().incomingSeconds()).isCloseTo(0.002, within(1e-9));
	}

	private static ChannelReport exchanges(PeerReport... peers) {
		return new ChannelReport("exchanges", "", "", null, List.of(), Map.of(), List.of(), List.of(peers), List.of());
	}

	private static PeerReport peer(String address, String instance, long calls, long bytes) {
		return new PeerReport(address, instance, "shm", "", null,
				List.of(new PathReport("shm", "in use", "", calls, 0, 1, 1, bytes, null, Map.of())), List.of());
	}

	/** Channels forget peers that nobody calls any more; meters forget nothing. */
	@Test
	void callsToAForgottenPeerAreNoOthers() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		Timer timer = meters.timer("http.client.requests", "client.name", "stock");
		AtomicReference<ChannelReport> report = new AtomicReference<>(exchanges(peer("stock:1", "i", 50, 5000)));
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, report::get, () -> meters, (names) -> Map.of(), () -> List.of("/actuator"));
		record(timer, 50);
		assertThat(calls(instance)).isEqualTo(Map.of("stock:1", 50.0));
		report.set(exchanges());
		assertThat(calls(instance)).isEmpty();
		record(timer, 7);
		assertThat(calls(instance)).isEqualTo(Map.of("stock", 7.0));
		report.set(exchanges(peer("stock:1", "j", 3, 300)));
		record(timer, 3);
		assertThat(calls(instance)).isEqualTo(Map.of("stock:1", 3.0, "stock", 7.0));
	}

	/**
	 * A load balancer's name and the addresses behind it, beside calls that no channel
	 * has; instances come and go.
	 */
	@Test
	void callsThroughALoadBalancerAreNoOthers() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		Timer stock = meters.timer("http.client.requests", "client.name", "stock");
		Timer direct = meters.timer("http.client.requests", "client.name", "10.0.0.1");
		Timer third = meters.timer("http.client.requests", "client.name", "api.example");
		AtomicReference<ChannelReport> report = new AtomicReference<>();
		AtomicReference<Set<String>> instances = new AtomicReference<>(Set.of("10.0.0.1:80", "10.0.0.2:80"));
		List<String> asked = new ArrayList<>();
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, report::get, () -> meters, (names) -> {
					asked.addAll(names);
					return Map.of("stock", instances.get());
				}, () -> List.of("/actuator"));
		record(third, 4);
		assertThat(calls(instance)).isEqualTo(Map.of("api.example", 4.0));
		assertThat(calls(instance)).isEqualTo(Map.of("api.example", 4.0));
		assertThat(asked).as("asked without need").containsExactly("api.example");
		record(stock, 50);
		record(direct, 10);
		report.set(exchanges(peer("10.0.0.1:80", "i", 30, 0), peer("10.0.0.2:80", "j", 25, 0)));
		assertThat(calls(instance))
			.isEqualTo(Map.of("10.0.0.1:80", 30.0, "10.0.0.2:80", 25.0, "stock", 5.0, "api.example", 4.0));
		instances.set(Set.of("10.0.0.3:80"));
		record(stock, 20);
		report.set(exchanges(peer("10.0.0.3:80", "k", 20, 0)));
		assertThat(calls(instance)).isEqualTo(Map.of("10.0.0.3:80", 20.0, "stock", 5.0, "api.example", 4.0));
	}

	/** As on a developer's machine: all addresses are those of one host. */
	@Test
	void callsByNameAndByAddressOfOneHostAreNoOthers() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		record(meters.timer("http.client.requests", "client.name", "localhost"), 30);
		record(meters.timer("http.client.requests", "client.name", "stock"), 40);
		record(meters.timer("http.client.requests", "client.name", "mail"), 20);
		ChannelReport report = exchanges(peer("localhost:1", "i", 30, 0), peer("localhost:2", "j", 20, 0),
				peer("localhost:3", "k", 20, 0), peer("localhost:9", "", 20, 0));
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, () -> report, () -> meters,
				(names) -> Map.of("stock", Set.of("localhost:1", "localhost:2"), "mail", Set.of("localhost:3")),
				() -> List.of("/actuator"));
		assertThat(calls(instance))
			.isEqualTo(Map.of("localhost:1", 30.0, "localhost:2", 20.0, "localhost:3", 20.0, "localhost:9", 20.0));
	}

	/** Calls without a channel have the address of an instance, which does not change. */
	@Test
	void callsThroughALoadBalancerAloneSayAnAddress() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		Timer warehouse = meters.timer("http.client.requests", "client.name", "warehouse");
		AtomicReference<Set<String>> instances = new AtomicReference<>(Set.of("10.0.0.1:80", "10.0.0.2:80"));
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, () -> null, () -> meters, (names) -> Map.of("warehouse", instances.get()),
				() -> List.of("/actuator"));
		record(warehouse, 4);
		assertThat(instance.report().outgoing()).extracting(Outgoing::target, Outgoing::address, Outgoing::calls)
			.containsExactly(tuple("warehouse", "10.0.0.1:80", 4.0));
		instances.set(Set.of("10.0.0.0:80"));
		record(warehouse, 4);
		assertThat(instance.report().outgoing()).extracting(Outgoing::target, Outgoing::address, Outgoing::calls)
			.containsExactly(tuple("warehouse", "10.0.0.1:80", 8.0));
	}

	/** A path that is opened again, as after a restart of the peer, counts bytes anew. */
	@Test
	void bytesOfAPathThatIsOpenedAgainAddUp() {
		AtomicReference<ChannelReport> report = new AtomicReference<>(exchanges(peer("stock:1", "i", 50, 5000)));
		LocalInstance instance = new LocalInstance("shop", PeerIdentity.create(PeerIdentity.NO_HOST), "a", "",
				() -> null, report::get, () -> null, (names) -> Map.of(), () -> List.of("/actuator"));
		assertThat(instance.report().outgoing()).hasSize(1);
		report.set(exchanges(peer("stock:1", "j", 60, 1000)));
		assertThat(instance.report().outgoing()).singleElement().satisfies((outgoing) -> {
			assertThat(outgoing.calls()).isEqualTo(60);
			assertThat(outgoing.bytes()).isEqualTo(6000);
		});
	}

	private static void record(Timer timer, int calls) {
		for (int i = 0; i < calls; i++) {
			timer.record(Duration.ofMillis(1));
		}
	}

	private static Map<String, Double> calls(LocalInstance instance) {
		return instance.report()
			.outgoing()
			.stream()
			.collect(Collectors.toMap((one) -> one.path().equals("http") ? one.target() : one.address(),
					Outgoing::calls));
	}

}
