package io.github.vicinal.boot;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A server refuses requests whose line and headers are longer than it allows. */
@Timeout(120)
class LongRequestTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@CsvSource({ "direct, 8KB, query, \u65e5, 1000, 0, 400", "uds, 8KB, query, ü, 1400, 0, 400",
			"direct, 8KB, query, x, 1400, 0, 200", "direct, 8KB, path, \u65e5, 1000, 0, 400",
			"uds, 1KB, header, x, 1000, 0, 400", "direct, 1KB, query, x, 1000, 0, 400",
			"direct, 5KB, query, x, 1450, 3500, 400", "uds, 1KB, numbers, 7, 60, 0, 400",
			"direct, 1KB, large, 7, 1100, 0, 400" })
	void areRefusedAsOverHttp(String path, String limit, String where, String character, int length, int more,
			int status) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class, Map.of("vicinal.server.paths",
				path, "vicinal.rendezvous.directory", rendezvous, "server.max-http-request-header-size", limit));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		String header = "x".repeat(more);
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.texts.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.serviceclient.texts.base-url", url,
						"spring.http.serviceclient.texts.default-header.X-More", header));
		Texts texts = client.getBean(Texts.class);
		await().untilAsserted(() -> {
			long before = typed(client, path);
			assertThat(texts.query("short")).isEqualTo("5");
			assertThat(typed(client, path)).isGreaterThan(before);
		});
		Texts plain = HttpServiceProxyFactory
			.builderFor(
					RestClientAdapter.create(RestClient.builder().baseUrl(url).defaultHeader("X-More", header).build()))
			.build()
			.createClient(Texts.class);
		assertThat(status(plain, where, character, length)).as("over HTTP").isEqualTo(status);
		assertThat(status(texts, where, character, length)).isEqualTo(status);
	}

	private static long typed(ConfigurableApplicationContext client, String path) {
		return client.getBean(ChannelsEndpoint.class)
			.channel("texts")
			.peers()
			.stream()
			.map(PeerReport::paths)
			.flatMap(List::stream)
			.filter((each) -> each.path().equals(path))
			.mapToLong(PathReport::calls)
			.sum();
	}

	private static int status(Texts texts, String where, String character, int length) {
		String text = character.repeat(length);
		try {
			switch (where) {
				case "query" -> texts.query(text);
				case "path" -> texts.path(text);
				case "header" -> texts.header(text);
				case "numbers" -> texts.numbers(Collections.nCopies(length, 1234567890123456789L));
				default -> texts.large(new BigInteger(text));
			}
			return HttpStatus.OK.value();
		}
		catch (HttpStatusCodeException ex) {
			return ex.getStatusCode().value();
		}
	}

	@AffinityChannel
	@HttpExchange("/texts")
	interface Texts {

		@GetExchange
		String query(@RequestParam String text);

		@GetExchange("/{text}")
		String path(@PathVariable String text);

		@GetExchange("/header")
		String header(@RequestHeader("X-Text") String text);

		@GetExchange("/numbers")
		String numbers(@RequestParam List<Long> numbers);

		@GetExchange("/large")
		String large(@RequestParam BigInteger number);

	}

	@RestController
	static class TextController implements Texts {

		@Override
		public String query(String text) {
			return String.valueOf(text.length());
		}

		@Override
		public String path(String text) {
			return query(text);
		}

		@Override
		public String header(String text) {
			return query(text);
		}

		@Override
		public String numbers(List<Long> numbers) {
			return String.valueOf(numbers.size());
		}

		@Override
		public String large(BigInteger number) {
			return query(number.toString());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TextController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "texts", types = Texts.class)
	static class Client {

	}

}
