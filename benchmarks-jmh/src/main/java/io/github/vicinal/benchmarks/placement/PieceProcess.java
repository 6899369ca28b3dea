package io.github.vicinal.benchmarks.placement;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.BenchJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.registry.ImportHttpServices;

/** An application in a JVM of its own, which may call another one. */
public final class PieceProcess implements AutoCloseable {

	/** The first argument that makes a JVM such an application. */
	public static final String COMMAND = "placement-piece";

	private static final String READY = "placement-piece ready on port ";

	private final Process process;

	private final String port;

	private PieceProcess(Process process, String port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command, the name, the port, the address of the application
	 * that is called, the rendezvous directory, and the actuators to ask, or nothing
	 */
	public static void main(String[] arguments) {
		Map<String, Object> properties = new LinkedHashMap<>(Map.of("spring.application.name", arguments[1],
				"server.port", arguments[2], "spring.http.serviceclient.callee.base-url", arguments[3],
				"vicinal.rendezvous.directory", arguments[4], "spring.main.banner-mode", "off", "logging.level.root",
				"warn", "vicinal.placement.host", arguments[1]));
		properties.putAll(Map.of("management.endpoints.web.exposure.include", "vicinalplacement",
				"vicinal.placement.mode", "off", "vicinal.placement.refresh", "0ms", "vicinal.placement.half-life",
				"1d", "vicinal.placement.minimum-calls", "1"));
		if (arguments.length > 5) {
			properties.put("vicinal.placement.instances", arguments[5]);
		}
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(properties);
		try (ConfigurableApplicationContext context = application.run()) {
			System.out.println(READY + context.getEnvironment().getProperty("local.server.port"));
			System.out.flush();
			System.in.transferTo(OutputStream.nullOutputStream());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Starts an application.
	 * @param arguments what {@link #main} takes after the command
	 * @return the running application
	 * @throws IOException if it does not start
	 */
	static PieceProcess start(String... arguments) throws IOException {
		List<String> command = BenchJvm.command(List.of("-Xmx128m"), COMMAND);
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(READY)) {
				return new PieceProcess(process, line.substring(READY.length()).strip());
			}
			System.err.println(line);
		}
		throw new IOException("Application %s ended before it was ready".formatted(arguments[0]));
	}

	String port() {
		return this.port;
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

	/** A common application. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "callee", types = Piece.class)
	@Import(PieceController.class)
	static class Application {

	}

	/** Answers, and passes on. */
	@RestController
	static class PieceController {

		private final Piece callee;

		PieceController(Piece callee) {
			this.callee = callee;
		}

		@GetMapping("/piece")
		int piece(int number) {
			return number;
		}

		@GetMapping("/passed")
		int passed(int number) {
			return this.callee.piece(number);
		}

	}

}
