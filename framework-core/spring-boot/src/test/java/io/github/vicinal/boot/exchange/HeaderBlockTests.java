package io.github.vicinal.boot.exchange;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/** Heads of 64 KB: what the server's limits allow arrives, and all else is refused. */
@Timeout(120)
class HeaderBlockTests {

	private static final int ATTEMPTS = 3;

	private static final int KILOBYTES = 64;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@CsvSource({ "direct, 8KB, http-components", "direct, 100KB, jdk", "shm, 100KB, http-components" })
	void areThoseOfHttp(String path, String limit, String library) {
		ConfigurableApplicationContext server = this.applications.start(BlockApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate",
						"server.max-http-request-header-size", limit, "server.tomcat.max-http-response-header-size",
						limit));
		ConfigurableApplicationContext client = this.applications.client(path, library);
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain(library))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		long before = ExchangeBehaviourTests.calls(sent, path);
		Map<String, Function<RestClient, String>> blocks = new LinkedHashMap<>();
		blocks.put("few fields", (requests) -> sent(requests, 9));
		blocks.put("many fields", (requests) -> sent(requests, 90));
		blocks.put("one field", (requests) -> sent(requests, 1));
		blocks.put("few fields of a response", (requests) -> received(requests, 9));
		blocks.put("many fields of a response", (requests) -> received(requests, 90));
		blocks.forEach((name, block) -> {
			String expected = outcome(block, plain);
			assertThat(expected).as(name).isEqualTo(limit.equals("8KB") ? "refused" : KILOBYTES + " KB");
			for (int i = 0; i < ATTEMPTS; i++) {
				assertThat(outcome(block, exchanges)).as("%s, attempt %d", name, i).isEqualTo(expected);
			}
		});
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThanOrEqualTo(before + 5 * ATTEMPTS);
	}

	/**
	 * Where it is refused, Tomcat closes the connection, and its response may be lost.
	 */
	private static String outcome(Function<RestClient, String> block, RestClient client) {
		try {
			return block.apply(client);
		}
		catch (RestClientException ex) {
			return "refused";
		}
	}

	private static String value(int fields) {
		return "v".repeat((KILOBYTES * 1024 - 200) / fields);
	}

	private static String sent(RestClient client, int fields) {
		return String.valueOf(client.get().uri("/sent").headers((headers) -> {
			for (int i = 0; i < fields; i++) {
				headers.add("X-Field-" + i, value(fields));
			}
		}).retrieve().body(String.class));
	}

	private static String received(RestClient client, int fields) {
		HttpHeaders headers = client.get()
			.uri("/received?fields={fields}", fields)
			.retrieve()
			.toBodilessEntity()
			.getHeaders();
		long bytes = headers.headerNames()
			.stream()
			.filter((name) -> name.regionMatches(true, 0, "X-Field", 0, 7))
			.mapToLong((name) -> String.valueOf(headers.getFirst(name)).length())
			.sum();
		return kilobytes(bytes);
	}

	private static String kilobytes(long bytes) {
		return Math.round(bytes / 1024.0) + " KB";
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, Blocks.class })
	static class BlockApplication {

	}

	@RestController
	static class Blocks {

		@GetMapping("/sent")
		String sent(HttpServletRequest request) {
			return kilobytes(Collections.list(request.getHeaderNames())
				.stream()
				.filter((name) -> name.regionMatches(true, 0, "X-Field", 0, 7))
				.mapToLong((name) -> request.getHeader(name).length())
				.sum());
		}

		@GetMapping("/received")
		String received(@RequestParam int fields, HttpServletResponse response) {
			for (int i = 0; i < fields; i++) {
				response.setHeader("X-Field-" + i, value(fields));
			}
			return "fields";
		}

	}

}
