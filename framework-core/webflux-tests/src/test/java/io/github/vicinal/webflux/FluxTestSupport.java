package io.github.vicinal.webflux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.AfterEach;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications of this JVM, in a rendezvous directory of the test. */
abstract class FluxTestSupport {

	static final int ATTEMPTS = 3;

	static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

	final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private final Path rendezvous;

	FluxTestSupport() throws IOException {
		Path memory = Path.of("/dev/shm");
		this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-flux")
				: Files.createTempDirectory("vicinal-flux");
	}

	@AfterEach
	void close() throws IOException {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
		FileSystemUtils.deleteRecursively(this.rendezvous);
	}

	/**
	 * Starts an application, on a free port and without a gateway if not told otherwise.
	 */
	final ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.putIfAbsent("server.port", "0");
		all.putIfAbsent("spring.cloud.gateway.server.webflux.enabled", "false");
		all.put("spring.main.banner-mode", "off");
		all.put("vicinal.rendezvous.directory", this.rendezvous.toString());
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		ConfigurableApplicationContext context = application.run();
		this.contexts.add(context);
		return context;
	}

	static void await(String what, BooleanSupplier condition) {
		long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as(what).isLessThan(end);
			LockSupport.parkNanos(1_000_000);
		}
	}

}
