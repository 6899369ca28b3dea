package io.github.vicinal.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client whose request is turned away learns neither the instance nor its host, paths
 * or reasons, whatever rejects it.
 */
@Timeout(60)
class RejectedRequestsLearnNothingTests {

	private static final List<String> QUESTIONS = List.of(Gates.class.getName(), HttpExchanges.contract().name(),
			"no.such.Contract", Gates.class.getName() + "; confirm");

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private String url = "";

	@BeforeEach
	void start() {
		ConfigurableApplicationContext server = this.applications.start(Server.class,
				Map.of("vicinal.rendezvous.directory", this.directory.resolve("meet").toString()));
		this.url = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	@Test
	void anAcceptedClientLearnsWhatItAsksFor() throws Exception {
		assertThat(answer("open", "alice:secret", Gates.class.getName())).startsWith("200").contains("vicinal-peer");
		assertThat(answer("open", "alice:secret", HttpExchanges.contract().name())).startsWith("200")
			.contains("vicinal-peer");
	}

	@Test
	void theSecurityChainTurnsAway() throws Exception {
		for (String question : QUESTIONS) {
			assertThat(answer("open", "", question)).isEqualTo("401 []");
			assertThat(answer("open", "alice:wrong", question)).isEqualTo("401 []");
			assertThat(answer("denied", "alice:secret", question)).isEqualTo("403 []");
		}
	}

	@Test
	void filtersAndInterceptorsTurnAway() throws Exception {
		for (String question : QUESTIONS) {
			assertThat(answer("filtered", "alice:secret", question)).isEqualTo("409 []");
			assertThat(answer("intercepted", "alice:secret", question)).isEqualTo("402 []");
		}
	}

	@Test
	void handlersTurnAway() throws Exception {
		for (String question : QUESTIONS) {
			assertThat(answer("401", "alice:secret", question)).isEqualTo("401 []");
			assertThat(answer("403", "alice:secret", question)).isEqualTo("403 []");
		}
	}

	/** Returns the status, and the names of the fields that Vicinal has added. */
	private String answer(String gate, String credentials, String question) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.url + "/gates/" + gate))
			.header(PeerAnnouncement.REQUEST_HEADER, question)
			.header(PeerAnnouncement.SENT_HEADERS_HEADER, "authorization");
		if (!credentials.isEmpty()) {
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
		}
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(request.build(), HttpResponse.BodyHandlers.ofString());
		List<String> ours = response.headers()
			.map()
			.keySet()
			.stream()
			.filter((name) -> name.startsWith("vicinal"))
			.toList();
		assertThat(response.body()).doesNotContainIgnoringCase("vicinal");
		return response.statusCode() + " " + ours;
	}

	@AffinityChannel
	@HttpExchange("/gates")
	interface Gates {

		@GetExchange("/{gate}")
		String pass(@PathVariable String gate);

	}

	@RestController
	static class GateController implements Gates {

		@Override
		public String pass(String gate) {
			if (gate.startsWith("4")) {
				throw new ResponseStatusException(HttpStatusCode.valueOf(Integer.parseInt(gate)));
			}
			return gate;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableWebSecurity
	@Import(GateController.class)
	static class Server implements WebMvcConfigurer {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/gates/denied").denyAll().anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("alice").password("secret").roles("USER").build());
		}

		@Bean
		PasswordEncoder passwords() {
			return new PlainPasswords();
		}

		@Bean
		Filter filter() {
			return (request, response, chain) -> {
				if (((HttpServletRequest) request).getRequestURI().endsWith("/filtered")) {
					((HttpServletResponse) response).sendError(409);
				}
				else {
					chain.doFilter(request, response);
				}
			};
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
					boolean passes = !request.getRequestURI().endsWith("/intercepted");
					if (!passes) {
						response.setStatus(402);
					}
					return passes;
				}

			});
		}

	}

}
