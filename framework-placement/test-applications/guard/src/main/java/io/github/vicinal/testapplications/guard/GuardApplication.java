package io.github.vicinal.testapplications.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Guards what it has, and asks another application that does the same. */
@SpringBootApplication
public class GuardApplication {

	private static final int LINES = 20_000;

	public static void main(String[] arguments) {
		SpringApplication.run(GuardApplication.class, arguments);
	}

	@Bean
	SecurityFilterChain chain(HttpSecurity http) throws Exception {
		return http.csrf((csrf) -> csrf.disable())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/ask", "/error", "/actuator/**")
				.permitAll()
				.requestMatchers("/secret/**")
				.hasRole("KEEPER")
				.anyRequest()
				.authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	InMemoryUserDetailsManager users() {
		return new InMemoryUserDetailsManager(User.withUsername("keeper").password("{noop}k").roles("KEEPER").build(),
				User.withUsername("guest").password("{noop}g").roles("GUEST").build());
	}

	@Bean
	Mark mark(@Value("${spring.application.name}") String name) {
		return new Mark(name);
	}

	/** Marks each response, also that of a request that the chain refuses. */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static final class Mark extends OncePerRequestFilter {

		private final String name;

		Mark(String name) {
			this.name = name;
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			response.setHeader("Marked-By", this.name);
			chain.doFilter(request, response);
		}

	}

	/** Handlers behind the security chain. */
	@RestController
	static class GuardedController {

		@GetMapping("/secret/{item}")
		ResponseEntity<Map<String, Object>> secret(@PathVariable String item, Authentication caller) {
			return ResponseEntity.ok()
				.header("Seen", caller.getName())
				.body(new TreeMap<>(Map.of("item", item, "roles", roles(caller))));
		}

		/** Other authorities have the time of the request. */
		private static List<String> roles(Authentication caller) {
			return caller.getAuthorities()
				.stream()
				.map((each) -> String.valueOf(each.getAuthority()))
				.filter((each) -> each.startsWith("ROLE_"))
				.toList();
		}

		/** Returns whether the request has come by a socket. */
		@GetMapping("/port")
		String port(HttpServletRequest request) {
			return (request.getRemotePort() == 0) ? "none" : "socket";
		}

		@GetMapping("/stream")
		StreamingResponseBody stream() {
			return (out) -> {
				for (int i = 0; i < LINES; i++) {
					out.write(("line " + i + "\n").getBytes(StandardCharsets.UTF_8));
				}
			};
		}

		@PostMapping("/count")
		long count(InputStream body) throws IOException {
			return body.transferTo(OutputStream.nullOutputStream());
		}

	}

	/** Asks the other application, and tells what it answers. */
	@RestController
	static class AskingController {

		private final RestClient peer;

		AskingController(RestClient.Builder builder, @Value("${peer.url}") String url) {
			this.peer = builder.baseUrl(url).build();
		}

		@GetMapping("/ask")
		Map<String, Object> ask(@RequestParam String path, @RequestParam(defaultValue = "") String user,
				@RequestParam(defaultValue = "0") int bytes) {
			RestClient.RequestBodySpec request = this.peer.method((bytes > 0) ? HttpMethod.POST : HttpMethod.GET)
				.uri(path);
			if (!user.isEmpty()) {
				request.headers((headers) -> headers.setBasicAuth(user, user.substring(0, 1)));
			}
			if (bytes > 0) {
				request.body((out) -> out.write(new byte[bytes]));
			}
			return request.exchange((sent, response) -> told(response));
		}

		private static Map<String, Object> told(ClientHttpResponse response) throws IOException {
			Map<String, Object> told = new TreeMap<>();
			told.put("status", response.getStatusCode().value());
			response.getHeaders().forEach((name, values) -> {
				// The answer to a request that confirms an address ends its connection,
				// and
				// so has no chunks.
				if (!name.matches("(?i)date|keep-alive|connection|transfer-encoding|vicinal.*")) {
					told.put(name.toLowerCase(Locale.ROOT), values);
				}
			});
			byte[] body = response.getBody().readAllBytes();
			told.put("body",
					(body.length < 1000)
							? new String(body, StandardCharsets.UTF_8).replaceAll("\"timestamp\":\"[^\"]+\"", "")
							: body.length + " bytes, hash " + Arrays.hashCode(body));
			return told;
		}

	}

}
