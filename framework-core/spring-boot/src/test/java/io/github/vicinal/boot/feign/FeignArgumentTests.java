package io.github.vicinal.boot.feign;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

import feign.FeignException;
import io.github.vicinal.boot.RunningApplications;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.feign.FeignChannelTests.Carried;
import io.github.vicinal.boot.feign.FeignChannelTests.Seen;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.testing.InTurn;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Arguments of all kinds arrive as over HTTP, and make the same request: Feign's
 * templates have ways of their own to write them.
 */
@Timeout(300)
class FeignArgumentTests {

	private static final int TRIES = 400;

	private static final long SEED = 20261128;

	/** What is special to URIs, templates, headers, or Feign. */
	private static final String[] PIECES = { "a", "B", "7", "-", "_", ".", "~", " ", "+", ",", ";", ":", "@", "&", "=",
			"?", "#", "/", "%", "%20", "%2F", "{", "}", "{text}", "(", ")", "[", "]", "*", "'", "\"", "!", "$", "|",
			"\\", "^", "<", ">", "\u00e4", "\u20ac", "\u4e2d", "\uD83D\uDE00", "http:", "null", "undef" };

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@TempDir(factory = MemoryTempDirFactory.class)
	private Path rendezvous;

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.rendezvous.directory",
				this.rendezvous.resolve("meet").toString(), "spring.cloud.openfeign.httpclient.hc5.enabled", "false"));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	@FunctionalInterface
	interface Call {

		@Nullable Object of(Arguments arguments);

	}

	private static String ending(Call call, Arguments arguments) {
		try {
			return String.valueOf(call.of(arguments));
		}
		catch (FeignException ex) {
			return (ex.getClass() + " " + ex.getMessage() + " " + ex.contentUTF8()).replaceAll("timestamp\":\"[^\"]*",
					"");
		}
		catch (RuntimeException ex) {
			return String.valueOf(ex);
		}
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(5); i >= 0; i--) {
			text.append(PIECES[random.nextInt(PIECES.length)]);
		}
		return text.toString();
	}

	private static Map<String, Call> calls(Random random) {
		Map<String, Call> calls = new LinkedHashMap<>();
		for (int i = 0; i < TRIES; i++) {
			String text = text(random);
			List<String> texts = new ArrayList<>();
			for (int n = random.nextInt(3); n >= 0; n--) {
				texts.add(text(random));
			}
			double ratio = Double.longBitsToDouble(random.nextLong());
			BigDecimal decimal = new BigDecimal(new BigInteger(1 + random.nextInt(90), random), random.nextInt(80) - 40)
				.negate();
			Instant at = Instant.ofEpochSecond(random.nextInt(), random.nextInt(3) * 1_000_000L);
			UUID key = new UUID(random.nextLong(), random.nextLong());
			long number = random.nextLong();
			Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
			Integer maybe = random.nextBoolean() ? random.nextInt() : null;
			calls.put("query '" + text + "'", (arguments) -> arguments.query(text));
			calls.put("path '" + text + "'", (arguments) -> arguments.path(text, number));
			calls.put("header '" + text + "'", (arguments) -> arguments.header(text));
			calls.put("list " + texts, (arguments) -> arguments.list(texts));
			calls.put("numbers %s %s %s".formatted(decimal, ratio, number),
					(arguments) -> arguments.numbers(number, decimal, ratio, (float) ratio, (short) number, maybe));
			calls.put("values %s %s %s".formatted(at, key, kind), (arguments) -> arguments.values(kind, key, at, kind));
			calls.put("form '%s' %s".formatted(text, maybe), (arguments) -> arguments.check(new Form(text, maybe)));
		}
		return calls;
	}

	@ParameterizedTest
	@InTurn({ "shm,false", "direct,false", "shm,true" })
	void requestsAreTheSame(String path, boolean apache) {
		ConfigurableApplicationContext server = start(Server.class, Map.of());
		String url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		String library = "spring.cloud.openfeign.httpclient.hc5.enabled";
		Arguments plain = start(Client.class, Map.of("vicinal.enabled", "false", "arguments.url", url, library, apache))
			.getBean(Arguments.class);
		ConfigurableApplicationContext client = start(Client.class,
				Map.of("vicinal.channels.arguments.paths", path, "arguments.url", url, library, apache));
		Arguments typed = client.getBean(Arguments.class);
		typed.query("x");
		typed.path("x", 1);
		typed.header("x");
		typed.list(List.of("x"));
		typed.numbers(1, BigDecimal.ONE, 1, 1, (short) 1, 1);
		typed.values(Kind.PLAIN, new UUID(1, 1), Instant.EPOCH, Kind.PLAIN);
		typed.check(new Form("x", 1));
		await().untilAsserted(() -> {
			ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("arguments");
			assertThat(report).isNotNull();
			assertThat(report.peers().get(0).path()).isEqualTo(path);
		});
		Seen seen = server.getBean(Seen.class);
		Carried carried = client.getBean(Carried.class);
		Map<String, Integer> ways = new TreeMap<>();
		calls(new Random(SEED)).forEach((name, call) -> {
			seen.clear();
			String expected = ending(call, plain);
			List<String> requests = seen.requests();
			seen.clear();
			carried.clear();
			assertThat(ending(call, typed)).as(name).isEqualTo(expected);
			assertThat(seen.requests()).as(name).isEqualTo(requests);
			carried.ways().forEach((way) -> ways.merge(way.split(" ")[0], 1, Integer::sum));
		});
		assertThat(ways.get(path)).as("of %s", ways).isGreaterThan(3 * TRIES);
		assertThat(ways.get("http")).isNotNull();
	}

	enum Kind {

		PLAIN, $DOLLAR, \u00c4RGER

	}

	record Form(@NotBlank @Nullable String name, @NotNull @Max(1000) @Nullable Integer count) {
	}

	@AffinityChannel
	@FeignClient(name = "arguments", url = "${arguments.url}")
	interface Arguments {

		@GetMapping("/arguments/query")
		String query(@RequestParam("the_text") String text);

		@GetMapping("/arguments/{text}/of/{number}")
		String path(@PathVariable String text, @PathVariable("number") long number);

		@GetMapping("/arguments/header")
		String header(@RequestHeader("X-Text") String text);

		@GetMapping("/arguments/list")
		String list(@RequestParam List<String> texts);

		@GetMapping("/arguments/numbers/{number}")
		String numbers(@PathVariable long number, @RequestParam BigDecimal decimal, @RequestParam double ratio,
				@RequestParam float small, @RequestParam short few,
				@RequestParam(required = false) @Nullable Integer maybe);

		@GetMapping("/arguments/values/{kind}/{key}")
		String values(@PathVariable Kind kind, @PathVariable UUID key, @RequestParam Instant at,
				@RequestHeader("X-Kind") Kind other);

		@PostMapping("/arguments")
		String check(Form form);

	}

	@RestController
	@RequestMapping("/arguments")
	static class ArgumentsController {

		@GetMapping("/query")
		String query(@RequestParam("the_text") String text) {
			return "[" + text + "]";
		}

		@GetMapping("/{text}/of/{number}")
		String path(@PathVariable String text, @PathVariable long number) {
			return "[" + text + "]" + number;
		}

		@GetMapping("/header")
		String header(@RequestHeader("X-Text") String text) {
			return "[" + text + "]";
		}

		@GetMapping("/list")
		String list(@RequestParam List<String> texts) {
			return texts.size() + " " + texts;
		}

		@GetMapping("/numbers/{number}")
		String numbers(@PathVariable long number, @RequestParam BigDecimal decimal, @RequestParam double ratio,
				@RequestParam float small, @RequestParam short few,
				@RequestParam(required = false) @Nullable Integer maybe) {
			return "%s %s %s %s %s %s".formatted(number, decimal, ratio, small, few, maybe);
		}

		@GetMapping("/values/{kind}/{key}")
		String values(@PathVariable Kind kind, @PathVariable UUID key, @RequestParam Instant at,
				@RequestHeader("X-Kind") Kind other) {
			return "%s %s %s %s".formatted(kind, key, at, other);
		}

		@PostMapping
		String check(@Valid @RequestBody Form form) {
			return form.toString();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ArgumentsController.class, FeignChannelTests.Noting.class })
	static class Server {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = Arguments.class)
	static class Client {

		@Bean
		Carried carried() {
			return new Carried();
		}

	}

}
