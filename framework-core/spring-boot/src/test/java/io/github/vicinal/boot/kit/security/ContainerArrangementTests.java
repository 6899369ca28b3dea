package io.github.vicinal.boot.kit.security;

import java.io.CharArrayWriter;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.apache.catalina.Context;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.realm.GenericPrincipal;
import org.apache.catalina.realm.RealmBase;
import org.apache.catalina.valves.AbstractAccessLogValve;
import org.apache.catalina.valves.ValveBase;
import org.apache.tomcat.util.descriptor.web.LoginConfig;
import org.apache.tomcat.util.descriptor.web.SecurityCollection;
import org.apache.tomcat.util.descriptor.web.SecurityConstraint;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.error.DefaultErrorAttributes;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.DispatcherServlet;

/** Features of the container, by itself and as applications configure it. */
class ContainerArrangementTests extends ArrangementTests {

	/** Adds to the factory of the web server. */
	@FunctionalInterface
	private interface Tomcat {

		void customize(TomcatServletWebServerFactory factory, Ledger ledger);

	}

	private static Arrangement tomcat(String name, Tomcat tomcat) {
		return Arrangement.of(name)
			.beans((context, ledger) -> context.registerBean("tomcat", WebServerFactoryCustomizer.class,
					() -> new TomcatCustomizer(tomcat, ledger)));
	}

	private static Arrangement forwarded(Arrangement arrangement) {
		return arrangement
			.persona("proxy",
					(builder) -> builder.defaultHeader("X-Forwarded-For", "10.1.2.3")
						.defaultHeader("X-Forwarded-Proto", "https")
						.defaultHeader("X-Forwarded-Host", "vault.example")
						.defaultHeader("X-Forwarded-Prefix", "/safe"))
			.step("open", "proxy", (vault, memory) -> vault.open())
			.step("me", "proxy", (vault, memory) -> vault.me(null))
			.step("visit", "proxy", (vault, memory) -> vault.visit(null))
			.filter(0, (ledger) -> (request, response, chain) -> {
				HttpServletRequest current = (HttpServletRequest) request;
				ledger.note(current.getRemoteAddr() + " " + current.isSecure() + " "
						+ current.getRequestURL().toString().replaceAll(":[0-9]+", "") + " "
						+ current.getContextPath());
				chain.doFilter(request, response);
			});
	}

