package io.github.vicinal.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.support.SessionFlashMapManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Processing after a handler is the same over each path: views, error pages, meters. */
@Timeout(60)
class ErrorAnswerTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void exceptionHandlersAnswerWithViews(String path) {
		Pair pair = start(ViewService.class, path, "");
		for (String name : List.of("written", "redirected", "failing", "unknown")) {
			for (int i = 0; i < 2; i++) {
				// Tomcat knows the charset of English.
				String overHttp = pair.overHttp(name).replace("json;charset=UTF-8", "json");
				assertThat(pair.typed(name)).as(name).isEqualTo(overHttp);
			}
		}
		assertThat(pair.typed("written")).contains("418", "text/html", "<b>tea</b>");
		// Error pages of statuses that have no body.
		for (String name : List.of("204", "205", "206", "304")) {
			assertThat(pair.typed(name)).as(name).isEqualTo(pair.overHttp(name)).startsWith(name);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void redirectsLeadToWholeUrls(String path) {
		Pair pair = start(RedirectService.class, path, "");
		for (String to : List.of("/a/../b?c=/./d", "./x/y", "//other/z", "https://other/", "?q", "mailto:a@b", "ü b")) {
			pair.service().getBean(RedirectController.class).target = to;
			assertThat(pair.typed("away")).as(to).isEqualTo(pair.overHttp("away")).startsWith("302");
		}
	}

	@ParameterizedTest
	@InTurn(value = { "direct, false", "uds, false", "uds, true", "direct, true" }, rows = 2)
	void headersThatAnEntityVariesByAreAdded(String path, boolean cors) {
		Pair pair = start(cors ? CorsService.class : RedirectService.class, path, "");
		// Behind the interceptor of CORS the first call of a method goes over HTTP.
		pair.typed("varying");
		assertThat(pair.typed("varying")).isEqualTo(pair.overHttp("varying")).contains("X-Before", "X-Entity");
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void theDispatchersStrategiesAreAsked(String path) {
		Pair pair = start(FlashService.class, path, "");
		CountingFlashMapManager manager = pair.service().getBean(CountingFlashMapManager.class);
		int before = manager.asked.get();
		pair.overHttp("fine");
		int ofRequest = manager.asked.get() - before;
		pair.typed("fine");
		assertThat(manager.asked.get() - before).isEqualTo(2 * ofRequest);
		assertThat(ofRequest).isPositive();
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void theErrorControllerIsWhereItsPathIs(String path) {
		Pair pair = start(PrefixService.class, path, "/api");
		assertThat(pair.typed("missing")).isEqualTo(pair.overHttp("missing")).doesNotContain("timestamp");
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void observationConventionsSeeTheWrittenResponse(String path) {
		Pair pair = start(ObservedService.class, path, "");
		pair.overHttp("fine");
		await().untilAsserted(() -> assertThat(tags(pair)).containsExactly("text/plain;charset=UTF-8 yes"));
		pair.typed("fine");
		await().untilAsserted(() -> assertThat(tags(pair)).containsExactly("text/plain;charset=UTF-8 yes"));
	}

	private static Stream<String> tags(Pair pair) {
		return pair.service.getBean(MeterRegistry.class)
			.find("http.server.requests")
			.timers()
			.stream()
			.map(Timer::getId)
			.map((id) -> id.getTag("type") + " " + id.getTag("marked"));
	}

	private Pair start(Class<?> type, String path, String prefix) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(type,
				Map.of("vicinal.server.paths", path, "vicinal.rendezvous.directory", rendezvous));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port") + prefix;
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.teas.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.clients.imperative.factory", "jdk", "spring.http.clients.redirects", "dont-follow",
						"spring.http.serviceclient.teas.base-url", url));
		Pair pair = new Pair(service, client, url, path);
		await().untilAsserted(() -> {
			pair.typed("fine");
			pair.assertTyped();
		});
		return pair;
	}

	private record Pair(ConfigurableApplicationContext service, ConfigurableApplicationContext client, String url,
			String path) {

		private String typed(String name) {
			String outcome = outcome(() -> this.client.getBean(Teas.class).named(name));
			assertTyped();
			return outcome;
		}

		private void assertTyped() {
			PeerReport peer = this.client.getBean(ChannelsEndpoint.class).channel("teas").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(this.path);
		}

		private String overHttp(String name) {
			RestClient http = this.client.getBean(RestClient.Builder.class).baseUrl(this.url).build();
			return outcome(() -> http.get().uri("/teas/{name}", name).retrieve().toEntity(String.class));
		}

		private static String outcome(Supplier<ResponseEntity<String>> call) {
			try {
				ResponseEntity<String> entity = call.get();
				return described(entity.getStatusCode().value(), entity.getHeaders(), entity.getBody());
			}
			catch (RestClientResponseException ex) {
				HttpHeaders headers = ex.getResponseHeaders();
				return described(ex.getStatusCode().value(), (headers != null) ? headers : new HttpHeaders(),
						ex.getResponseBodyAsString(StandardCharsets.UTF_8));
			}
		}

		private static String described(int status, HttpHeaders headers, @Nullable String body) {
			return "%d %s %s %s %s %s".formatted(status, headers.getOrDefault("Vary", List.of()),
					headers.getFirst("Content-Type"), headers.getFirst("Location"),
					headers.getFirst("Content-Language"),
					String.valueOf(body).replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\""));
		}

	}

