package io.github.vicinal.stream;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.util.FileSystemUtils;

/** Applications without a web server, in a rendezvous directory of the test. */
abstract class StreamTestSupport {

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	@AfterEach
	void close() throws Exception {
		this.applications.forEach(ConfigurableApplicationContext::close);
		FileSystemUtils.deleteRecursively(this.directory);
	}

	/** Starts an application; later properties replace earlier ones. */
	ConfigurableApplicationContext start(Class<?> type, String name, String... properties) {
		List<String> all = new ArrayList<>(List.of("spring.application.name=" + name,
				"vicinal.rendezvous.directory=" + this.directory, "spring.main.banner-mode=off",
				"spring.cloud.stream.binding-retry-interval=0", "spring.jmx.enabled=false"));
		all.addAll(List.of(properties));
		ConfigurableApplicationContext application = new SpringApplicationBuilder(type).web(WebApplicationType.NONE)
			.properties(all.toArray(String[]::new))
			.run();
		this.applications.add(application);
		return application;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Sink {

		final BlockingQueue<Message<byte[]>> received = new LinkedBlockingQueue<>();

		@Bean
		Consumer<Message<byte[]>> sink() {
			return this.received::add;
		}

	}

}
