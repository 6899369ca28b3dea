package io.github.vicinal.boot.kit.security;

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.boot.kit.OwnInterfaces;
import io.github.vicinal.boot.kit.security.Arrangement.Step;
import io.github.vicinal.boot.kit.security.Vault.Note;
import io.github.vicinal.testing.DeepTests;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs arrangements: each call ends on each path as it does over HTTP, and happens as
 * often at the server, the first time and every time after it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ArrangementTests {

	private static final List<String> PATHS = List.of("direct", "shm", "uds");

	/**
	 * Path of each arrangement in the build, in turn: every second runs on the caller's
	 * thread, the others on threads of {@code shm} and {@code uds}, which hand requests
	 * to the server alike. The profile {@code deep} runs each on each.
	 */
	private static final List<String> IN_TURN = List.of("direct", "shm", "direct", "uds");

	/** Rounds on each path. Most methods are called several times in a round. */
	private static final int ROUNDS = Integer.getInteger("vicinal.kit.rounds", 5);

	private static final String AT_SERVER = " at the server";

	/** Time for a client to find a path before it is taken to have none. */
	private static final Duration UPGRADE = Duration.ofSeconds(10);

	@RegisterExtension
	private final BeforeAllCallback shared = (context) -> this.clients = Clients.of(context);

	private @Nullable Clients clients;

	private @Nullable Server server;

	abstract Stream<Arrangement> arrangements();

	/**
	 * Returns whether the client has an interface of its own, so that only the structure
	 * of methods matches.
	 */
	boolean byStructure() {
		return false;
	}

	private Class<? extends Vault> contract() {
		return byStructure() ? OwnInterfaces.of(Vault.class, MethodHandles.lookup()) : Vault.class;
	}

	/** Adds answers that fit the buffer of a response exactly, nearly and not at all. */
	static Arrangement large(Arrangement arrangement) {
		for (int length : new int[] { 100, 8150, 8170, 8192, 20_000, 100_000 }) {
			Note note = new Note(1, "x".repeat(length));
			arrangement.step("change by " + length, (vault, memory) -> size(vault.change(1, note)));
			arrangement.step("add " + length, (vault, memory) -> {
				ResponseEntity<Note> added = vault.add(note, null);
				return added.getStatusCode() + " " + headerNames(added) + size(added.getBody());
			});
		}
		return arrangement;
	}

	/** Some are only part of HTTP responses. */
	private static Set<String> headerNames(ResponseEntity<?> entity) {
		Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		entity.getHeaders().headerNames().forEach((name) -> names.add(name.toLowerCase(Locale.ROOT)));
		names.removeAll(Ending.IGNORED);
		return names;
	}

	private static String size(@Nullable Note note) {
		return (note != null) ? "a text of " + note.text().length() : "nothing";
	}

	private Stream<Arguments> arrangementsAndPaths() {
		List<Arrangement> all = arrangements().toList();
		return IntStream.range(0, all.size())
			.boxed()
			.flatMap((i) -> paths(i).stream().map((path) -> Arguments.of(all.get(i), path)));
	}

	private static List<String> paths(int index) {
		return DeepTests.areRun() ? PATHS : List.of(IN_TURN.get(index % IN_TURN.size()));
	}

	@AfterAll
	void stop() {
		if (this.server != null) {
			this.server.context.close();
		}
	}

	private Clients clients() {
		assertThat(this.clients).isNotNull();
		return this.clients;
	}

	private Server server(Arrangement arrangement) {
		Server current = this.server;
		if (current == null || !current.arrangement.toString().equals(arrangement.toString())) {
			stop();
			current = new Server(arrangement, clients());
			this.server = current;
		}
		return current;
	}

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("arrangementsAndPaths")
	@Timeout(value = 10, unit = TimeUnit.MINUTES)
	void callsEndAsOverHttp(Arrangement arrangement, String path) {
		Server current = server(arrangement);
		Round expected = current.oracle();
		clients().drainCarried();
		Map<String, Vault> proxies = current
			.proxies((url, persona) -> clients().onPath(contract(), path, url, arrangement.personas().get(persona)));
		Map<String, Integer> carried = new TreeMap<>();
		List<String> differences = new ArrayList<>();
		long end = System.nanoTime() + UPGRADE.toNanos();
		for (int i = 1; i <= ROUNDS
				|| (!isSettled(arrangement, path, expected, carried) && System.nanoTime() < end); i++) {
			clients().forgetWays();
			Round actual = current.round(proxies, expected.entries());
			clients().drainCarried().forEach((way, calls) -> carried.merge(way, calls, Integer::sum));
			compare(i, expected, actual, differences);
			if (differences.size() > 3) {
				break;
			}
		}
		assertThat(differences).as("%s on %s, carried: %s", arrangement, path, carried).isEmpty();
		if (!arrangement.isAnyWay()) {
			assertThat(wrongWays(arrangement, path, expected)).as("%s on %s", arrangement, path).isEmpty();
		}
	}

	/** Returns the methods of the contract that have no structure. */
	Set<String> withoutStructure() {
		return Set.of();
	}

	private boolean isSettled(Arrangement arrangement, String path, Round expected, Map<String, Integer> carried) {
		return arrangement.isAnyWay() ? isTyped(carried, path) : wrongWays(arrangement, path, expected).isEmpty();
	}

	/**
	 * The path carries calls of each method that reaches its handler, or all of its calls
	 * are left to HTTP for the reason that is known.
	 */
	private Map<String, Set<String>> wrongWays(Arrangement arrangement, String path, Round expected) {
		Map<String, Set<String>> wrong = clients().ways();
		wrong.entrySet().removeIf((each) -> {
			String reason = arrangement.reasonForHttp(each.getKey());
			boolean typed = each.getValue().stream().anyMatch((way) -> way.equals(path) || way.startsWith(path + " "));
			if (!expected.isReached(each.getKey()) || withoutStructure().contains(each.getKey())) {
				return true;
			}
			return (reason != null) ? !typed && each.getValue().stream().anyMatch((way) -> way.contains(reason))
					: typed;
		});
		return wrong;
	}

	private static boolean isTyped(Map<String, Integer> carried, String path) {
		return carried.keySet().stream().anyMatch((way) -> way.equals(path) || way.startsWith(path + " "));
	}

	private static void compare(int number, Round expected, Round actual, List<String> differences) {
		expected.endings().forEach((step, ending) -> {
			String got = actual.endings().get(step);
			if (!ending.equals(got)) {
				differences
					.add("\nround %d, %s\n  over HTTP:   %s\n  on the path: %s".formatted(number, step, ending, got));
			}
		});
		if (!expected.entries().equals(actual.entries())) {
			Map<String, String> different = new TreeMap<>();
			for (Map<String, Integer> each : List.of(expected.entries(), actual.entries())) {
				for (String entry : each.keySet()) {
					Integer over = expected.entries().get(entry);
					Integer on = actual.entries().get(entry);
					if (over == null || !over.equals(on)) {
						different.put(entry, "over HTTP " + over + ", on the path " + on);
					}
				}
			}
			differences.add("\nround %d%s: %s".formatted(number, AT_SERVER, different));
		}
	}

	/**
	 * How the calls of a round ended, and what they did.
	 *
	 * @param endings by name of the step
	 * @param entries by text
	 */
	private record Round(Map<String, String> endings, Map<String, Integer> entries) {

		/** Returns whether a call of a method has reached its handler. */
		boolean isReached(String method) {
			return this.entries.keySet().stream().anyMatch((entry) -> entry.startsWith("handler " + method + " "));
		}

	}

	/** The running server of an arrangement. */
	private static final class Server {

		private final Arrangement arrangement;

		private final Clients clients;

		private final Ledger ledger = new Ledger();

		private final ConfigurableApplicationContext context;

		private final String url;

		private @Nullable Round oracle;

		Server(Arrangement arrangement, Clients clients) {
			this.arrangement = arrangement;
			this.clients = clients;
			Map<String, Object> properties = clients.properties();
			properties.put("server.port", "0");
			properties.put("server.shutdown", "immediate");
			properties.putAll(arrangement.properties());
			this.context = new SpringApplicationBuilder(ServerApplication.class)
				.sources(arrangement.configurations().toArray(Class<?>[]::new))
				.web(WebApplicationType.SERVLET)
				.properties(properties)
				.initializers((context) -> {
					context.getBeanFactory().registerSingleton("ledger", this.ledger);
					arrangement.register((GenericApplicationContext) context, this.ledger);
				})
				.run();
			this.url = "http://localhost:" + ((WebServerApplicationContext) this.context).getWebServer().getPort();
		}

		Map<String, Vault> proxies(BiFunction<String, String, Vault> creator) {
			Map<String, Vault> proxies = new LinkedHashMap<>();
			this.arrangement.personas()
				.keySet()
				.forEach((persona) -> proxies.put(persona, creator.apply(this.url, persona)));
			return proxies;
		}

		/** Two rounds over HTTP, which have to be alike. */
		Round oracle() {
			if (this.oracle == null) {
				Map<String, Vault> proxies = proxies((url, persona) -> this.clients.overHttp(Vault.class, url,
						this.arrangement.personas().get(persona)));
				Round first = round(proxies, null);
				Round second = round(proxies, first.entries());
				List<String> differences = new ArrayList<>();
				compare(2, first, second, differences);
				assertThat(differences).as("%s does not end alike over HTTP", this.arrangement).isEmpty();
				this.oracle = second;
			}
			return this.oracle;
		}

		/**
		 * Makes all calls and waits for what filters do after an answer has been sent.
		 */
		Round round(Map<String, Vault> proxies, @Nullable Map<String, Integer> expected) {
			this.ledger.reset();
			Map<String, String> endings = new LinkedHashMap<>();
			Map<String, String> memory = new TreeMap<>();
			for (Step step : this.arrangement.steps()) {
				Vault vault = proxies.get(step.persona());
				endings.put(step.name() + ((step.persona().isEmpty()) ? "" : " of " + step.persona()),
						Ending.of(() -> step.call().on(vault, memory)));
			}
			try {
				if (expected != null) {
					await().atMost(Duration.ofSeconds(2))
						.pollDelay(Duration.ZERO)
						.pollInterval(Duration.ofMillis(2))
						.until(() -> this.ledger.entries().equals(expected));
				}
				else {
					await().during(Duration.ofMillis(200))
						.atMost(Duration.ofSeconds(10))
						.until(new Unchanged(this.ledger)::check);
				}
			}
			catch (ConditionTimeoutException ex) {
				// The comparison says what is different.
			}
			return new Round(endings, this.ledger.entries());
		}

	}

	/** Whether a ledger is as it was when it was looked at before. */
	private static final class Unchanged {

		private final Ledger ledger;

		private @Nullable Map<String, Integer> before;

		Unchanged(Ledger ledger) {
			this.ledger = ledger;
		}

		boolean check() {
			Map<String, Integer> now = this.ledger.entries();
			boolean unchanged = now.equals(this.before);
			this.before = now;
			return unchanged;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(VaultController.class)
	static class ServerApplication {

	}

}
