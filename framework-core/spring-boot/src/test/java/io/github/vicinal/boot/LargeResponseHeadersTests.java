package io.github.vicinal.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.Filter;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses whose own headers just fit into what a server allows are not made too large
 * by the announcement.
 */
@Timeout(120)
class LargeResponseHeadersTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final HttpClient client = HttpClient.newHttpClient();

	private String url = "";

	@Test
	void areNotMadeTooLarge() throws Exception {
		ConfigurableApplicationContext server = this.applications.start(Server.class,
				Map.of("vicinal.rendezvous.directory", this.directory.resolve("meet").toString()));
		this.url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		for (String kind : List.of("header", "small", "cookie", "redirect", "error", "filter", "entity")) {
			isNotMadeTooLarge(kind);
		}
	}

	private void isNotMadeTooLarge(String kind) throws Exception {
		int largest = largest(kind);
		for (String question : new String[] { Answers.class.getName(), Answers.class.getName() + "; confirm",
				HttpExchanges.contract().name() }) {
			for (int size : new int[] { largest, largest - 20, largest - 100, largest - 300, largest - 1000 }) {
				assertThat(answer(kind, size, question).statusCode()).as("%s to %s with %d", kind, question, size)
					.isEqualTo(answer(kind, size, "").statusCode());
			}
			assertThat(answer(kind, 100, question).headers().firstValue(PeerAnnouncement.HEADER)).isPresent();
		}
	}

	private int largest(String kind) throws IOException, InterruptedException {
		int fits = 5000;
		int tooLarge = 10000;
		assertThat(answer(kind, fits, "").headers().map()).containsKey("x-answer");
		while (tooLarge - fits > 1) {
			int middle = (fits + tooLarge) / 2;
			if (answer(kind, middle, "").headers().firstValue("X-Answer").isPresent()) {
				fits = middle;
			}
			else {
				tooLarge = middle;
			}
		}
		return fits;
	}

	private HttpResponse<String> answer(String kind, int size, String question)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create(this.url + "/answers/" + kind + "?size=" + size));
		if (!question.isEmpty()) {
			request.header(PeerAnnouncement.REQUEST_HEADER, question).header(PeerAnnouncement.SENT_HEADERS_HEADER, "");
		}
		return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	@AffinityChannel
	@HttpExchange("/answers")
	interface Answers {

		@GetExchange("/{kind}")
		ResponseEntity<String> of(@PathVariable String kind, @RequestParam int size);

	}

	@RestController
	static class AnswerController {

		@GetMapping("/answers/{kind}")
		ResponseEntity<String> of(@PathVariable String kind, @RequestParam int size, HttpServletResponse response)
				throws IOException {
			String text = "x".repeat(size);
			response.setHeader("X-Answer", "yes");
			switch (kind) {
				case "header" -> response.setHeader("X-Large", text);
				case "small" -> {
					for (int left = size; left > 0; left -= 20) {
						response.addHeader("X", text.substring(0, Math.min(15, left)));
					}
				}
				case "cookie" -> response.addCookie(new Cookie("large", text));
				case "redirect" -> response.sendRedirect("/" + text);
				case "error" -> {
					response.setHeader("X-Large", text);
					response.sendError(409);
				}
				case "entity" -> {
					return ResponseEntity.status(201).header(HttpHeaders.LINK, text).body("linked");
				}
				default -> {
				}
			}
			return response.isCommitted() ? ResponseEntity.status(response.getStatus()).build()
					: ResponseEntity.ok("answered");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(AnswerController.class)
	static class Server {

		@Bean
		Filter filter() {
			return (request, response, chain) -> {
				if (((HttpServletRequest) request).getRequestURI().endsWith("/filter")) {
					((HttpServletResponse) response).addHeader("X-Large",
							"x".repeat(Integer.parseInt(request.getParameter("size"))));
				}
				chain.doFilter(request, response);
			};
		}

	}

}