	@Override
	Stream<Arrangement> arrangements() {
		return Stream.of(
				tomcat("constraints of the container",
						(factory, ledger) -> factory.addContextCustomizers((context) -> constrain(context))),
				tomcat("constraints for a method", (factory, ledger) -> factory.addContextCustomizers((context) -> {
					SecurityConstraint constraint = new SecurityConstraint();
					SecurityCollection collection = new SecurityCollection();
					collection.addPattern("/vault/notes/*");
					collection.addMethod("DELETE");
					constraint.addCollection(collection);
					constraint.setAuthConstraint(true);
					context.addConstraint(constraint);
				})),
				tomcat("a valve that counts", (factory, ledger) -> factory.addContextValves(new CountingValve(ledger))),
				tomcat("a valve of the engine that rejects",
						(factory, ledger) -> factory.addEngineValves(new ValveBase(true) {

							@Override
							public void invoke(Request request, Response response)
									throws IOException, ServletException {
								ledger.note("valve " + request.getRequestURI());
								if ("evil".equals(request.getHeader("X-Tenant"))) {
									response.sendError(403);
									return;
								}
								getNext().invoke(request, response);
							}

						})),
				tomcat("an access log", (factory, ledger) -> {
					AbstractAccessLogValve log = new AbstractAccessLogValve() {

						@Override
						protected void log(CharArrayWriter message) {
							ledger.note("log " + message.toString().replaceAll("localhost:[0-9]+", "localhost"));
						}

					};
					log.setEnabled(true);
					log.setAsyncSupported(true);
					log.setPattern("%a %h %H %m %q %s %u %U %v %{X-Tenant}i %{Content-Type}o %{User-Agent}i");
					factory.addEngineValves(log);
				}),
				Arrangement.of("Boot's access log")
					.property("server.tomcat.accesslog.enabled", "true")
					.property("server.tomcat.accesslog.directory", "target/access-logs")
					.property("server.tomcat.basedir", "target/tomcat"),
				forwarded(Arrangement.of("forwarded headers by Spring")
					.property("server.forward-headers-strategy", "framework")),
				forwarded(Arrangement.of("forwarded headers by Tomcat")
					.property("server.forward-headers-strategy", "native")),
				forwarded(Arrangement.of("forwarded headers are ignored")
					.property("server.forward-headers-strategy", "none")),
				Arrangement.of("a server header").property("server.server-header", "vault"),
				Arrangement.of("compression")
					.property("server.compression.enabled", "true")
					.property("server.compression.min-response-size", "1B"),
				Arrangement.of("messages of errors")
					.property("spring.web.error.include-message", "always")
					.property("spring.web.error.include-exception", "true")
					.property("spring.web.error.include-path", "never"),
				Arrangement.of("problems of MVC").property("spring.mvc.problemdetails.enabled", "true"),
				Arrangement.of("an error controller of its own").with(OwnErrors.class),
				Arrangement.of("error attributes of its own").with(OwnAttributes.class),
				Arrangement.of("error pages")
					.beans((context, ledger) -> context.registerBean("pages", ErrorPageRegistrar.class,
							() -> (registry) -> registry.addErrorPages(
									new ErrorPage(HttpStatus.FORBIDDEN, "/vault/open"),
									new ErrorPage(IllegalStateException.class, "/vault/tenant")))),
				Arrangement.of("no error page").property("server.error.whitelabel.enabled", "false"),
				Arrangement.of("a listener of requests")
					.beans((context, ledger) -> context.registerBean("listener", ServletRequestListener.class,
							() -> new ServletRequestListener() {

								@Override
								public void requestInitialized(ServletRequestEvent event) {
									ledger.note("begins "
											+ ((HttpServletRequest) event.getServletRequest()).getRequestURI());
								}

								@Override
								public void requestDestroyed(ServletRequestEvent event) {
									ledger.note("ends");
								}

							})),
				Arrangement.of("a listener of sessions").filter(0, (ledger) -> (request, response, chain) -> {
					((HttpServletRequest) request).getSession();
					chain.doFilter(request, response);
				})
					.beans((context, ledger) -> context.registerBean("listener", HttpSessionListener.class,
							() -> new HttpSessionListener() {

								@Override
								public void sessionCreated(HttpSessionEvent event) {
									ledger.note("session");
								}

							})),
				Arrangement.of("a dispatcher of its own")
					.beans((context, ledger) -> context.registerBean("dispatcherServlet", DispatcherServlet.class,
							() -> new OwnDispatcher(ledger))),
				Arrangement.of("another servlet for a part")
					.leftToHttp("the servlet part may answer it", "account")
					.beans((context, ledger) -> context.registerBean("part", ServletRegistrationBean.class,
							() -> new ServletRegistrationBean<>(new PartServlet(ledger), "/vault/open",
									"/vault/notes/*"))),
				Arrangement.of("characters")
					.leftToHttp("sets a character encoding other than UTF-8")
					.property("spring.servlet.encoding.charset", "ISO-8859-1")
					.property("spring.servlet.encoding.force", "true"),
				Arrangement.of("patterns of paths")
					.property("spring.mvc.servlet.load-on-startup", "1")
					.property("server.tomcat.relaxed-path-chars", "|")
					.property("server.tomcat.redirect-context-root", "false"),
				tomcat("encoded slashes",
						(factory, ledger) -> factory
							.addConnectorCustomizers((connector) -> connector.setEncodedSolidusHandling("decode"))),
				tomcat("a header of the connector",
						(factory, ledger) -> factory
							.addConnectorCustomizers((connector) -> connector.setXpoweredBy(true))),
				tomcat("names of hosts",
						(factory, ledger) -> factory
							.addConnectorCustomizers((connector) -> connector.setEnableLookups(true)))
					.filter(0, (ledger) -> (request, response, chain) -> {
						ledger.note("host " + request.getRemoteHost());
						chain.doFilter(request, response);
					}),
				tomcat("limits of the connector", (factory, ledger) -> factory.addConnectorCustomizers((connector) -> {
					connector.setMaxPostSize(10);
					connector.setMaxParameterCount(1);
				})));
	}

