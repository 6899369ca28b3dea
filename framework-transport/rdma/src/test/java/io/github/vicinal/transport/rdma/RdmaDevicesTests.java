package io.github.vicinal.transport.rdma;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Reasons why RDMA cannot be used, and where they are looked for. */
class RdmaDevicesTests {

	private static final long CONNECTION = 2_101_248;

	@TempDir
	Path root;

	private void write(String file, String text) throws Exception {
		Path path = this.root.resolve(file);
		Files.createDirectories(path.getParent());
		Files.writeString(path, text);
	}

	private void device() throws Exception {
		write("sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "v0\n");
		write("dev/infiniband/rdma_cm", "");
	}

	private String missing() {
		return String.valueOf(new RdmaHost(this.root).missing(CONNECTION));
	}

	@Test
	void aHostWithoutADeviceIsNamed() throws Exception {
		assertThat(missing()).isEqualTo("this host has no RDMA device: there is no /sys/class/infiniband");
		Files.createDirectories(this.root.resolve("sys/class/infiniband"));
		assertThat(missing()).isEqualTo("this host has no RDMA device: nothing is in /sys/class/infiniband");
	}

	@Test
	void aContainerWithoutTheConnectionManagerIsNamed() throws Exception {
		device();
		Files.delete(this.root.resolve("dev/infiniband/rdma_cm"));
		assertThat(missing()).startsWith("there is no /dev/infiniband/rdma_cm").contains("rdma_ucm", "container");
	}

	@Test
	void aLimitOfLockedMemoryIsNamedUnlessItDoesNotApply() throws Exception {
		device();
		write("proc/self/limits",
				"Limit  Soft Limit  Hard Limit  Units\nMax locked memory         65536   65536   bytes\n");
		write("proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
		assertThat(missing())
			.isEqualTo("the process may lock 64 KB of memory, but one connection locks 2052 KB: raise the "
					+ "limit (ulimit -l, or LimitMEMLOCK of systemd), or lower vicinal.rdma.ring-size");
		write("proc/self/status", "Name:\tjava\nCapEff:\t000001ffffffffff\n");
		assertThat(missing()).isEqualTo("null");
		write("proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
		write("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");
		assertThat(missing()).isEqualTo("null");
	}

	@Test
	void interfacesAndKindsOfDevicesAreRead() throws Exception {
		device();
		RdmaHost host = new RdmaHost(this.root);
		assertThat(host.interfaces()).containsExactly("v0");
		assertThat(host.isHardware()).isFalse();
		write("sys/class/infiniband/rxe0/device/vendor", "0x15b3");
		assertThat(host.isHardware()).isTrue();
	}

	@Test
	void theAddressToListenOnIsChosenOrTheChoiceIsExplained() throws Exception {
		InetAddress one = InetAddress.getByName("10.0.0.1");
		InetAddress two = InetAddress.getByName("10.0.1.1");
		Map<String, List<InetAddress>> several = Map.of("ib0", List.of(one), "ib1", List.of(two));
		assertThat(RdmaDevices.address("", Map.of("ib0", List.of(one)))).isEqualTo("10.0.0.1");
		assertThat(RdmaDevices.address("10.0.1.1", several)).isEqualTo("10.0.1.1");
		assertThat(RdmaDevices.address("", several)).isEmpty();
		assertThat(RdmaDevices.noAddress("", several)).isEqualTo("the RDMA interfaces have several IPv4 addresses; set "
				+ "vicinal.rdma.address to one of these: 10.0.0.1 (ib0), 10.0.1.1 (ib1)");
		assertThat(RdmaDevices.address("10.0.0.9", several)).isEmpty();
		assertThat(RdmaDevices.noAddress("10.0.0.9", several))
			.startsWith("the address 10.0.0.9 is not on an RDMA " + "interface");
		assertThat(RdmaDevices.noAddress("", Map.of())).startsWith("no RDMA interface has an IPv4 address");
	}

	@Test
	void aHostIsLookedAtOnceAndOnlyWhenItIsAsked() {
		AtomicInteger looks = new AtomicInteger();
		RdmaDevices devices = new RdmaDevices(() -> {
			looks.incrementAndGet();
			return new RdmaSupport.Unavailable("none");
		});
		assertThat(looks).hasValue(0);
		assertThat(devices.support()).isEqualTo(new RdmaSupport.Unavailable("none"));
		assertThat(devices.support()).isEqualTo(new RdmaSupport.Unavailable("none"));
		assertThat(devices.name()).isEmpty();
		assertThat(looks).hasValue(1);
	}

	@Test
	void anAdaptiveThreadSleepsSoonerIfPollingFindsNothing() {
		IdleRule rule = new IdleRule(CompletionMode.ADAPTIVE, 8);
		long now = 0;
		assertThat(rule.staysAwake(now)).isTrue();
		assertThat(rule.staysAwake(now + 100_000)).isFalse();
		now += 1_000_000;
		assertThat(rule.staysAwake(now)).isTrue();
		// Three times 20 µs the first time, half of it now.
		assertThat(rule.staysAwake(now + 40_000)).isFalse();
		assertThat(new IdleRule(CompletionMode.ADAPTIVE, 2).staysAwake(now)).isFalse();
		assertThat(new IdleRule(CompletionMode.EVENT, 8).staysAwake(now)).isFalse();
		IdleRule polls = new IdleRule(CompletionMode.POLL, 1);
		assertThat(polls.staysAwake(now)).isTrue();
		assertThat(polls.staysAwake(now + Duration.ofHours(1).toNanos())).isTrue();
	}

}
