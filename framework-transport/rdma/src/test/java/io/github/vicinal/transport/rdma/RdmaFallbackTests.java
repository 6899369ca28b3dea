package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A device is lost in mid-traffic: calls go on by tcp, and return with the device. */
@Tag("deep")
@Timeout(300)
class RdmaFallbackTests {

	private static final int THREADS = 4;

	/** Time after which each caller has an answer by another path. */
	private static final Duration FALLBACK = Duration.ofSeconds(1);

	/** Back-off doubles from 50 ms on, with some jitter. */
	private static final int MAX_ATTEMPTS_IN_3_SECONDS = 12;

	/** Time for paths to be opened, on a machine that is busy. */
	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final MemoryFabric fabric = new MemoryFabric();

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private final AtomicLong numbers = new AtomicLong();

	private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

	private volatile boolean stopped;

	@AfterEach
	void close() {
		this.stopped = true;
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "500ms", "server.shutdown", "immediate", "vicinal.reconnect-delay", "50ms",
				"vicinal.tcp.enabled", "true"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		ApplicationContextInitializer<GenericApplicationContext> devices = (context) -> context
			.registerBean(RdmaDevices.class, this.fabric::devices, (bean) -> bean.setLazyInit(true));
		application.addInitializers(devices);
		ConfigurableApplicationContext context = application.run();
		this.contexts.add(context);
		return context;
	}

	private static @Nullable ChannelReport report(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channel("ledger");
	}

	private static String path(ConfigurableApplicationContext client) {
		ChannelReport report = report(client);
		return (report == null || report.peers().isEmpty()) ? "none" : report.peers().get(0).path();
	}

	private static boolean isOpen(ConfigurableApplicationContext client, String path) {
		ChannelReport report = report(client);
		return report != null && !report.peers().isEmpty() && report.peers()
			.get(0)
			.paths()
			.stream()
			.anyMatch((known) -> known.path().equals(path) && Set.of("in use", "standby").contains(known.state()));
	}

	@Test
	void noAcknowledgedResultIsLostWithADevice() {
		ConfigurableApplicationContext service = start(LedgerService.class, Map.of());
		ConfigurableApplicationContext client = start(LedgerClient.class,
				Map.of("spring.http.serviceclient.ledger.base-url",
						"http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port"),
						"vicinal.channels.ledger.paths", "rdma,tcp"));
		Ledger ledger = client.getBean(Ledger.class);
		await().atMost(PATIENCE).until(() -> {
			add(ledger);
			return path(client).equals("rdma") && isOpen(client, "tcp");
		});
		AtomicLong[] lastAnswers = new AtomicLong[THREADS];
		for (int i = 0; i < THREADS; i++) {
			AtomicLong last = new AtomicLong(System.nanoTime());
			lastAnswers[i] = last;
			Thread thread = new Thread(() -> {
				while (!this.stopped) {
					long begun = System.nanoTime();
					if (add(ledger)) {
						last.set(begun);
					}
				}
			}, "caller " + i);
			thread.setDaemon(true);
			thread.start();
		}
		for (int round = 0; round < 3; round++) {
			await().atMost(PATIENCE).until(() -> path(client).equals("rdma"));
			long removed = System.nanoTime();
			int attempts = this.fabric.attempts.get();
			this.fabric.removeDevice();
			// Each caller gets an answer to a call that it begins after the removal.
			await().atMost(FALLBACK)
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> Arrays.stream(lastAnswers).allMatch((last) -> last.get() - removed > 0));
			System.out.printf("answers by another path %d ms after the removal%n",
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - removed));
			assertThat(path(client)).isEqualTo("tcp");
			await().pollDelay(Duration.ofSeconds(3))
				.atMost(Duration.ofSeconds(20))
				.until(() -> path(client).equals("tcp"));
			assertThat(this.fabric.attempts.get() - attempts).isLessThanOrEqualTo(MAX_ATTEMPTS_IN_3_SECONDS);
			this.fabric.addDevice();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(path(client))
					.as("%s; offered: %s", report(client), service.getBean(RdmaPathServer.class).unavailable())
					.isEqualTo("rdma"));
		}
		this.stopped = true;
		List<Long> known = List.copyOf(this.acknowledged);
		List<Long> written = service.getBean(LedgerController.class).written;
		Set<Long> once = new HashSet<>(written);
		assertThat(once).as("numbers that were written once").hasSameSizeAs(written);
		assertThat(known.stream().filter((number) -> !once.contains(number))).as("lost numbers").isEmpty();
		assertThat(known).hasSizeGreaterThan(1000);
	}

	/** Returns whether the number is known to be written down. */
	private boolean add(Ledger ledger) {
		try {
			this.acknowledged.add(ledger.add(this.numbers.incrementAndGet()));
			return true;
		}
		catch (RuntimeException ex) {
			// It was in flight, and may have been executed.
			return false;
		}
	}

	@AffinityChannel
	@HttpExchange("/ledger")
	interface Ledger {

		@PostExchange("/{number}")
		long add(@PathVariable long number);

	}

	@RestController
	static class LedgerController implements Ledger {

		final List<Long> written = new ArrayList<>();

		@Override
		public synchronized long add(long number) {
			this.written.add(number);
			return number;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(LedgerController.class)
	static class LedgerService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "ledger", types = Ledger.class)
	static class LedgerClient {

	}

}
