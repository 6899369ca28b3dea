package io.github.vicinal.boot.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.thread.Threading;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.github.vicinal.boot.actuate.RequestServerEndpoint;
import io.github.vicinal.boot.autoconfigure.VicinalProperties.Requests;
import io.github.vicinal.boot.autoconfigure.VicinalProperties.Requests.Kind;
import io.github.vicinal.boot.server.HandlerPaths;
import io.github.vicinal.boot.server.RequestPermitFilter;
import io.github.vicinal.boot.server.RequestPermits;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import io.github.vicinal.server.ServiceRegistry;

/**
 * Auto-configuration of the request server, which all paths of an application share.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnBean(Codecs.class)
@ConditionalOnProperty(name = "vicinal.server.requests.enabled", matchIfMissing = true)
public final class RequestServerAutoConfiguration {

	private static final String NAME = "requests";

	/** What Tomcat and Jetty start with. */
	private static final int WEB_SERVER_THREADS = 200;

	/** How many connections Tomcat has, where each may run on a virtual thread. */
	private static final int WEB_SERVER_CONNECTIONS = 8192;

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	RequestServer vicinalRequestServer(VicinalProperties properties, Environment environment) {
		Requests requests = properties.server().requests();
		return new RequestServer(RequestServerSettings.of(NAME, threads(requests, environment))
			.withQueueCapacity(requests.queueCapacity())
			.withInterval(requests.interval())
			.withPatience(requests.patience())
			.withMaxPerChannel(requests.maxPerChannel()));
	}

	private static Threads threads(Requests requests, Environment environment) {
		boolean virtual = Threading.VIRTUAL.isActive(environment);
		boolean onVirtual = switch (requests.kind()) {
			case AUTO, PLATFORM -> false;
			case VIRTUAL -> true;
			case DEFAULT -> virtual;
		};
		Integer said = requests.threads();
		int most = (said != null) ? said
				: Math.min(ofWebServer(environment, virtual), onVirtual ? Threads.Virtual.MAX : Threads.Fixed.MAX);
		if (requests.kind() == Kind.AUTO) {
			return new Threads.Auto(Math.min(Runtime.getRuntime().availableProcessors(), most), most);
		}
		return onVirtual ? new Threads.Virtual(most) : new Threads.Fixed(most);
	}

	/** As many as the web server would run. */
	private static int ofWebServer(Environment environment, boolean virtual) {
		return virtual ? positive(environment, "server.tomcat.max-connections", WEB_SERVER_CONNECTIONS)
				: positive(environment, "server.jetty.threads.max",
						positive(environment, "server.tomcat.threads.max", WEB_SERVER_THREADS));
	}

	private static int positive(Environment environment, String property, int otherwise) {
		int value = environment.getProperty(property, Integer.class, otherwise);
		return (value > 0) ? value : otherwise;
	}

	/** Where the endpoint is exposed. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
	static class Actuator {

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnAvailableEndpoint(RequestServerEndpoint.class)
		RequestServerEndpoint requestServerEndpoint(RequestServer server) {
			return new RequestServerEndpoint(server);
		}

	}

	/** Where requests come by HTTP. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ DispatcherServlet.class, ServletContext.class })
	@ConditionalOnProperty(name = "vicinal.server.enabled", matchIfMissing = true)
	static class Http {

		/** After the observation of requests, so that refused ones are seen. */
		private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 2;

		@Bean
		FilterRegistrationBean<RequestPermitFilter> vicinalRequestPermitFilter(ApplicationContext context,
				RequestServer server, VicinalProperties properties, ObjectProvider<ServiceRegistry> services,
				ObjectProvider<ExemptPaths> exempt) {
			HandlerPaths paths = new HandlerPaths(
					() -> List.copyOf(context.getBeansOfType(RequestMappingHandlerMapping.class).values()),
					() -> exempt.stream().flatMap((some) -> some.get().stream()).toList());
			RequestPermitFilter filter = new RequestPermitFilter(
					new RequestPermits(server, properties.server().requests().priorities()), paths,
					(contract) -> services.getObject().find(contract) != null);
			FilterRegistrationBean<RequestPermitFilter> registration = new FilterRegistrationBean<>(filter);
			registration.setOrder(ORDER);
			registration.setDispatcherTypes(DispatcherType.REQUEST);
			return registration;
		}

		/** Where actuator endpoints may be served by the application's own web server. */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(PathMappedEndpoints.class)
		static class Endpoints {

			@Bean
			ExemptPaths vicinalEndpointPaths(ObjectProvider<PathMappedEndpoints> endpoints) {
				return () -> {
					Set<String> paths = new HashSet<>();
					endpoints.stream().forEach((known) -> add(known, paths));
					return new ArrayList<>(paths);
				};
			}

			private static void add(PathMappedEndpoints endpoints, Set<String> paths) {
				if (!endpoints.getBasePath().isEmpty()) {
					paths.add(endpoints.getBasePath());
				}
				paths.addAll(endpoints.getAllPaths());
				for (PathMappedEndpoint endpoint : endpoints) {
					paths.addAll(endpoint.getAdditionalPaths(WebServerNamespace.SERVER));
				}
			}

		}

	}

	/** Paths of requests that get no permit because they need none. */
	@FunctionalInterface
	interface ExemptPaths extends Supplier<Collection<String>> {

	}

}
