package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;

/** The server side, in this JVM or in one of its own. */
public final class EchoServer {

	/** The first argument that makes a JVM this server. */
	public static final String COMMAND = "echo-server";

	/** Prefix of the line with the server's port. */
	static final String READY = "echo-server ready on port ";

	private EchoServer() {
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command, and one of {@link EchoSecurity} if it is not
	 * {@link EchoSecurity#NONE}
	 */
	public static void main(String[] arguments) {
		EchoSecurity security = (arguments.length > 1) ? EchoSecurity.valueOf(arguments[1]) : EchoSecurity.NONE;
		try (ConfigurableApplicationContext context = start(security)) {
			System.out.println(READY + port(context));
			System.out.flush();
			System.in.transferTo(OutputStream.nullOutputStream());
		}
		catch (IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	static ConfigurableApplicationContext start(boolean observed) {
		return Contexts.start(Application.class, observed, Map.of("server.port", "0"));
	}

	private static ConfigurableApplicationContext start(EchoSecurity security) {
		return switch (security) {
			case NONE -> start(true);
			case OBSERVED -> Contexts.start(SecuredApplication.class, true, Map.of("server.port", "0"));
			case UNOBSERVED -> Contexts.start(SecuredApplication.class, true,
					Map.of("server.port", "0", "spring.profiles.active", "unobserved"));
		};
	}

	static String port(ConfigurableApplicationContext context) {
		return String.valueOf(context.getEnvironment().getProperty("local.server.port"));
	}

	/** A common application. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(EchoController.class)
	static class Application {

	}

	/** A common application whose clients have to show a token. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ EchoController.class, EchoSecurity.Secured.class })
	static class SecuredApplication {

	}

	/** Returns what it gets. */
	@RestController
	static class EchoController implements Echo {

		@Override
		public Order order(Order order) {
			return order;
		}

		@Override
		public Note note(Note note) {
			return note;
		}

	}

}
