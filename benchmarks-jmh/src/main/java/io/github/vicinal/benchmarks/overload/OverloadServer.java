package io.github.vicinal.benchmarks.overload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.benchmarks.BenchJvm;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The server that is overloaded, in a JVM of its own, which ends with this one. */
public final class OverloadServer implements AutoCloseable {

	/** Property with the number of steps that {@code /cpu} computes. */
	static final String STEPS = "overload.steps";

	/** The first argument that makes a JVM such a server. */
	public static final String COMMAND = "overload-server";

	private static final String READY = "overload-server: ";

	private static final int POOL = 4;

	static final long SERVICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * The client of a real server has processors of its own. Here up to 200 computing
	 * threads would keep it from sending, so that the load would not be what it is said
	 * to be.
	 */
	private static final String LOWEST_PRIORITY = "19";

	/** Waits for the end of a time awake, as a parked thread comes back late. */
	private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private final Process process;

	private final int port;

	private OverloadServer(Process process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Starts a server and waits until its input ends.
	 * @param arguments the command, the control, and properties
	 * @throws IOException if standard input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		Control control = Control.valueOf(arguments[1]);
		Map<String, Object> properties = new HashMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"logging.level.root", "error", "server.tomcat.max-keep-alive-requests", "-1",
				// The kernel drops connections beyond it, to which the client would wait
				// for a second.
				"server.tomcat.accept-count", "1000", "management.endpoint.health.probes.enabled", "true",
				"overload.control", control.name()));
		properties.putAll(control.properties());
		for (int i = 2; i < arguments.length; i++) {
			String[] property = arguments[i].split("=", 2);
			properties.put(property[0], property[1]);
		}
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(properties);
		try (ConfigurableApplicationContext context = application.run()) {
			System.out.println(READY + context.getEnvironment().getProperty("local.server.port"));
			System.out.flush();
			while (System.in.read() >= 0) {
				// The end of the stream is the end of the server.
			}
		}
	}

	static OverloadServer start(Control control, Map<String, String> properties) throws IOException {
		List<String> command = new ArrayList<>(List.of("nice", "-n", LOWEST_PRIORITY));
		command.addAll(BenchJvm.command(List.of(), COMMAND, control.name()));
		properties.forEach((name, value) -> command.add(name + "=" + value));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(READY)) {
				return new OverloadServer(process, Integer.parseInt(line.substring(READY.length()).strip()));
			}
			System.err.println(line);
		}
		throw new IOException("The server ended before it was ready");
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

		@Bean
		FilterRegistrationBean<LimitingFilter> limitingFilter(Environment environment) {
			Control control = Control.valueOf(environment.getRequiredProperty("overload.control"));
			FilterRegistrationBean<LimitingFilter> registration = new FilterRegistrationBean<>(
					new LimitingFilter(control.admission()));
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 2);
			return registration;
		}

	}

	@RestController
	static class Handlers {

		private static final byte[] ANSWER = "done".getBytes(StandardCharsets.ISO_8859_1);

		private static final int LARGE = 16 << 20;

		private static final int BUFFER = 8192;

		private final Semaphore pool = new Semaphore(POOL, true);

		private final long steps;

		Handlers(Environment environment) {
			this.steps = environment.getProperty(STEPS, Long.class, 0L);
		}

		private static void answer(HttpServletResponse response) throws IOException {
			response.setContentLength(ANSWER.length);
			response.getOutputStream().write(ANSWER);
		}

		/** Simulates a query that holds one of four connections. */
		@GetMapping({ "/pool", "/critical/pool" })
		void pool(HttpServletResponse response) throws IOException, InterruptedException {
			this.pool.acquire();
			try {
				long end = System.nanoTime() + SERVICE_NANOS;
				for (long left = SERVICE_NANOS; left > 0; left = end - System.nanoTime()) {
					if (left > LATE_NANOS) {
						LockSupport.parkNanos(left - LATE_NANOS);
					}
					else {
						Thread.onSpinWait();
					}
				}
			}
			finally {
				this.pool.release();
			}
			answer(response);
		}

		/** Takes the same processor time, however many others want it. */
		@GetMapping({ "/cpu", "/critical/cpu" })
		void cpu(HttpServletResponse response) throws IOException {
			Work.consume(this.steps);
			answer(response);
		}

		@GetMapping("/hang/{millis}")
		void hang(@PathVariable long millis, HttpServletResponse response) throws IOException, InterruptedException {
			Thread.sleep(millis);
			answer(response);
		}

		@PostMapping("/upload")
		void upload(HttpServletRequest request, HttpServletResponse response) throws IOException {
			request.getInputStream().readAllBytes();
			answer(response);
		}

		@GetMapping("/download")
		void download(HttpServletResponse response) throws IOException {
			byte[] part = new byte[BUFFER];
			response.setContentLength(LARGE);
			for (int i = 0; i < LARGE / part.length; i++) {
				response.getOutputStream().write(part);
			}
		}

	}

	/** A piece of computing that takes five milliseconds when it has a processor. */
	static final class Work {

		private static final int PROBES = 50;

		private static final long PROBE_STEPS = 1_000_000;

		private Work() {
		}

		/** Returns the number of steps that take the time on a free processor. */
		static long calibrate() {
			long best = Long.MAX_VALUE;
			for (int i = 0; i < PROBES; i++) {
				long start = System.nanoTime();
				consume(PROBE_STEPS);
				best = Math.min(best, System.nanoTime() - start);
			}
			return Math.max(1, PROBE_STEPS * SERVICE_NANOS / best);
		}

		static void consume(long steps) {
			long value = steps;
			for (long i = 0; i < steps; i++) {
				value = value * 0x5DEECE66DL + 0xBL;
			}
			if (value == 1) {
				throw new IllegalStateException("the generator's period is longer");
			}
		}

	}

}
