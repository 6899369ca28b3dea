package io.github.vicinal.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

import io.github.vicinal.testkit.contract.VolumeContract;
import io.github.vicinal.testkit.contract.VolumeContract.Load;
import io.github.vicinal.testkit.contract.VolumeContract.Sum;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many calls, large bodies, and calls within calls.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
abstract class VolumeBehaviours extends Behaviours {

	private static final int TEN_MEGABYTES = 10 * 1024 * 1024;

	@Test
	@DisplayName("ten megabytes of text arrive in both directions")
	void largeText() {
		String text = "0123456789abcdé\n".repeat(TEN_MEGABYTES / 16);
		Load result = sameAnywhere(VolumeContract.class, (client) -> client.reverse(new Load(7, text)))
			.value(Load.class);
		assertThat(result.text().length()).isEqualTo(text.length());
		assertThat(result.number()).isEqualTo(-7);
	}

	@Test
	@DisplayName("ten megabytes of bytes arrive in both directions")
	void largeBytes() {
		byte[] bytes = new byte[TEN_MEGABYTES];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) (i * 31);
		}
		byte[] result = sameAnywhere(VolumeContract.class, (client) -> client.flip(bytes)).value(byte[].class);
		assertThat(result).hasSize(TEN_MEGABYTES);
		assertThat(result[12345]).isEqualTo((byte) ~bytes[12345]);
	}

	@Test
	@DisplayName("a small request may have a large answer, and a large request a small one")
	void lopsided() {
		byte[] large = sameAnywhere(VolumeContract.class, (client) -> client.make(TEN_MEGABYTES)).value(byte[].class);
		assertThat(large).hasSize(TEN_MEGABYTES);
		String text = "x".repeat(TEN_MEGABYTES);
		Sum sum = sameAnywhere(VolumeContract.class, (client) -> client.sum(new Load(1, text))).value(Sum.class);
		assertThat(sum).isEqualTo(sumOf(new Load(1, text)));
	}

	@Test
	@DisplayName("empty bodies and every size around the powers of two arrive whole")
	void everySize() {
		VolumeContract proxy = path(VolumeContract.class);
		same(VolumeContract.class, (client) -> client.make(0));
		for (int size = 1; size <= 1 << 20; size *= 2) {
			for (int difference = -1; difference <= 1; difference++) {
				byte[] bytes = proxy.make(size + difference);
				int length = (bytes != null) ? bytes.length : 0;
				assertThat(length).isEqualTo(size + difference);
				Load load = new Load(size, "y".repeat(size + difference));
				assertThat(proxy.sum(load)).isEqualTo(sumOf(load));
			}
		}
	}

	@Test
	@DisplayName("a list of ten thousand maps arrives")
	void longList() {
		List<?> rows = same(VolumeContract.class, (client) -> client.table(10_000)).value(List.class);
		assertThat(rows).hasSize(10_000);
	}

	@Test
	@DisplayName("ten thousand calls from 64 threads each get their own answer, and each is carried once")
	void concurrentCalls() throws Exception {
		VolumeContract proxy = path(VolumeContract.class);
		int calls = kit().environment().concurrentCalls();
		kit().environment().drainCalls();
		AtomicLong numbers = new AtomicLong();
		runConcurrently(64, () -> {
			long number;
			while ((number = numbers.getAndIncrement()) < calls) {
				Load load = new Load(number, "call " + number + " " + "z".repeat((int) (number % 500)));
				assertThat(proxy.sum(load)).isEqualTo(sumOf(load));
			}
			return true;
		});
		List<CarriedCall> carried = new ArrayList<>(kit().environment().drainCalls());
		assertThat(carried).hasSize(calls);
		String expectedPath = kit().environment().expectedPath();
		assertThat(carried).allSatisfy((call) -> {
			if (!call.path().equals(expectedPath)) {
				assertThat(call.reason()).isNotBlank();
			}
		});
		assertThat(carried.stream().filter((call) -> call.path().equals(expectedPath)).count())
			.isGreaterThan(calls / 2);
	}

	@Test
	@DisplayName("small and large calls from several threads do not disturb one another")
	void smallAndLarge() throws Exception {
		VolumeContract proxy = path(VolumeContract.class);
		String large = "large".repeat(200_000);
		AtomicLong numbers = new AtomicLong();
		runConcurrently(8, () -> {
			long number;
			while ((number = numbers.getAndIncrement()) < 400) {
				Load load = new Load(number, (number % 20 == 0) ? large + number : "small " + number);
				assertThat(proxy.sum(load)).isEqualTo(sumOf(load));
			}
			return true;
		});
		assertThat(numbers.get()).isGreaterThanOrEqualTo(400);
	}

	@Test
	@DisplayName("proxies may be made and used by many threads at once")
	void concurrentProxies() throws Exception {
		runConcurrently(16, () -> {
			VolumeContract proxy = kit().environment().onPath(VolumeContract.class, KitClient.BLOCKING);
			for (int i = 0; i < 20; i++) {
				Load load = new Load(i, "text " + i);
				assertThat(proxy.sum(load)).isEqualTo(sumOf(load));
			}
			return true;
		});
		assertThat(path(VolumeContract.class).ping()).isEqualTo("volume");
	}

	@Test
	@DisplayName("a handler may call its own service, eight deep")
	void recursion() {
		assertThat(sameSeveralAnywhere((client) -> client.countDown(8))).isEqualTo(8L);
	}

	@Test
	@DisplayName("A may call B which calls A, and so on, from several threads")
	void callsAcross() throws Exception {
		VolumeContract proxy = path(VolumeContract.class);
		assertThat(sameSeveralAnywhere((client) -> client.across(6))).isEqualTo("vsvsvsv");
		runConcurrently(8, () -> {
			for (int i = 0; i < 10; i++) {
				assertThat(proxy.across(5)).isEqualTo("vsvsvs");
			}
			return true;
		});
	}

	private Object sameSeveralAnywhere(Kit.Call<VolumeContract> call) {
		VolumeContract proxy = path(VolumeContract.class);
		Outcome expected = kit().outcome(() -> call.on(http(VolumeContract.class)));
		Outcome actual = kit().outcome(() -> call.on(proxy));
		actual.assertSameAs(expected);
		return expected.value(Object.class);
	}

	private static Sum sumOf(Load load) {
		CRC32 checksum = new CRC32();
		checksum.update(load.text().getBytes(StandardCharsets.UTF_8));
		return new Sum(load.number(), checksum.getValue(), load.text().length());
	}

	private static void runConcurrently(int threads, Callable<Boolean> work) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<Boolean>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				results.add(executor.submit(work));
			}
			for (Future<Boolean> result : results) {
				assertThat(result.get(150, TimeUnit.SECONDS)).isTrue();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
