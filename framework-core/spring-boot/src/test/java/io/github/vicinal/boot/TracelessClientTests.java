package io.github.vicinal.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.testing.DeepTests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** A client that was closed leaves nothing in its JVM. */
@Timeout(1800)
class TracelessClientTests {

	/** 10 in the build, 100 in the profile deep. */
	private static final int CLIENTS = Integer.getInteger("vicinal.kit.contexts", 10);

	/**
	 * Clients that warm up what the JVM makes once, such as classes and pools; then one
	 * does so for each path.
	 */
	private static final int WARM_UP = 3;

	/** The server of this JVM may open or close a connection of its own meanwhile. */
	private static final int SPARE_DESCRIPTORS = 2;

	/**
	 * Spring Boot keeps some 2.7 MB of each context that was closed, whatever is in it:
	 * so much more may it be with Vicinal, whose bean definitions are among them.
	 */
	private static final long BYTES_PER_CLIENT = 1 << 20;

	/**
	 * Heap of what is compiled and generated while the test runs, and of what other tests
	 * in this JVM have left. A client that is kept is found by its bean.
	 */
	private static final long SPARE_BYTES = 16 << 20;

	/** A collection alone takes seconds on a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String WITHOUT = "without Vicinal";

	private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	/** Threads of tests that ran before in this JVM. */
	private final Set<Thread> others = Set.copyOf(Thread.getAllStackTraces().keySet());

	/** Threads but those of the server and of the JVM's common pools. */
	private List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.others.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("vicinal-connector") || name.startsWith("vicinal-async")
					|| name.startsWith("HttpClient-"))
			.toList();
	}

	/** Returns what each descriptor leads to. */
	private static List<String> descriptors() {
		List<String> targets = new ArrayList<>();
		try (Stream<Path> links = Files.list(DESCRIPTORS)) {
			for (Path link : links.toList()) {
				try {
					targets.add(Files.readSymbolicLink(link).toString());
				}
				catch (NoSuchFileException ex) {
					// The descriptor of the listing itself, or one that has been closed
					// meanwhile.
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return targets;
	}

	private static long heap() {
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

	/** Returns a bean of the closed client that nothing may keep. */
	private static WeakReference<Object> callAndClose(String port, String path) {
		SpringApplication application = new SpringApplication(BasketClient.class);
		Map<String, Object> properties = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"spring.http.serviceclient.baskets.base-url", "http://localhost:" + port, "vicinal.server.enabled",
				"false", "spring.cloud.loadbalancer.enabled", "false", "server.shutdown", "immediate",
				"management.endpoints.web.exposure.include", "*"));
		properties.putAll(path.equals(WITHOUT) ? Map.of("vicinal.enabled", "false")
				: Map.of("vicinal.channels.baskets.paths", path));
		application.setDefaultProperties(properties);
		try (ConfigurableApplicationContext client = application.run()) {
			Baskets baskets = client.getBean(Baskets.class);
			if (path.equals(WITHOUT)) {
				baskets.get(1);
				return new WeakReference<>(baskets);
			}
			ChannelsEndpoint endpoint = client.getBean(ChannelsEndpoint.class);
			await().untilAsserted(() -> {
				baskets.get(1);
				assertThat(endpoint.channel("baskets").peers().get(0).path()).isEqualTo(path);
			});
			return new WeakReference<>(client.getBean(ClientChannels.class));
		}
	}

	/** Closes clients, and returns by how many bytes the heap has grown. */
	private long grown(String port, String path) {
		List<WeakReference<Object>> beans = new ArrayList<>();
		for (int i = 0; i < (path.equals(WITHOUT) ? WARM_UP : 1); i++) {
			callAndClose(port, path);
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			assertThat(threads()).isEmpty();
		});
		List<String> descriptors = descriptors();
		long heap = heap();
		int registered = ManagementFactory.getPlatformMBeanServer().getMBeanCount();
		for (int i = 0; i < CLIENTS; i++) {
			beans.add(callAndClose(port, path));
		}
		assertThat(ManagementFactory.getPlatformMBeanServer().getMBeanCount()).as(path).isEqualTo(registered);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads()).as(path).isEmpty());
		// The pool of an HTTP client of Spring Boot's is closed when it is collected.
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			List<String> left = descriptors();
			descriptors.forEach(left::remove);
			assertThat(left).as(path).hasSizeLessThanOrEqualTo(SPARE_DESCRIPTORS);
			assertThat(beans).as(path).allMatch((bean) -> bean.get() == null);
		});
		return heap() - heap;
	}

	@Test
	void threadsDescriptorsHeapAndMBeansAreAsBefore() {
		assumeThat(DESCRIPTORS).as("descriptors can be counted on Linux").exists();
		String port = this.applications.start(BasketService.class, Map.of())
			.getEnvironment()
			.getRequiredProperty("local.server.port");
		// Below zero, what tests before in this JVM had left was collected meanwhile.
		long without = Math.max(0, grown(port, WITHOUT));
		// What clients of the other two leave, ClosedServersTests looks for as well.
		List<String> paths = DeepTests.areRun() ? List.of("direct", "shm", "uds", "http") : List.of("shm", "http");
		for (String path : paths) {
			assertThat(grown(port, path)).as(path).isLessThan(without + SPARE_BYTES + CLIENTS * BYTES_PER_CLIENT);
		}
	}

}
