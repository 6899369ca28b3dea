package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.github.vicinal.boot.kit.security.Vault.Note;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.header.writers.StaticHeadersWriter;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Authentication of callers, and what is remembered of it. */
class AuthenticationArrangementTests extends ArrangementTests {

	private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);

	private static void authenticated(HttpSecurity http) {
		http.csrf(AbstractHttpConfigurer::disable)
			.httpBasic(Customizer.withDefaults())
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/open")
				.permitAll()
				.requestMatchers("/vault/admin")
				.hasRole("ADMIN")
				.anyRequest()
				.authenticated());
	}

	/** All calls of a user whose client sends a header with each. */
	private static Arrangement user(Arrangement arrangement, String persona, String header, String value) {
		return arrangement.persona(persona, (builder) -> builder.defaultHeader(header, value))
			.step("open", persona, (vault, memory) -> vault.open())
			.step("me", persona, (vault, memory) -> vault.me(null))
			.step("admin", persona, (vault, memory) -> vault.admin(null))
			.step("guarded", persona, (vault, memory) -> vault.guarded("alice", null))
			.step("returned", persona, (vault, memory) -> vault.returned("alice", null))
			.step("account", persona, (vault, memory) -> vault.account("bob", 7))
			.step("search", persona, (vault, memory) -> vault.search("gold", "all"))
			.step("tenant", persona, (vault, memory) -> vault.tenant("acme"))
			.step("add", persona, (vault, memory) -> vault.add(new Note(9, "by " + persona), null))
			.step("change", persona, (vault, memory) -> vault.change(9, new Note(9, "by " + persona)))
			.step("visit", persona, (vault, memory) -> {
				ResponseEntity<String> answer = vault.visit(null);
				memory.put(persona, Steps.cookies(answer));
				return answer;
			})
			.step("visit again", persona, (vault, memory) -> vault.visit(memory.get(persona)))
			.step("visit without the header, as " + persona, (vault, memory) -> vault.visit(memory.get(persona)));
	}

	private static Arrangement users(Arrangement arrangement) {
		return user(user(user(arrangement, "alice", HttpHeaders.AUTHORIZATION, Steps.ALICE), "bob",
				HttpHeaders.AUTHORIZATION, Steps.BOB), "stranger", HttpHeaders.AUTHORIZATION, Steps.WRONG);
	}

	@Override
	Stream<Arrangement> arrangements() {
		return Stream.of(
				Arrangement.of("basic authentication for each call")
					.secured()
					.chain(AuthenticationArrangementTests::authenticated),
				users(Arrangement.of("basic authentication of clients")
					.secured()
					.chain(AuthenticationArrangementTests::authenticated)),
				users(Arrangement.of("without sessions").secured().chain((http) -> {
					authenticated(http);
					http.sessionManagement(
							(sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
				})), users(Arrangement.of("always with a session").secured().chain((http) -> {
					authenticated(http);
					http.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.ALWAYS));
				})), users(Arrangement.of("the context is kept in the session").secured().chain((http) -> {
					authenticated(http);
					http.httpBasic(
							(basic) -> basic.securityContextRepository(new HttpSessionSecurityContextRepository()))
						.sessionManagement((sessions) -> sessions.sessionFixation((fixation) -> fixation.newSession()));
				})), users(Arrangement.of("one session at a time").secured().chain((http) -> {
					authenticated(http);
					http.httpBasic(
							(basic) -> basic.securityContextRepository(new HttpSessionSecurityContextRepository()))
						.sessionManagement((sessions) -> sessions.maximumSessions(1));
				})), users(Arrangement.of("a cookie that remembers").secured().chain((http) -> {
					authenticated(http);
					http.rememberMe((remember) -> remember.key("key").alwaysRemember(true));
				})), Arrangement.of("a token filter of its own").secured().chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.addFilterBefore(new TokenFilter(), UsernamePasswordAuthenticationFilter.class)
						.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/me", "/vault/admin")
							.authenticated()
							.anyRequest()
							.permitAll());
				}), keys(), tokens(),
				Arrangement.of("method security").secured().with(MethodSecurity.class).chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.httpBasic(Customizer.withDefaults())
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}), users(Arrangement.of("CSRF tokens in the session").secured().chain((http) -> {
					http.httpBasic(Customizer.withDefaults())
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				})), Arrangement.of("CSRF tokens in cookies").secured().chain((http) -> {
					http.csrf((csrf) -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
						.csrfTokenRequestHandler(new CsrfTokenRequestAttributeHandler())
						.ignoringRequestMatchers("/vault/notes"))
						.addFilterAfter(new TokenTouchingFilter(), UsernamePasswordAuthenticationFilter.class)
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}).step("post with a token", (vault, memory) -> {
					String cookie = memory.get("cookie");
					String token = (cookie.contains("XSRF-TOKEN=")) ? cookie.replaceAll(".*XSRF-TOKEN=([^;]+).*", "$1")
							: "none";
					return vault.post(cookie, token);
				})
					.step("post with a wrong token",
							(vault, memory) -> vault.post("XSRF-TOKEN=" + "a".repeat(36), "b".repeat(36))),
				Arrangement.of("CORS in the chain").secured().chain((http) -> {
					CorsConfiguration configuration = new CorsConfiguration();
					configuration.setAllowedOrigins(List.of("https://friend.example"));
					configuration.setAllowedMethods(List.of("GET"));
					UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
					source.registerCorsConfiguration("/**", configuration);
					http.csrf(AbstractHttpConfigurer::disable)
						.cors((cors) -> cors.configurationSource(source))
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}),
				Arrangement.of("CORS of the dispatcher")
					.beans((context, ledger) -> context.registerBean("cors", WebMvcConfigurer.class,
							() -> new WebMvcConfigurer() {

								@Override
								public void addCorsMappings(CorsRegistry registry) {
									registry.addMapping("/vault/cross").allowedOrigins("https://friend.example");
								}

							})),
				Arrangement.of("answers of its own for 401 and 403").secured().chain((http) -> {
					authenticated(http);
					http.exceptionHandling(
							(exceptions) -> exceptions.authenticationEntryPoint((request, response, ex) -> {
								response.setStatus(401);
								response.setHeader("WWW-Authenticate", "Vault realm=\"vault\"");
								response.setContentType("application/problem+json");
								response.getWriter()
									.write("{\"who\":\"are you\",\"path\":\"" + request.getRequestURI() + "\"}");
							}).accessDeniedHandler((request, response, ex) -> {
								response.setStatus(403);
								response.addHeader("X-Denied", ex.getClass().getSimpleName());
								response.getWriter().write("not you");
							}));
				}), Arrangement.of("an error page for 403").secured().chain((http) -> {
					authenticated(http);
					http.exceptionHandling((exceptions) -> exceptions.accessDeniedPage("/vault/open"));
				}), Arrangement.of("a login form").secured().chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.formLogin(Customizer.withDefaults())
						.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/open", "/vault/tenant")
							.permitAll()
							.anyRequest()
							.authenticated());
				}), Arrangement.of("headers of its own").secured().chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.headers((headers) -> headers
							.contentSecurityPolicy((policy) -> policy.policyDirectives("default-src 'self'"))
							.addHeaderWriter(new StaticHeadersWriter("X-Vault", "closed"))
							.addHeaderWriter((request, response) -> response.setHeader("X-Vault-Status",
									String.valueOf(response.getStatus())))
							.cacheControl((cache) -> cache.disable()))
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}), Arrangement.of("a firewall that lets more pass").secured().chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}).beans((context, ledger) -> context.registerBean(HttpFirewall.class, () -> {
					StrictHttpFirewall firewall = new StrictHttpFirewall();
					firewall.setAllowSemicolon(true);
					firewall.setAllowUrlEncodedPercent(true);
					return firewall;
				})), Arrangement.of("a firewall that lets less pass").secured().chain((http) -> {
					http.csrf(AbstractHttpConfigurer::disable)
						.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}).beans((context, ledger) -> context.registerBean(HttpFirewall.class, () -> {
					StrictHttpFirewall firewall = new StrictHttpFirewall();
					firewall.setAllowedHttpMethods(List.of("GET", "POST"));
					firewall.setAllowedHeaderValues((value) -> !value.equals("evil"));
					firewall.setAllowedParameterValues((value) -> !value.contains("1=1"));
					firewall.setAllowedHostnames("localhost"::equals);
					return firewall;
				})));
	}

	private static Arrangement keys() {
		AuthenticationProvider provider = new AuthenticationProvider() {

			@Override
			public Authentication authenticate(Authentication authentication) {
				String key = String.valueOf(authentication.getCredentials());
				if (!key.startsWith("key-of-")) {
					throw new BadCredentialsException(key);
				}
				return new UsernamePasswordAuthenticationToken(key.substring(7), null,
						AuthorityUtils.createAuthorityList("ROLE_USER"));
			}

			@Override
			public boolean supports(Class<?> authentication) {
				return true;
			}

		};
		Arrangement arrangement = Arrangement.of("keys in a header").secured().chain((http) -> {
			AuthenticationFilter filter = new AuthenticationFilter(new ProviderManager(provider), (request) -> {
				String key = request.getHeader("X-Key");
				return (key != null) ? new UsernamePasswordAuthenticationToken("key", key) : null;
			});
			filter.setSuccessHandler((request, response, authentication) -> {
			});
			http.csrf(AbstractHttpConfigurer::disable)
				.addFilterBefore(filter, UsernamePasswordAuthenticationFilter.class)
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/vault/open").permitAll().anyRequest().authenticated());
		});
		return user(user(arrangement, "alice", "X-Key", "key-of-alice"), "stranger", "X-Key", "stolen");
	}

	private static Arrangement tokens() {
		Arrangement arrangement = Arrangement.of("a resource server").secured().chain((http) -> {
			http.csrf(AbstractHttpConfigurer::disable)
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/open")
					.permitAll()
					.requestMatchers("/vault/admin")
					.hasAuthority("SCOPE_admin")
					.anyRequest()
					.authenticated());
		})
			.beans((context, ledger) -> context.registerBean(JwtDecoder.class,
					() -> NimbusJwtDecoder.withSecretKey(key()).build()));
		String alice = "Bearer " + token("{\"sub\":\"alice\",\"scope\":\"user\",\"exp\":4102444800}");
		String bob = "Bearer " + token("{\"sub\":\"bob\",\"scope\":\"user admin\",\"exp\":4102444800}");
		String expired = "Bearer " + token("{\"sub\":\"bob\",\"scope\":\"user admin\",\"exp\":1000000000}");
		arrangement = user(arrangement, "alice", HttpHeaders.AUTHORIZATION, alice);
		arrangement = user(arrangement, "bob", HttpHeaders.AUTHORIZATION, bob);
		arrangement = user(arrangement, "expired", HttpHeaders.AUTHORIZATION, expired);
		for (Map.Entry<String, String> token : Map.of("alice", alice, "bob", bob, "expired", expired).entrySet()) {
			arrangement.step("me with the token of " + token.getKey(), (vault, memory) -> vault.me(token.getValue()))
				.step("admin with the token of " + token.getKey(), (vault, memory) -> vault.admin(token.getValue()));
		}
		return arrangement;
	}

	private static SecretKey key() {
		return new SecretKeySpec(KEY, "HmacSHA256");
	}

	private static String token(String claims) {
		try {
			Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
			String content = encoder.encodeToString("{\"alg\":\"HS256\"}".getBytes(StandardCharsets.UTF_8)) + "."
					+ encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(key());
			return content + "." + encoder.encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class MethodSecurity {

		@Bean
		String methodSecurityIsOn() {
			return "on";
		}

	}

	/** Knows one token. */
	private static final class TokenFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
			if ("Bearer stolen".equals(authorization)) {
				response.sendError(401, "stolen");
				return;
			}
			if (authorization != null && authorization.startsWith("Bearer token-of-")) {
				SecurityContext context = SecurityContextHolder.createEmptyContext();
				context.setAuthentication(new UsernamePasswordAuthenticationToken(authorization.substring(16), null,
						AuthorityUtils.createAuthorityList("ROLE_USER")));
				SecurityContextHolder.setContext(context);
			}
			chain.doFilter(request, response);
		}

	}

	/** Has the token written, as single-page applications need it. */
	private static final class TokenTouchingFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getAttribute("_csrf") instanceof CsrfToken token) {
				token.getToken();
			}
			chain.doFilter(request, response);
		}

	}

}
