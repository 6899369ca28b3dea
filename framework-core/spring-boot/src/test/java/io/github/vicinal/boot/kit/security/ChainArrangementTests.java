package io.github.vicinal.boot.kit.security;

import java.util.stream.Stream;

import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.WebSecurityCustomizer;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.access.IpAddressAuthorizationManager;
import org.springframework.security.web.access.expression.WebExpressionAuthorizationManager;

/** Security filter chains and what they match. */
class ChainArrangementTests extends ArrangementTests {

	private static void basics(HttpSecurity http) {
		http.csrf(AbstractHttpConfigurer::disable).httpBasic(Customizer.withDefaults());
	}

	@Override
	Stream<Arrangement> arrangements() {
		return Stream.of(Arrangement.of("nothing in front"),
				Arrangement.of("everything permitted").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}), Arrangement.of("everything denied").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.anyRequest().denyAll());
				}), Arrangement.of("rules for paths").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/admin")
						.hasRole("ADMIN")
						.requestMatchers("/vault/me", "/vault/notes/**")
						.authenticated()
						.anyRequest()
						.permitAll());
				}), Arrangement.of("rules for values in the path").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests(
							(requests) -> requests.requestMatchers("/vault/bob/**", "/vault/*/accounts/13")
								.denyAll()
								.requestMatchers("/vault/guarded/{owner}")
								.access((authentication, request) -> new AuthorizationDecision(
										request.getVariables().get("owner").equals(authentication.get().getName())))
								.anyRequest()
								.permitAll());
				}), Arrangement.of("rules for query parameters").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests
						.requestMatchers((request) -> "all".equals(request.getParameter("scope")))
						.denyAll()
						.requestMatchers((request) -> request.getQueryString() != null
								&& request.getQueryString().contains("1%3D1"))
						.denyAll()
						.anyRequest()
						.permitAll());
				}), Arrangement.of("rules for headers").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests
						.requestMatchers((request) -> "evil".equals(request.getHeader("X-Tenant")))
						.denyAll()
						.requestMatchers((request) -> request.getHeader("Origin") != null)
						.authenticated()
						.anyRequest()
						.permitAll());
				}), Arrangement.of("rules for methods").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.requestMatchers(HttpMethod.DELETE)
						.denyAll()
						.requestMatchers(HttpMethod.PUT, "/vault/notes/1")
						.denyAll()
						.requestMatchers(HttpMethod.POST, "/vault/visit")
						.hasRole("ADMIN")
						.anyRequest()
						.permitAll());
				}), Arrangement.of("paths that are ignored").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated());
				})
					.beans((context, ledger) -> context.registerBean(WebSecurityCustomizer.class,
							() -> (web) -> web.ignoring().requestMatchers("/vault/open", "/vault/alice/**"))),
				Arrangement.of("several chains").secured().chain((http) -> {
					basics(http);
					http.securityMatcher("/vault/me", "/vault/admin")
						.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/admin")
							.hasRole("ADMIN")
							.anyRequest()
							.authenticated());
				}).chain((http) -> {
					basics(http);
					http.securityMatcher((request) -> request.getRequestURI().startsWith("/vault/bob"))
						.authorizeHttpRequests((requests) -> requests.anyRequest().denyAll());
				}).chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
				}), Arrangement.of("a chain for other paths only").secured().chain((http) -> {
					basics(http);
					http.securityMatcher("/elsewhere/**")
						.authorizeHttpRequests((requests) -> requests.anyRequest().denyAll());
				}), Arrangement.of("a chain for values that rarely come").secured().chain((http) -> {
					basics(http);
					http.securityMatcher((request) -> "all".equals(request.getParameter("scope"))
							|| request.getRequestURI().endsWith("/13") || request.getHeader("X-Tenant") != null)
						.authorizeHttpRequests((requests) -> requests.anyRequest().denyAll());
				}),
				Arrangement.of("own matchers that look at everything")
					.leftToHttp("looks at the length of the request's body", "add", "change")
					.secured()
					.chain((http) -> {
						basics(http);
						http.authorizeHttpRequests((requests) -> requests
							.requestMatchers((request) -> !"localhost".equals(request.getServerName())
									|| request.getServerPort() == 0 || !"http".equals(request.getScheme())
									|| !request.getRequestURL().toString().startsWith("http://localhost:")
									|| !"127.0.0.1".equals(request.getRemoteAddr())
									|| !"HTTP/1.1".equals(request.getProtocol())
									|| request.getHeader("User-Agent") == null || request.getHeader("Host") == null)
							.denyAll()
							.requestMatchers((request) -> "evil".equals(request.getHeader("X-Tenant"))
									|| request.getContentLengthLong() > 50)
							.denyAll()
							.anyRequest()
							.permitAll());
					}),
				Arrangement.of("who is anonymous").secured().chain((http) -> {
					basics(http);
					http.anonymous((anonymous) -> anonymous.principal("stranger").authorities("ROLE_STRANGER"))
						.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/me")
							.hasRole("STRANGER")
							.anyRequest()
							.permitAll());
				}), Arrangement.of("nobody is anonymous").secured().chain((http) -> {
					basics(http);
					http.anonymous(AbstractHttpConfigurer::disable)
						.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/notes/**")
							.hasRole("USER")
							.anyRequest()
							.permitAll());
				}), Arrangement.of("addresses").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/me")
						.access(IpAddressAuthorizationManager.hasIpAddress("127.0.0.0/8"))
						.requestMatchers("/vault/open")
						.access(IpAddressAuthorizationManager.hasIpAddress("10.0.0.0/8"))
						.anyRequest()
						.permitAll());
				}), Arrangement.of("expressions").secured().chain((http) -> {
					basics(http);
					http.authorizeHttpRequests((requests) -> requests.requestMatchers("/vault/{owner}/accounts/*")
						.access(new WebExpressionAuthorizationManager("#owner == 'alice' or #owner == 'a b'"))
						.anyRequest()
						.permitAll());
				}));
	}

}