	private static void constrain(Context context) {
		SecurityConstraint constraint = new SecurityConstraint();
		SecurityCollection collection = new SecurityCollection();
		collection.addPattern("/vault/me");
		collection.addPattern("/vault/admin");
		constraint.addCollection(collection);
		constraint.addAuthRole("USER");
		context.addConstraint(constraint);
		context.addSecurityRole("USER");
		LoginConfig login = new LoginConfig();
		login.setAuthMethod("BASIC");
		login.setRealmName("vault");
		context.setLoginConfig(login);
		context.setRealm(new RealmBase() {

			@Override
			protected @Nullable String getPassword(String user) {
				return Map.of("alice", "a", "bob", "b").get(user);
			}

			@Override
			protected Principal getPrincipal(String user) {
				return new GenericPrincipal(user, List.of("USER"));
			}

		});
		context.getPipeline().addValve(new org.apache.catalina.authenticator.BasicAuthenticator());
	}

	/** Counts. */
	private static final class CountingValve extends ValveBase {

		private final Ledger ledger;

		CountingValve(Ledger ledger) {
			super(true);
			this.ledger = ledger;
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			this.ledger.note("valve " + request.getMethod() + " " + request.getDecodedRequestURI());
			Valve next = getNext();
			next.invoke(request, response);
			this.ledger.note("valve saw " + response.getStatus());
		}

	}

	/** Customizes Tomcat. */
	private static final class TomcatCustomizer implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

		private final Tomcat tomcat;

		private final Ledger ledger;

		TomcatCustomizer(Tomcat tomcat, Ledger ledger) {
			this.tomcat = tomcat;
			this.ledger = ledger;
		}

		@Override
		public void customize(TomcatServletWebServerFactory factory) {
			this.tomcat.customize(factory, this.ledger);
		}

	}

	/** Answers errors in its own way. */
	@RestController
	static class OwnErrors implements ErrorController {

		private final Ledger ledger;

		OwnErrors(Ledger ledger) {
			this.ledger = ledger;
		}

		@RequestMapping("/error")
		ResponseEntity<Map<String, Object>> error(HttpServletRequest request) {
			this.ledger.note("error " + request.getAttribute("jakarta.servlet.error.status_code") + " "
					+ request.getAttribute("jakarta.servlet.error.request_uri") + " "
					+ request.getAttribute("jakarta.servlet.error.exception"));
			return ResponseEntity
				.status(Integer.parseInt(String.valueOf(request.getAttribute("jakarta.servlet.error.status_code"))))
				.header("X-Own", "error")
				.body(Map.of("own", request.getRequestURI(), "of",
						String.valueOf(request.getAttribute("jakarta.servlet.error.request_uri"))));
		}

	}

	/** Adds to the attributes of errors. */
	static class OwnAttributes extends DefaultErrorAttributes implements ErrorAttributes {

		@Override
		public Map<String, Object> getErrorAttributes(WebRequest request, ErrorAttributeOptions options) {
			Map<String, Object> attributes = super.getErrorAttributes(request, options);
			attributes.put("tenant", String.valueOf(request.getHeader("X-Tenant")));
			attributes.put("scope", String.valueOf(request.getParameter("scope")));
			return attributes;
		}

	}

	/** Looks at each request. */
	private static final class OwnDispatcher extends DispatcherServlet {

		private final transient Ledger ledger;

		OwnDispatcher(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		protected void doService(HttpServletRequest request, HttpServletResponse response) throws Exception {
			this.ledger.note("dispatches " + request.getRequestURI());
			if ("evil".equals(request.getHeader("X-Tenant"))) {
				response.sendError(403);
				return;
			}
			super.doService(request, response);
		}

	}

	/** Takes requests away from the dispatcher. */
	private static final class PartServlet extends jakarta.servlet.http.HttpServlet {

		private final transient Ledger ledger;

		PartServlet(Ledger ledger) {
			this.ledger = ledger;
		}

		@Override
		protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
			this.ledger.note("part " + request.getMethod());
			response.setContentType("text/plain");
			response.getWriter().write("from a part");
		}

	}

}
