package io.github.vicinal.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.vicinal.channel.AffinityChannel;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Responses that end their connection, which confirmations ask for. */
@Timeout(90)
class ConfirmedResponsesTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@TempDir
	private Path directory;

	@AffinityChannel
	@HttpExchange("/answers")
	interface Answers {

		@GetExchange
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Service implements Answers {

		@Override
		public String get() {
			return "blue";
		}

		@GetMapping("/broken")
		void broken(HttpServletResponse response) throws IOException {
			response.getOutputStream().write("half".getBytes(StandardCharsets.US_ASCII));
			response.flushBuffer();
			throw new IllegalStateException("broken");
		}

		@GetMapping("/map")
		Map<String, String> map() {
			return Map.of("colour", get());
		}

		@GetMapping("/nothing")
		void nothing(HttpServletResponse response) throws IOException {
			response.getOutputStream();
			response.setStatus(204);
		}

	}

	private int service() {
		return Integer.parseInt(this.applications
			.start(Service.class,
					Map.of("vicinal.server.paths", "uds", "vicinal.rendezvous.directory",
							this.directory.resolve("rendezvous").toString()))
			.getEnvironment()
			.getRequiredProperty("local.server.port"));
	}

	/** The end of a connection says nothing about whether a response is complete. */
	@Test
	void aBrokenResponseToAConfirmationIsNoWholeOne() throws Exception {
		int blue = service();
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpRequest broken = confirmation(blue, "/answers/broken");
		assertThatIOException().isThrownBy(() -> client.send(broken, BodyHandlers.ofString()));
		HttpResponse<String> map = client.send(confirmation(blue, "/answers/map"), BodyHandlers.ofString());
		assertThat(map.body()).isEqualTo("{\"colour\":\"blue\"}");
		assertThat(map.headers().map()).containsEntry("connection", List.of("close"))
			.containsEntry("transfer-encoding", List.of("chunked"));
		HttpResponse<String> text = client.send(confirmation(blue, "/answers"), BodyHandlers.ofString());
		assertThat(text.headers().map()).containsEntry("connection", List.of("close"))
			.containsEntry("content-length", List.of("4"))
			.doesNotContainKey("transfer-encoding");
		HttpResponse<String> nothing = client.send(confirmation(blue, "/answers/nothing"), BodyHandlers.ofString());
		assertThat(nothing.statusCode()).isEqualTo(204);
		assertThat(nothing.headers().map()).containsEntry("connection", List.of("close"))
			.doesNotContainKeys("content-length", "transfer-encoding");
	}

	private static HttpRequest confirmation(int port, String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.header("Vicinal-Contract", Answers.class.getName() + "; confirm")
			.build();
	}

}