	@AffinityChannel
	@HttpExchange("/teas")
	interface Teas {

		@GetExchange("/{name}")
		ResponseEntity<String> named(@PathVariable String name);

	}

	@RestController
	static class TeaController implements Teas {

		@Override
		public ResponseEntity<String> named(String name) {
			return switch (name) {
				case "fine" -> ResponseEntity.ok().header("X-Marked", "yes").body("tea");
				case "missing" -> throw new ResponseStatusException(HttpStatus.NOT_FOUND);
				case "204", "205", "206", "304" ->
					throw new ResponseStatusException(HttpStatus.valueOf(Integer.parseInt(name)));
				default -> throw new IllegalStateException(name);
			};
		}

	}

	@RestController
	static class RedirectController implements Teas {

		private final ObjectProvider<HttpServletResponse> responses;

		private volatile String target = "";

		RedirectController(ObjectProvider<HttpServletResponse> responses) {
			this.responses = responses;
		}

		@Override
		public ResponseEntity<String> named(String name) {
			if (name.equals("away")) {
				try {
					this.responses.getObject().sendRedirect(this.target);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}
			if (name.equals("varying")) {
				this.responses.getObject().addHeader("Vary", "X-Before");
				return ResponseEntity.ok().varyBy("X-Entity", "x-before").body("tea");
			}
			return ResponseEntity.ok("tea");
		}

	}

	@ControllerAdvice
	static class Views {

		@ExceptionHandler(IllegalStateException.class)
		ModelAndView answer(IllegalStateException ex) {
			View written = (model, request, response) -> {
				response.setContentType("text/html;charset=UTF-8");
				response.getWriter().write("<b>" + model.get("what") + "</b>");
			};
			View failing = (model, request, response) -> {
				throw new IllegalArgumentException("no " + model.get("what"));
			};
			ModelAndView answer = switch (String.valueOf(ex.getMessage())) {
				case "written" -> new ModelAndView(written);
				case "redirected" -> new ModelAndView("redirect:/teas/fine");
				case "failing" -> new ModelAndView(failing);
				default -> new ModelAndView((View) (model, request, response) -> response.sendError(502));
			};
			answer.addObject("what", "tea");
			if (answer.getViewName() == null) {
				answer.setStatus(HttpStatus.I_AM_A_TEAPOT);
			}
			return answer;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ TeaController.class, Views.class })
	static class ViewService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(RedirectController.class)
	static class RedirectService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(RedirectController.class)
	static class CorsService implements WebMvcConfigurer {

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**").allowedOrigins("http://localhost");
		}

	}

	static class CountingFlashMapManager extends SessionFlashMapManager {

		private final AtomicInteger asked = new AtomicInteger();

		@Override
		protected @Nullable List<FlashMap> retrieveFlashMaps(HttpServletRequest request) {
			this.asked.incrementAndGet();
			return super.retrieveFlashMaps(request);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TeaController.class)
	static class FlashService {

		@Bean
		CountingFlashMapManager flashMapManager() {
			return new CountingFlashMapManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TeaController.class)
	static class PrefixService implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			configurer.addPathPrefix("/api", (type) -> true);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TeaController.class)
	static class ObservedService {

		@Bean
		DefaultServerRequestObservationConvention convention() {
			return new DefaultServerRequestObservationConvention() {

				@Override
				public KeyValues getLowCardinalityKeyValues(ServerRequestObservationContext context) {
					return super.getLowCardinalityKeyValues(context)
						.and("type", String.valueOf(context.getResponse().getContentType()))
						.and("marked", String.valueOf(context.getResponse().getHeader("X-Marked")));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "teas", types = Teas.class)
	static class Client {

	}

}
