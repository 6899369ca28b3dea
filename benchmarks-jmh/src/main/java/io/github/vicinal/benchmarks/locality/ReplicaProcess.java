package io.github.vicinal.benchmarks.locality;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import io.github.vicinal.benchmarks.BenchJvm;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;

/** A replica in a JVM of its own, with a number of servers. */
public final class ReplicaProcess implements AutoCloseable {

	/** The first argument that makes a JVM a replica. */
	public static final String COMMAND = "locality-replica";

	private static final String READY = "locality-replica ready on port ";

	private final Process process;

	private final String port;

	private ReplicaProcess(Process process, String port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command, the name, the number of servers, the rendezvous
	 * directory
	 */
	public static void main(String[] arguments) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(Map.of("server.port", "0", "replica.name", arguments[1], "replica.servers",
				arguments[2], "vicinal.rendezvous.directory", arguments[3], "spring.main.banner-mode", "off",
				"logging.level.root", "warn", "server.tomcat.threads.max", "400"));
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
	 * Starts a replica.
	 * @param name what it calls itself
	 * @param servers number of calls that it executes at once
	 * @param rendezvous where it meets others
	 * @param where changes the command, to run it elsewhere
	 * @return the running replica
	 * @throws IOException if it does not start
	 */
	static ReplicaProcess start(String name, int servers, Path rendezvous, UnaryOperator<List<String>> where)
			throws IOException {
		List<String> command = BenchJvm.command(List.of(), COMMAND, name, String.valueOf(servers),
				rendezvous.toString());
		Process process = new ProcessBuilder(where.apply(command)).redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(READY)) {
				return new ReplicaProcess(process, line.substring(READY.length()).strip());
			}
			System.err.println(line);
		}
		throw new IOException("Replica %s ended before it was ready".formatted(name));
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
	@Import(TaskController.class)
	static class Application {

	}

	/** Executes a limited number of tasks at once; others wait in order. */
	@RestController
	static class TaskController implements Task {

		private final Done done;

		private final Semaphore servers;

		TaskController(@Value("${replica.name}") String name, @Value("${replica.servers}") int servers) {
			this.done = new Done(name);
			this.servers = new Semaphore(servers, true);
		}

		@Override
		public Done run(int micros) {
			this.servers.acquireUninterruptibly();
			try {
				long end = System.nanoTime() + micros * 1_000L;
				for (long left = micros * 1_000L; left > 0; left = end - System.nanoTime()) {
					LockSupport.parkNanos(left);
				}
			}
			finally {
				this.servers.release();
			}
			return this.done;
		}

	}

}
