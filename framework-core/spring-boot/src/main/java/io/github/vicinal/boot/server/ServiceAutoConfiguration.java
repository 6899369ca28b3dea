package io.github.vicinal.boot.server;

import java.util.Objects;

import io.github.vicinal.boot.autoconfigure.CurrentIdentity;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.observation.MeterShortcuts;
import io.github.vicinal.boot.server.ServiceCatalog.ServiceSource;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.http.server.observation.DefaultServerRequestObservationConvention;
import org.springframework.http.server.observation.ServerRequestObservationConvention;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration of the server side: contracts that controllers implement.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { VicinalAutoConfiguration.class, RequestServerAutoConfiguration.class },
		afterName = "org.springframework.boot.jetty.autoconfigure.servlet.JettyServletWebServerAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ DispatcherServlet.class, ServletContext.class })
@ConditionalOnBean(Codecs.class)
@ConditionalOnProperty(name = "vicinal.server.enabled", matchIfMissing = true)
public final class ServiceAutoConfiguration {

	private static final String HTTP_OBSERVATION_NAME = "management.observations.http.server.requests.name";

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ThreadIsolation vicinalThreadIsolation(ApplicationContext context, ObjectProvider<ObservationRegistry> registry) {
		ClassLoader classLoader = context.getClassLoader();
		return new ThreadIsolation(
				(classLoader != null) ? classLoader : ServiceAutoConfiguration.class.getClassLoader(),
				ContextRegistry.getInstance(), registry.getIfAvailable(() -> ObservationRegistry.NOOP));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ServerObservation vicinalServerObservation(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<ServerRequestObservationConvention> convention, ObjectProvider<MeterShortcuts> shortcuts,
			Environment environment) {
		String name = environment.getProperty(HTTP_OBSERVATION_NAME, "http.server.requests");
		return new ServerObservation(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				convention.getIfAvailable(() -> new DefaultServerRequestObservationConvention(name)),
				() -> MeterShortcuts.find(shortcuts));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ServiceSource vicinalServiceSource(ApplicationContext context, ServletContext servletContext, Codecs codecs,
			ThreadIsolation isolation, ServerObservation observation, VicinalProperties properties,
			ObjectProvider<RequestServer> server, ObjectProvider<RequestRules> rules, ConnectionTickets tickets) {
		return new MvcServiceSource(context, servletContext, codecs, codecs.mapper(), isolation, observation,
				permits(properties, server, rules), tickets);
	}

	private static RequestPermits permits(VicinalProperties properties, ObjectProvider<RequestServer> server,
			ObjectProvider<RequestRules> rules) {
		VicinalProperties.Requests requests = properties.server().requests();
		return new RequestPermits(requests.enabled() ? server.getIfAvailable() : null, requests.priorities(),
				rules.getIfAvailable());
	}

	@Bean
	@Lazy
	ConnectionTickets vicinalConnectionTickets() {
		return new ConnectionTickets();
	}

	@Bean
	RunningExchange vicinalRunningExchange() {
		return new RunningExchange();
	}

	@Bean
	ServiceCatalog vicinalServiceCatalog(VicinalProperties properties, ObjectProvider<CurrentIdentity> self,
			ObjectProvider<ServiceSource> source, ObjectProvider<ServiceRegistry> registry,
			ObjectProvider<PathServer> servers, ConnectionTickets tickets, ObjectProvider<ExchangeService> exchanges) {
		return new ServiceCatalog(() -> Objects.requireNonNull(self.getObject().current()),
				new Services(source, exchanges), registry::getObject, () -> ServerPaths.offered(properties, servers),
				tickets);
	}

	/** Nothing is made before a client asks for it. */
	private record Services(ObjectProvider<ServiceSource> source,
			ObjectProvider<ExchangeService> exchanges) implements ServiceSource {

		@Override
		public @Nullable Service find(String contractName) {
			return contractName.equals(HttpExchanges.contract().name()) ? this.exchanges.getIfAvailable()
					: this.source.getObject().find(contractName);
		}

		@Override
		public @Nullable Service find(ContractInquiry.Structure structure) {
			return this.source.getObject().find(structure);
		}

	}

	/** Finds mistakes at start; no server is made where there is nothing to check. */
	@Bean
	SmartInitializingSingleton vicinalServerPathsCheck(VicinalProperties properties,
			ObjectProvider<PathServer> servers) {
		return () -> {
			if (properties.server().paths() != null) {
				ServerPaths.offered(properties, servers);
			}
		};
	}

	@Bean
	FilterRegistrationBean<AnnouncementFilter> vicinalAnnouncementFilter(ObjectProvider<RequestSockets> sockets) {
		FilterRegistrationBean<AnnouncementFilter> registration = new FirstFilter(
				new AnnouncementFilter(sockets::getIfAvailable));
		registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
		registration.setDispatcherTypes(DispatcherType.REQUEST);
		return registration;
	}

	/**
	 * A filter in front of those that have the highest precedence, too, because it
	 * watches what they do.
	 */
	private static final class FirstFilter extends FilterRegistrationBean<AnnouncementFilter>
			implements PriorityOrdered {

		FirstFilter(AnnouncementFilter filter) {
			super(filter);
		}

	}

	@Bean
	TypedHandlerMapping vicinalTypedHandlerMapping(ApplicationContext context) {
		return new TypedHandlerMapping(context);
	}

	/** The last interceptor: requests that it sees have passed all others. */
	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	WebMvcConfigurer vicinalAnnouncements(ServiceCatalog catalog, RunningExchange running) {
		return new WebMvcConfigurer() {

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(new AnnouncementInterceptor(catalog, running)).order(Ordered.LOWEST_PRECEDENCE);
			}

		};
	}

	private static @Nullable WebServer webServer(ApplicationContext context) {
		return (context instanceof WebServerApplicationContext web) ? web.getWebServer() : null;
	}

	/** Beans for applications that Jetty serves, which Tomcat could serve, too. */
	@Configuration(proxyBeanMethods = false)
	@Order(0)
	@ConditionalOnBooleanProperty(name = "vicinal.http-exchanges.enabled", matchIfMissing = true)
	@ConditionalOnClass(name = { "org.springframework.boot.jetty.JettyWebServer", "org.eclipse.jetty.server.HttpStream",
			"org.eclipse.jetty.ee11.servlet.ServletApiRequest" })
	@ConditionalOnBean(type = "org.springframework.boot.jetty.servlet.JettyServletWebServerFactory")
	static class JettyExchangesConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		ExchangeService vicinalJettyExchangeService(ApplicationContext context, ThreadIsolation isolation,
				ConnectionTickets tickets, RunningExchange running, Codecs codecs) {
			return new ExchangeService(new JettyExchanges(() -> webServer(context), isolation, tickets, running),
					codecs);
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		RequestSockets vicinalJettySockets() {
			return new JettySockets();
		}

	}

	/** Beans for applications with Tomcat. */
	@Configuration(proxyBeanMethods = false)
	@Order(1)
	@ConditionalOnBooleanProperty(name = "vicinal.http-exchanges.enabled", matchIfMissing = true)
	@ConditionalOnClass(
			name = { "org.springframework.boot.tomcat.TomcatWebServer", "org.apache.coyote.AbstractProcessor" })
	static class TomcatExchangesConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		ExchangeService vicinalExchangeService(ApplicationContext context, ThreadIsolation isolation,
				ConnectionTickets tickets, RunningExchange running, Codecs codecs) {
			return new ExchangeService(new TomcatExchanges(() -> webServer(context), isolation, tickets, running),
					codecs);
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		RequestSockets vicinalTomcatSockets() {
			return new TomcatSockets();
		}

	}

}
