package io.github.vicinal.boot.kit.security;

import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import com.sun.management.UnixOperatingSystemMXBean;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leftovers of closed server contexts in their JVM, after typed calls to them.
 */
class ClosedServersTests {

	/** Number of contexts that are started and closed between two looks. */
	private static final int CONTEXTS = Integer.getInteger("vicinal.kit.contexts", 10);

	/** Contexts after which all classes are loaded and all shared threads run. */
	private static final int WARM_UP = 3;

	private static final int MAX_CALLS = 500;

	private static final int BALLAST_BYTES = 32 << 20;

	/** Listeners of the logging system keep the last meter registry, and its context. */
	private static final int MAX_IN_HEAP = 1;

	/** Resources in the JVM. */
	private record Inventory(Map<String, Integer> threads, long descriptors, int beans, long heap) {

		static Inventory take() {
			for (int i = 0; i < 3; i++) {
				System.gc();
			}
			Map<String, Integer> threads = new TreeMap<>(Thread.getAllStackTraces()
				.keySet()
				.stream()
				.collect(Collectors.toMap((thread) -> thread.getName().replaceAll("[0-9a-f]{8,}|[0-9]+", "#"),
						(thread) -> 1, Integer::sum)));
			long descriptors = (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix)
					? unix.getOpenFileDescriptorCount() : 0;
			Runtime runtime = Runtime.getRuntime();
			return new Inventory(threads, descriptors, ManagementFactory.getPlatformMBeanServer().getMBeanCount(),
					runtime.totalMemory() - runtime.freeMemory());
		}

		/** Pools of threads grow and shrink by themselves. */
		boolean isNotMoreThan(Inventory before) {
			int all = this.threads.values().stream().mapToInt(Integer::intValue).sum();
			int then = before.threads.values().stream().mapToInt(Integer::intValue).sum();
			return all <= then + 2 && this.descriptors <= before.descriptors + 2 && this.beans <= before.beans;
		}

	}

	@Test
	void leaveNothing() {
		for (int i = 0; i < WARM_UP; i++) {
			serveAndClose(i);
		}
		Inventory before = Inventory.take();
		List<WeakReference<ApplicationContext>> contexts = new ArrayList<>();
		for (int i = 0; i < CONTEXTS; i++) {
			contexts.add(serveAndClose(i));
		}
		clearSoftReferences();
		try {
			await().atMost(Duration.ofSeconds(30))
				.pollInterval(Duration.ofMillis(500))
				.until(() -> Inventory.take().isNotMoreThan(before) && inHeap(contexts) <= MAX_IN_HEAP);
		}
		catch (ConditionTimeoutException ex) {
			Inventory after = Inventory.take();
			assertThat(after.isNotMoreThan(before) && inHeap(contexts) <= MAX_IN_HEAP)
				.as("before %s%nafter %d contexts %s, %d of them in the heap", before, CONTEXTS, after,
						inHeap(contexts))
				.isTrue();
		}
	}

	/**
	 * Fills the heap until the JVM gives up what caches of Spring and Spring Boot keep
	 * softly, such as environments.
	 */
	private static void clearSoftReferences() {
		SoftReference<Object> canary = new SoftReference<>(new Object());
		List<byte[]> ballast = new ArrayList<>();
		try {
			while (canary.get() != null) {
				ballast.add(new byte[BALLAST_BYTES]);
			}
		}
		catch (OutOfMemoryError ex) {
			assertThat(canary.get()).as("soft references are cleared before the heap is full").isNull();
		}
	}

	private static long inHeap(List<WeakReference<ApplicationContext>> contexts) {
		return contexts.stream().filter((context) -> context.get() != null).count();
	}

	private static WeakReference<ApplicationContext> serveAndClose(int number) {
		String path = List.of("direct", "shm", "uds").get(number % 3);
		try (Clients clients = Clients.create()) {
			Map<String, Object> properties = clients.properties();
			properties.put("server.port", "0");
			properties.put("server.shutdown", "immediate");
			try (ConfigurableApplicationContext server = new SpringApplicationBuilder(
					ArrangementTests.ServerApplication.class)
				.web(WebApplicationType.SERVLET)
				.properties(properties)
				.initializers((each) -> each.getBeanFactory().registerSingleton("ledger", new Ledger()))
				.run()) {
				Vault vault = clients.onPath(Vault.class, path,
						"http://localhost:" + ((WebServerApplicationContext) server).getWebServer().getPort(),
						(builder) -> {
						});
				boolean typed = false;
				for (int i = 0; i < MAX_CALLS && !typed; i++) {
					assertThat(vault.open()).startsWith("open");
					typed = clients.drainCarried().keySet().stream().anyMatch((way) -> way.startsWith(path));
				}
				assertThat(typed).as("carried by %s", path).isTrue();
				return new WeakReference<>(server);
			}
		}
	}

}
