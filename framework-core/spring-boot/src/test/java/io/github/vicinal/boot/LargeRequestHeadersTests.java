package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

import io.github.vicinal.channel.AffinityChannel;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.HttpServiceProxyRegistry;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests whose own headers just fit into what a server accepts are not made too large
 * by the headers that ask for paths.
 */
@Timeout(180)
class LargeRequestHeadersTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@ValueSource(strings = { "jdk", "http-components", "reactor" })
	void areNotMadeTooLarge(String library) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.rendezvous.directory", rendezvous));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		Map<String, Object> properties = Map.of("vicinal.rendezvous.directory", rendezvous,
				"spring.http.clients.imperative.factory", library, "spring.http.clients.reactive.connector",
				library.equals("jdk") ? "jdk" : "reactor", "spring.http.serviceclient.tokens.base-url", url, "url", url,
				"vicinal.server.enabled", "false");
		Map<String, Object> without = new TreeMap<>(properties);
		without.put("vicinal.enabled", "false");
		Map<String, IntUnaryOperator> plain = clients(this.applications.start(Client.class, without), url);
		Map<String, IntUnaryOperator> asking = clients(this.applications.start(Client.class, properties), url);
		Map<String, String> differences = new TreeMap<>();
		asking.forEach((name, client) -> {
			int largest = largest(plain.get(name));
			for (int length : new int[] { largest, largest - 40, largest - 150, largest - 400, largest - 2000, 10 }) {
				int answer = client.applyAsInt(length);
				if (answer != length) {
					differences.put(name + " with " + length, String.valueOf(answer));
				}
			}
		});
		assertThat(differences).isEmpty();
	}

	/** Cookies of a library's store become a header only when it sends the request. */
	@ParameterizedTest
	@ValueSource(strings = { "jdk", "http-components" })
	void areNotMadeTooLargeByCookiesOfAStore(String library) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.rendezvous.directory", rendezvous));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		Map<String, Object> properties = Map.of("vicinal.rendezvous.directory", rendezvous,
				"spring.http.clients.imperative.factory", library, "spring.http.clients.cookie-handling", "enable",
				"spring.http.serviceclient.tokens.base-url", url, "url", url, "vicinal.server.enabled", "false");
		Map<String, Object> without = new TreeMap<>(properties);
		without.put("vicinal.enabled", "false");
		Map<String, IntUnaryOperator> plain = cookieClients(this.applications.start(Client.class, without), url);
		Map<String, IntUnaryOperator> asking = cookieClients(this.applications.start(Client.class, properties), url);
		Map<String, String> differences = new TreeMap<>();
		asking.forEach((name, client) -> {
			int length = 6000;
			while (plain.get(name).applyAsInt(length) == length) {
				int answer = client.applyAsInt(length);
				if (answer != length) {
					differences.put(name + " with " + length, String.valueOf(answer));
				}
				length += 40;
			}
			if (length < 7500) {
				differences.put(name, "plain ends at " + length);
			}
		});
		assertThat(differences).isEmpty();
	}

	private static Map<String, IntUnaryOperator> cookieClients(ConfigurableApplicationContext application, String url) {
		Tokens typed = application.getBean(HttpServiceProxyRegistry.class).getClient("tokens", Tokens.class);
		RestClient rest = application.getBean(RestClient.Builder.class).baseUrl(url).build();
		return Map.of("typed", safe((length) -> {
			typed.keep("a", 4000);
			typed.keep("b", length - 4000);
			return typed.kept();
		}), "RestClient", safe((length) -> {
			rest.get().uri("/tokens/keep/a/4000").retrieve().toBodilessEntity();
			rest.get().uri("/tokens/keep/b/{length}", length - 4000).retrieve().toBodilessEntity();
			return rest.get().uri("/tokens/kept").retrieve().body(Integer.class);
		}));
	}

	private static Map<String, IntUnaryOperator> clients(ConfigurableApplicationContext application, String url) {
		Tokens typed = application.getBean(HttpServiceProxyRegistry.class).getClient("tokens", Tokens.class);
		Tokens reactive = application.getBean("reactiveTokens", Tokens.class);
		FeignTokens feign = application.getBean(FeignTokens.class);
		RestClient rest = application.getBean(RestClient.Builder.class).baseUrl(url).build();
		var template = application.getBean(RestTemplateBuilder.class).rootUri(url).build();
		WebClient web = application.getBean(WebClient.Builder.class).baseUrl(url).build();
		return Map.of("typed", safe((length) -> typed.length(token(length))), "reactive",
				safe((length) -> reactive.length(token(length))), "feign",
				safe((length) -> feign.length(token(length))), "RestClient",
				safe((length) -> rest.get()
					.uri("/tokens")
					.header(HttpHeaders.AUTHORIZATION, token(length))
					.retrieve()
					.body(Integer.class)),
				"RestTemplate", safe((length) -> {
					HttpHeaders headers = new HttpHeaders();
					headers.set(HttpHeaders.AUTHORIZATION, token(length));
					return template.exchange("/tokens", HttpMethod.GET, new HttpEntity<>(headers), Integer.class)
						.getBody();
				}), "WebClient",
				safe((length) -> web.get()
					.uri("/tokens")
					.cookie("token", token(length))
					.retrieve()
					.bodyToMono(Integer.class)
					.block()));
	}

	private static String token(int length) {
		return "x".repeat(length);
	}

	/** Turns failures into {@code -1}. */
	private static IntUnaryOperator safe(IntFunction<Integer> call) {
		return (length) -> {
			try {
				return call.apply(length);
			}
			catch (RuntimeException ex) {
				return -1;
			}
		};
	}

	private static int largest(IntUnaryOperator client) {
		int fits = 5000;
		int tooLarge = 10000;
		assertThat(client.applyAsInt(fits)).isEqualTo(fits);
		while (tooLarge - fits > 1) {
			int middle = (fits + tooLarge) / 2;
			if (client.applyAsInt(middle) == middle) {
				fits = middle;
			}
			else {
				tooLarge = middle;
			}
		}
		return fits;
	}

	@AffinityChannel
	@HttpExchange("/tokens")
	interface Tokens {

		@GetExchange
		int length(@RequestHeader(name = "Authorization", required = false) String token);

		@GetExchange("/keep/{name}/{length}")
		void keep(@PathVariable String name, @PathVariable int length);

		@GetExchange("/kept")
		int kept();

	}

	@AffinityChannel
	@FeignClient(name = "feign-tokens", url = "${url}")
	interface FeignTokens {

		@GetMapping("/tokens")
		int length(@RequestHeader(name = "Authorization", required = false) String token);

	}

	@RestController
	static class TokenController {

		@GetMapping("/tokens")
		int length(@RequestHeader(name = "Authorization", required = false) String token,
				@CookieValue(name = "token", required = false) String cookie) {
			return (token != null) ? token.length() : cookie.length();
		}

		@GetMapping("/tokens/keep/{name}/{length}")
		void keep(@PathVariable String name, @PathVariable int length, HttpServletResponse response) {
			response.addHeader(HttpHeaders.SET_COOKIE, name + "=" + token(length) + "; Path=/");
		}

		@GetMapping("/tokens/kept")
		int kept(@CookieValue String a, @CookieValue String b) {
			return a.length() + b.length();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TokenController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableFeignClients(clients = FeignTokens.class)
	@ImportHttpServices(group = "tokens", types = Tokens.class)
	static class Client {

		/** As Spring Boot does where its module for WebClient is. */
		@Bean
		@Scope("prototype")
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors) {
			return WebClient.builder().clientConnector(connectors.build(HttpClientSettings.defaults()));
		}

		@Bean
		Tokens reactiveTokens(WebClient.Builder builder, @Value("${url}") String url) {
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(builder.baseUrl(url).build()))
				.build()
				.createClient(Tokens.class);
		}

	}

}
