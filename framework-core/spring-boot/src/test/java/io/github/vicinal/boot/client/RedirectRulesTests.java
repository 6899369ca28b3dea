package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.path.Reply;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

class RedirectRulesTests {

	private static final URI FROM = URI.create("http://orders:8080/a");

	private static HttpHeaders headers(String... names) {
		HttpHeaders headers = new HttpHeaders();
		for (String name : names) {
			headers.set(name, "secret");
		}
		return headers;
	}

	private static RedirectRules.Hop hop(String to) {
		return new RedirectRules.Hop(URI.create(to), HttpMethod.GET, true, false);
	}

	@ParameterizedTest
	@EnumSource(RedirectRules.class)
	void credentialsStayWithTheirOrigin(RedirectRules rules) {
		for (String to : new String[] { "http://other:8080/b", "http://orders:8081/b", "https://orders:8080/b" }) {
			HttpHeaders headers = headers("Authorization", "Cookie", "X-Tenant");
			assertThat(rules.mayLeave(FROM, hop(to), headers)).isEqualTo(rules != RedirectRules.APACHE);
			assertThat(headers.headerNames()).containsExactly("X-Tenant");
			assertThat(rules.mayLeave(FROM, hop(to), headers("X-Tenant"))).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(RedirectRules.class)
	void credentialsGoWithinTheirOrigin(RedirectRules rules) {
		HttpHeaders headers = headers("Authorization", "Cookie");
		assertThat(rules.mayLeave(FROM, hop("http://Orders:8080/b"), headers)).isTrue();
		if (rules == RedirectRules.JETTY) {
			assertThat(headers.headerNames()).as("Jetty's client leaves them behind").isEmpty();
		}
		else {
			assertThat(headers.headerNames()).containsExactlyInAnyOrder("Authorization", "Cookie");
		}
	}

	/** The next request of the libraries themselves. */
	@ParameterizedTest
	@EnumSource(RedirectRules.class)
	void rulesAreThoseOfTheLibraries(RedirectRules rules) throws IOException {
		List<String> requests = new CopyOnWriteArrayList<>();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			int bytes = exchange.getRequestBody().readAllBytes().length;
			String path = exchange.getRequestURI().getPath();
			if (path.equals("/target")) {
				requests.add(exchange.getRequestMethod() + ((bytes > 0) ? " with a body" : ""));
				exchange.sendResponseHeaders(200, -1);
			}
			else {
				exchange.getResponseHeaders().set("Location", "/target");
				exchange.sendResponseHeaders(Integer.parseInt(path.substring(1)), -1);
			}
			exchange.close();
		});
		server.start();
		Map<String, String> expected = new LinkedHashMap<>();
		Map<String, String> actual = new LinkedHashMap<>();
		try {
			ClientHttpRequestFactory library = library(rules);
			for (int status : new int[] { 301, 302, 303, 306, 307, 308 }) {
				for (String request : List.of("GET", "HEAD", "DELETE", "POST", "PUT", "POST with a body",
						"PUT with a body")) {
					URI from = URI.create("http://localhost:%d/%d".formatted(server.getAddress().getPort(), status));
					requests.clear();
					send(library, from, request);
					expected.put(status + " after " + request, requests.toString());
					actual.put(status + " after " + request, next(rules, from, status, request));
				}
			}
		}
		finally {
			server.stop(0);
		}
		assertThat(actual).isEqualTo(expected);
	}

	private static ClientHttpRequestFactory library(RedirectRules rules) {
		HttpClientSettings settings = HttpClientSettings.defaults();
		return switch (rules) {
			case JDK -> ClientHttpRequestFactoryBuilder.jdk().build(settings);
			case APACHE -> ClientHttpRequestFactoryBuilder.httpComponents().build(settings);
			case REACTOR -> ClientHttpRequestFactoryBuilder.reactor().build(settings);
			case JETTY -> ClientHttpRequestFactoryBuilder.jetty().build(settings);
			case URL_CONNECTION -> ClientHttpRequestFactoryBuilder.simple().build(settings);
		};
	}

	private static void send(ClientHttpRequestFactory library, URI to, String request) {
		HttpMethod method = HttpMethod.valueOf(request.split(" ")[0]);
		RestClient.RequestBodySpec spec = RestClient.builder().requestFactory(library).build().method(method).uri(to);
		if (request.endsWith("body")) {
			spec.body(Map.of("a", 1));
		}
		spec.retrieve().onStatus((status) -> true, (sent, response) -> {
		}).toBodilessEntity();
	}

	private static String next(RedirectRules rules, URI from, int status, String request) {
		HttpMethod method = HttpMethod.valueOf(request.split(" ")[0]);
		RedirectRules.Hop hop = rules.after(method, from,
				new Reply.Failure(status, Map.of("Location", List.of("/target")), new byte[0], ""));
		if (hop == null || (hop.keepsBody() && request.endsWith("body") && !rules.repeatsBodies())) {
			return "[]";
		}
		return "[" + hop.method() + ((hop.keepsBody() && request.endsWith("body")) ? " with a body" : "") + "]";
	}

}
