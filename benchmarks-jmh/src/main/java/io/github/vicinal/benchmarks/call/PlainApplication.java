package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * An application that knows nothing of Vicinal. It starts, says how long it took, and
 * ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@ImportHttpServices(group = "other", types = PlainApplication.Other.class)
public class PlainApplication {

	/** Prefix of the line with the milliseconds. */
	static final String STARTED = "started in ms ";

	static final String RESIDENT = "resident KiB ";

	private static final String RESIDENT_LINE = "VmRSS:";

	/** A client that is not annotated. */
	public interface Other {

		/**
		 * Gets something.
		 * @return a text
		 */
		@GetExchange("/other")
		String get();

	}

	/**
	 * Starts and ends.
	 * @param arguments ignored
	 */
	public static void main(String[] arguments) {
		SpringApplication application = new SpringApplication(PlainApplication.class);
		application.setDefaultProperties(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"logging.level.root", "warn", "spring.http.serviceclient.other.base-url", "http://localhost:1"));
		application.run().close();
	}

	@Bean
	ApplicationListener<ApplicationReadyEvent> reporter() {
		return (event) -> {
			Duration taken = event.getTimeTaken();
			System.out.println(STARTED + ((taken != null) ? taken.toNanos() / 1e6 : Double.NaN));
			System.gc();
			System.out.println(RESIDENT + residentKib());
		};
	}

	private static long residentKib() {
		try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
			return lines.filter((line) -> line.startsWith(RESIDENT_LINE))
				.mapToLong((line) -> Long.parseLong(line.substring(RESIDENT_LINE.length()).replaceAll("\\D", "")))
				.findFirst()
				.orElse(0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@RestController
	static class Controller {

		@GetMapping("/")
		String hello() {
			return "hello";
		}

	}

}
