package io.github.vicinal.boot.server;

import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** Beans of exchanges by web server. */
class JettyAutoConfigurationTests {

	private final WebApplicationContextRunner server = new WebApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class);

	@Test
	void jettyHasItsOwn() {
		this.server.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(JettyServletWebServerFactory.class);
			assertThat(context.getBeanNamesForType(ExchangeService.class, true, false))
				.containsExactly("vicinalJettyExchangeService");
			assertThat(context).hasSingleBean(RequestSockets.class);
		});
	}

	@Test
	void withoutAWebServerThereAreNone() {
		this.server.withClassLoader(new FilteredClassLoader(Server.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ServiceCatalog.class)
				.doesNotHaveBean(ExchangeService.class)
				.doesNotHaveBean(RequestSockets.class));
	}

	@Test
	void theyAreOffByProperty() {
		this.server.withPropertyValues("vicinal.http-exchanges.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ExchangeService.class)
				.doesNotHaveBean(RequestSockets.class));
	}

	/** Health checks find a thread although all requests run or wait that may. */
	@ParameterizedTest
	@CsvSource({ "20, 5, 241", "300, 100000, 1816" })
	void jettyHasThreadsForThoseThatWait(int configured, int queue, int threads) {
		start("server.jetty.threads.max=" + configured, "vicinal.server.requests.queue-capacity=" + queue)
			.run((context) -> assertThat(pool(context)).isInstanceOfSatisfying(QueuedThreadPool.class,
					(pool) -> assertThat(pool.getMaxThreads()).isEqualTo(threads)));
	}

	/** Virtual threads are those of Java 21 and newer. */
	@Test
	@Tag("every-jdk")
	void jettyRunsMoreThanHavePermitsOnVirtualThreadsToo() {
		start("spring.threads.virtual.enabled=true").run((context) -> {
			ThreadPool pool = pool(context);
			assertThat(pool instanceof VirtualThreadPool).isEqualTo(Runtime.version().feature() >= 21);
			int most = (pool instanceof VirtualThreadPool virtual) ? virtual.getMaxConcurrentTasks()
					: ((QueuedThreadPool) pool).getMaxThreads();
			assertThat(most).isGreaterThan(context.getBean(RequestServer.class).settings().threads().most());
		});
	}

	@ParameterizedTest
	@CsvSource({ "64, 16, 16, 248", "128, 136, 137, 489", "256, 200, 800, 1216" })
	void whatWaitsFollowsTheHeap(int heapMebibytes, int queue, int paused, int threads) {
		long heap = (long) heapMebibytes << 20;
		start().run((context) -> {
			RequestServerSettings settings = settings(context, heap);
			assertThat(settings.threads().most()).isEqualTo(200);
			assertThat(settings.queueCapacity()).isEqualTo(queue);
			assertThat(settings.maxPaused()).isEqualTo(paused);
			WebServerThreads webServer = new WebServerThreads(HeapRoom.onJetty(heap));
			assertThat(webServer.forAll(settings, 200)).isEqualTo(threads);
			assertThat(webServer.bulkheads(settings)).isEmpty();
		});
	}

	/** By itself, it runs 200 tasks on virtual threads, too. */
	@ParameterizedTest
	@CsvSource({ "64, 216, 8, 8, 248", "128, 336, 68, 69, 489", "512, 1975, 887, 888, 3766",
			"8192, 8192, 1000, 32768, 41976" })
	@Tag("every-jdk")
	void whatRunsAndWaitsOnVirtualThreadsFollowsTheHeap(int heapMebibytes, int running, int queue, int paused,
			int tasks) {
		long heap = (long) heapMebibytes << 20;
		boolean virtual = Runtime.version().feature() >= 21;
		start("spring.threads.virtual.enabled=true").run((context) -> {
			RequestServerSettings settings = settings(context, heap);
			assertThat(settings.threads().most()).isEqualTo(virtual ? running : 200);
			if (virtual) {
				assertThat(settings.queueCapacity()).isEqualTo(queue);
				assertThat(settings.maxPaused()).isEqualTo(paused);
				WebServerThreads webServer = new WebServerThreads(HeapRoom.onJetty(heap));
				assertThat(webServer.forAllVirtual(settings, 200)).isEqualTo(tasks);
				assertThat(webServer.bulkheads(settings)).isEmpty();
			}
		});
	}

	private static RequestServerSettings settings(AssertableWebApplicationContext context, long heap) {
		return RequestServerAutoConfiguration.settings(context.getBean(VicinalProperties.class).server().requests(),
				context.getEnvironment(), heap);
	}

	private WebApplicationContextRunner start(String... properties) {
		return new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
			.withUserConfiguration(AutoConfigured.class)
			.withPropertyValues("server.port=0")
			.withPropertyValues(properties);
	}

	private static ThreadPool pool(AssertableWebApplicationContext context) {
		WebServerApplicationContext started = (WebServerApplicationContext) context.getSourceApplicationContext();
		return ((JettyWebServer) started.getWebServer()).getServer().getThreadPool();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

}
