package io.github.vicinal.benchmarks.storm;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.vicinal.benchmarks.BenchJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.RestController;

/** Several instances of the server, each a context of its own, in a JVM of their own. */
public final class StormServers implements AutoCloseable {

	/** The first argument that makes a JVM such servers. */
	public static final String COMMAND = "storm-servers";

	private static final String DONE = "storm-servers: ";

	private final Process process;

	private final BufferedReader answers;

	private final List<String> ports;

	private StormServers(Process process, BufferedReader answers, List<String> ports) {
		this.process = process;
		this.answers = answers;
		this.ports = ports;
	}

	/**
	 * Starts instances and carries out the commands on standard input until it ends.
	 * @param arguments the command, the number of instances, the rendezvous directory
	 * @throws IOException if standard input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		int instances = Integer.parseInt(arguments[1]);
		Issued issued = new Issued();
		List<ConfigurableApplicationContext> contexts = new ArrayList<>();
		List<String> ports = new ArrayList<>();
		for (int i = 0; i < instances; i++) {
			ConfigurableApplicationContext context = instance("0", arguments[2], issued);
			contexts.add(context);
			ports.add(String.valueOf(context.getEnvironment().getProperty("local.server.port")));
		}
		say(String.join(",", ports));
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			String[] words = line.split(" ", 2);
			switch (words[0]) {
				case "restart" -> {
					int i = Integer.parseInt(words[1]);
					contexts.get(i).close();
					contexts.set(i, instance(ports.get(i), arguments[2], issued));
				}
				case "write" -> issued.write(Path.of(words[1]));
				default -> throw new IllegalArgumentException(line);
			}
			say("done");
		}
		contexts.forEach(ConfigurableApplicationContext::close);
	}

	private static void say(String answer) {
		System.out.println(DONE + answer);
		System.out.flush();
	}

	private static ConfigurableApplicationContext instance(String port, String rendezvous, Issued issued) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(Map.of("server.port", port, "vicinal.rendezvous.directory", rendezvous,
				"spring.main.banner-mode", "off", "logging.level.root", "error", "spring.jmx.enabled", "false"));
		application.addInitializers((ApplicationContextInitializer<GenericApplicationContext>) (context) -> context
			.registerBean(Issued.class, () -> issued));
		return application.run();
	}

	/**
	 * Starts a JVM.
	 * @param instances number of servers that run in it
	 * @param rendezvous where they meet clients
	 * @return the running servers
	 * @throws IOException if they do not start
	 */
	static StormServers start(int instances, Path rendezvous) throws IOException {
		List<String> command = BenchJvm.command(List.of(), COMMAND, String.valueOf(instances), rendezvous.toString());
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader answers = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		return new StormServers(process, answers, List.of(answer(answers).split(",")));
	}

	private static String answer(BufferedReader answers) throws IOException {
		for (String line = answers.readLine(); line != null; line = answers.readLine()) {
			if (line.startsWith(DONE)) {
				return line.substring(DONE.length());
			}
			System.err.println(line);
		}
		throw new IOException("The servers ended");
	}

	List<String> ports() {
		return this.ports;
	}

	/** Stops an instance as its platform would, and starts it again on its port. */
	void restart(int instance) throws IOException {
		command("restart " + instance);
	}

	/** Writes the numbers of all receipts that were issued, each as often as it was. */
	void write(Path file) throws IOException {
		command("write " + file);
	}

	private void command(String command) throws IOException {
		this.process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
		this.process.getOutputStream().flush();
		answer(this.answers);
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

	/** Calls that the instances of one JVM executed, whether or not they still run. */
	static final class Issued {

		private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();

		void add(long number) {
			this.numbers.add(number);
		}

		void write(Path file) {
			try (DataOutputStream out = new DataOutputStream(
					new java.io.BufferedOutputStream(Files.newOutputStream(file)))) {
				for (long number : this.numbers) {
					out.writeLong(number);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/** A common application. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ReceiptController.class)
	static class Application {

	}

	/** Notes what it executes. */
	@RestController
	static class ReceiptController implements Receipts {

		private final Issued issued;

		ReceiptController(Issued issued) {
			this.issued = issued;
		}

		@Override
		public Receipt issue(Order order) {
			this.issued.add(order.number());
			return Receipt.of(order.number());
		}

		@Override
		public Receipt peek(long number) {
			return Receipt.of(number);
		}

	}

}
