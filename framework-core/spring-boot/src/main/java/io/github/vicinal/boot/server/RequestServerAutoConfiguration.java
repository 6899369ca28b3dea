package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.boot.autoconfigure.VicinalProperties.Requests;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.coyote.AbstractProtocol;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jetty.ConfigurableJettyWebServerFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

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

	/** Default number of threads of Tomcat and Jetty. */
	private static final int WEB_SERVER_THREADS = 200;

	/**
	 * Default number of Tomcat's connections, each of which may run on a virtual thread.
	 */
	private static final int WEB_SERVER_CONNECTIONS = 8192;

	private static final String JETTY_FACTORY = "org.springframework.boot.jetty.ConfigurableJettyWebServerFactory";

	private static final String JETTY = "org.eclipse.jetty.server.Server";

	private static final int LONGEST_QUEUE = 1000;

	/** Length of a burst in queues: there are as many more threads for slow clients. */
	private static final int BURST = 4;

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	RequestServer vicinalRequestServer(VicinalProperties properties, Environment environment) {
		return new RequestServer(
				settings(properties.server().requests(), environment, Runtime.getRuntime().maxMemory()));
	}

	/**
	 * Returns the settings of the application's request server.
	 * @param heap the most that the heap may grow to, in bytes
	 */
	static RequestServerSettings settings(Requests requests, Environment environment, long heap) {
		RequestServerSettings settings = RequestServerSettings.of(NAME, threads(requests, environment, heap))
			.withQueueCapacity(queueCapacity(requests, environment, heap));
		settings = settings.withMaxPaused(maxPaused(settings, environment, heap));
		return settings.withBurst(Math.min(burst(requests, settings), settings.maxPaused()))
			.withInterval(requests.interval())
			.withPatience(requests.patience())
			.withMaxPerChannel(requests.maxPerChannel());
	}

	/**
	 * Uses the configured number, else lets the load decide, up to the web server's own
	 * limit.
	 */
	private static Threads threads(Requests requests, Environment environment, long heap) {
		boolean virtual = Threading.VIRTUAL.isActive(environment);
		boolean onVirtual = switch (requests.kind()) {
			case PLATFORM -> false;
			case VIRTUAL -> true;
			case DEFAULT -> virtual;
		};
		Integer said = requests.threads();
		if (said != null) {
			return onVirtual ? new Threads.Virtual(said) : new Threads.Fixed(said);
		}
		int most = ofWebServer(environment, virtual);
		if (virtual && isJetty()) {
			// By itself, it runs as many as on platform threads.
			most = Math.min(most, ofWebServer(environment, false) + HeapRoom.onJetty(heap).requests() / 2);
		}
		return new Threads.Auto(1, Math.min(most, onVirtual ? Threads.Virtual.MAX : Threads.Fixed.MAX), onVirtual);
	}

	/** A request that waits by HTTP keeps a thread of the web server. */
	private static int queueCapacity(Requests requests, Environment environment, long heap) {
		Integer said = requests.queueCapacity();
		return (said != null) ? said : Math.min(longestQueue(environment, heap),
				ofWebServer(environment, Threading.VIRTUAL.isActive(environment)));
	}

	/**
	 * Returns the length of the longest queue that is not configured: half of what the
	 * heap has room for, and the other half is for slow clients and bursts. On virtual
	 * threads Tomcat processes all requests at once by itself, and Jetty's permits have
	 * half of the room.
	 */
	private static int longestQueue(Environment environment, long heap) {
		boolean virtual = Threading.VIRTUAL.isActive(environment);
		if (virtual && !isJetty()) {
			return LONGEST_QUEUE;
		}
		return Math.min(LONGEST_QUEUE, room(environment, heap).requests() / (virtual ? 4 : 2));
	}

	/** Slow clients get what is left of the room, and a quarter at least. */
	private static int maxPaused(RequestServerSettings settings, Environment environment, long heap) {
		boolean virtual = Threading.VIRTUAL.isActive(environment);
		if (virtual && !isJetty()) {
			return settings.maxPaused();
		}
		int byItself = ofWebServer(environment, false);
		int room = room(environment, heap).requests();
		int running = virtual ? Math.max(0, settings.threads().most() - byItself) : 0;
		int waiting = Math.min(settings.queueCapacity(), Math.max(byItself, virtual ? settings.threads().most() : 0));
		return Math.min(settings.maxPaused(), Math.max(room - running - waiting, room / 4));
	}

	/**
	 * Without the property, a burst may be longer than the queue: the web server alone
	 * would let it wait, too. Its threads are those that slow clients seldom need.
	 */
	private static int burst(Requests requests, RequestServerSettings settings) {
		int capacity = settings.queueCapacity();
		return (requests.queueCapacity() != null) ? 0 : Math.min(LONGEST_QUEUE - capacity, BURST * capacity);
	}

	/**
	 * Returns the number of requests that the web server would run. Configuration that
	 * several applications share may have properties of both web servers.
	 */
	private static int ofWebServer(Environment environment, boolean virtual) {
		if (virtual) {
			return positive(environment, isJetty() ? "server.jetty.max-connections" : "server.tomcat.max-connections",
					WEB_SERVER_CONNECTIONS);
		}
		return positive(environment, isJetty() ? "server.jetty.threads.max" : "server.tomcat.threads.max",
				WEB_SERVER_THREADS);
	}

	private static HeapRoom room(Environment environment, long heap) {
		return isJetty() ? HeapRoom.onJetty(heap) : HeapRoom.onTomcat(environment, heap);
	}

	/** Where Spring Boot finds both, it takes Jetty. */
	private static boolean isJetty() {
		ClassLoader loader = RequestServerAutoConfiguration.class.getClassLoader();
		return ClassUtils.isPresent(JETTY_FACTORY, loader) && ClassUtils.isPresent(JETTY, loader);
	}

	private static int positive(Environment environment, String property, int otherwise) {
		int value = environment.getProperty(property, Integer.class, otherwise);
		return (value > 0) ? value : otherwise;
	}

	/** Beans for applications with a web server. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ DispatcherServlet.class, ServletContext.class })
	@ConditionalOnProperty(name = "vicinal.server.enabled", matchIfMissing = true)
	static class Http {

		/** Ordered after the observation of requests, so that rejected ones are seen. */
		private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 2;

		@Bean
		WebServerThreads vicinalWebServerThreads(Environment environment) {
			return new WebServerThreads(room(environment, Runtime.getRuntime().maxMemory()));
		}

		@Bean
		Endpoints vicinalEndpoints(ApplicationContext context) {
			return new Endpoints(() -> List.copyOf(context.getBeansOfType(RequestMappingHandlerMapping.class).values()),
					() -> List.copyOf(context.getBeansOfType(RouterFunctionMapping.class).values()));
		}

		@Bean
		RequestRules vicinalRequestRules(VicinalProperties properties, ObjectProvider<CallerResolver> callers,
				Endpoints endpoints) {
			List<RequestRule> rules = new ArrayList<>();
			for (Requests.Rule rule : properties.server().requests().rules()) {
				rules.add(new RequestRule("rules[%d]".formatted(rules.size()), rule.path(), rule.methods(),
						rule.callers(), rule.priority(), rule.maxInFlight(),
						RequestRule.Per.valueOf(rule.per().name())));
			}
			return new RequestRules(rules, callers.getIfAvailable(() -> HttpServletRequest::getRemoteAddr), endpoints);
		}

		/** Rules that match no handler are only known once all handlers are there. */
		@Bean
		ApplicationListener<ApplicationReadyEvent> vicinalUselessRules(RequestRules rules, RequestServer server,
				VicinalProperties properties, Endpoints endpoints, Environment environment) {
			return (event) -> {
				RequestPropertyNames.warn(environment);
				RequestPropertyNames.warnOfContracts(properties.server().requests().priorities().keySet(), endpoints);
				rules.warnOfUseless(server.settings());
			};
		}

		@Bean
		FilterRegistrationBean<RequestPermitFilter> vicinalRequestPermitFilter(ApplicationContext context,
				RequestServer server, VicinalProperties properties, ObjectProvider<ExemptPaths> exempt,
				Endpoints endpoints, RequestRules rules, WebServerThreads threads) {
			HandlerPaths paths = new HandlerPaths(endpoints,
					() -> exempt.stream().flatMap((some) -> some.get().stream()).toList());
			RequestPermitFilter filter = new RequestPermitFilter(
					new RequestPermits(server, properties.server().requests().priorities(), rules),
					() -> threads.bulkheads(server.settings()), paths, endpoints,
					() -> context.getBeansOfType(CorsConfigurationSource.class).values());
			FilterRegistrationBean<RequestPermitFilter> registration = new FilterRegistrationBean<>(filter);
			registration.setOrder(ORDER);
			registration.setDispatcherTypes(DispatcherType.REQUEST);
			return registration;
		}

		/**
		 * Tomcat's own threads must not be the queue: requests would wait there without
		 * priorities, and health checks behind them.
		 */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass({ ConfigurableTomcatWebServerFactory.class, AbstractProtocol.class })
		static class TomcatThreads {

			/**
			 * Unordered, so it comes after Boot's own, which sets what is configured.
			 */
			@Bean
			WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> vicinalTomcatThreads(
					ObjectProvider<RequestServer> server, WebServerThreads threads) {
				return (factory) -> factory.addConnectorCustomizers((connector) -> {
					RequestServer known = server.getIfAvailable();
					if (known != null && connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol
							&& protocol.getExecutor() == null) {
						protocol.setMaxThreads(threads.forAll(known.settings(), protocol.getMaxThreads()));
					}
				});
			}

		}

		/** Jetty's own threads must not be the queue, either. */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass({ ConfigurableJettyWebServerFactory.class, QueuedThreadPool.class })
		static class JettyThreads {

			@Bean
			WebServerFactoryCustomizer<ConfigurableJettyWebServerFactory> vicinalJettyThreads(
					ObjectProvider<RequestServer> server, WebServerThreads threads) {
				return (factory) -> factory.addServerCustomizers((jetty) -> {
					RequestServer known = server.getIfAvailable();
					if (known != null && jetty.getThreadPool() instanceof QueuedThreadPool pool) {
						pool.setMaxThreads(threads.forAll(known.settings(), pool.getMaxThreads()));
					}
					else if (known != null && jetty.getThreadPool() instanceof VirtualThreadPool pool
							&& pool.getMaxConcurrentTasks() > 0) {
						pool.setMaxConcurrentTasks(
								threads.forAllVirtual(known.settings(), pool.getMaxConcurrentTasks()));
					}
				});
			}

		}

		/**
		 * Beans for actuator endpoints that the application's own web server may serve.
		 */
		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(PathMappedEndpoints.class)
		static class ActuatorPaths {

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

	/**
	 * Paths of requests that get no permit because they need none. No {@code Supplier}:
	 * Spring Cloud Stream takes beans of that type for functions of the application.
	 */
	@FunctionalInterface
	interface ExemptPaths {

		Collection<String> get();

	}

}
