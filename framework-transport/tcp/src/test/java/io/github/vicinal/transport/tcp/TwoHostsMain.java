package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * What runs on the hosts of {@link TwoHostsTests}: a server that writes a number down
 * before it answers, and a client that sends numbers until its input ends.
 */
final class TwoHostsMain {

	private static final int THREADS = 4;

	private TwoHostsMain() {
	}

	public static void main(String[] args) throws IOException {
		List<String> properties = Arrays.asList(args).subList(1, args.length);
		Class<?> type = args[0].equals("server") ? Server.class : Client.class;
		ConfigurableApplicationContext context = SpringApplication.run(type, properties.toArray(String[]::new));
		if (args[0].equals("server")) {
			say("serving");
			awaitEndOfInput();
			// As a host that loses its power.
			Runtime.getRuntime().halt(0);
		}
		send(context);
		awaitEndOfInput();
		Runtime.getRuntime().halt(0);
	}

	private static void awaitEndOfInput() throws IOException {
		while (System.in.read() >= 0) {
			// Nothing is said.
		}
	}

	private static synchronized void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

	private static void send(ConfigurableApplicationContext context) {
		Ledger ledger = context.getBean(Ledger.class);
		RestClient rest = context.getBean(RestClient.Builder.class)
			.baseUrl(context.getEnvironment().getRequiredProperty("spring.http.serviceclient.ledger.base-url"))
			.build();
		ChannelsEndpoint channels = context.getBean(ChannelsEndpoint.class);
		AtomicLong numbers = new AtomicLong();
		for (int i = 0; i < THREADS; i++) {
			boolean typed = i % 2 == 0;
			Thread thread = new Thread(() -> {
				while (true) {
					long number = numbers.incrementAndGet();
					String channel = typed ? "ledger" : "http-exchanges";
					try {
						Long answer = typed ? (Long) ledger.add(number)
								: rest.post().uri("/ledger/{number}", number).retrieve().body(Long.class);
						say("ok %s %s %d".formatted(channel, path(channels, channel), answer));
					}
					catch (RuntimeException ex) {
						say("failed %s %d %s".formatted(channel, number, ex));
					}
				}
			});
			thread.setDaemon(true);
			thread.start();
		}
	}

	private static String path(ChannelsEndpoint channels, String name) {
		ChannelReport report = channels.channel(name);
		return (report == null || report.peers().isEmpty()) ? "none" : report.peers().get(0).path();
	}

	@AffinityChannel
	@HttpExchange("/ledger")
	interface Ledger {

		@PostExchange("/{number}")
		long add(@PathVariable long number);

	}

	@RestController
	static class LedgerController implements Ledger {

		private final Path file;

		LedgerController(Environment environment) {
			this.file = Path.of(environment.getRequiredProperty("ledger.file"));
		}

		@Override
		public synchronized long add(long number) {
			try {
				Files.writeString(this.file, number + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
				return number;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(LedgerController.class)
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "ledger", types = Ledger.class)
	static class Client {

	}

}
