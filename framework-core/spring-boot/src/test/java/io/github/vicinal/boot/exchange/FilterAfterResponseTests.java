package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A filter that works on after its handler has responded: its client waits for it where
 * it would over HTTP, and nowhere else.
 */
@Timeout(120)
class FilterAfterResponseTests {

	/** The first two are executed by a thread of the server in any case. */
	private static final int ATTEMPTS = 4;

	/** Time after which a client counts as one that waits for the filter. */
	private static final long HELD_MILLIS = 400;

	@RegisterExtension
	final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm" })
	void isWaitedForAsOverHttp(String path) throws Exception {
		ConfigurableApplicationContext server = this.applications.start(AuditedApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", path, "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.client(path, "http-components");
		String base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
		RestClient exchanges = client.getBean(RestClient.Builder.class).baseUrl(base).build();
		RestClient plain = RestClient.builder()
			.baseUrl(base)
			.requestFactory(ExchangeBehaviourTests.plain("http-components"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(exchanges, sent, path);
		Audit audit = server.getBean(Audit.class);
		long before = ExchangeBehaviourTests.calls(sent, path);
		for (String kind : List.of("value", "length", "json", "flushed", "written", "announced")) {
			String expected = observe(plain, kind, audit);
			for (int i = 0; i < ATTEMPTS; i++) {
				assertThat(observe(exchanges, kind, audit)).as("%s, attempt %d", kind, i).isEqualTo(expected);
			}
		}
		assertThat(ExchangeBehaviourTests.calls(sent, path)).isGreaterThanOrEqualTo(before + 6 * ATTEMPTS);
	}

	private static String observe(RestClient client, String kind, Audit audit) throws Exception {
		CompletableFuture<String> body = CompletableFuture
			.supplyAsync(() -> client.get().uri("/audited/" + kind).retrieve().body(String.class));
		String held;
		try {
			body.get(HELD_MILLIS, TimeUnit.MILLISECONDS);
			held = "not held";
		}
		catch (TimeoutException ex) {
			held = "held";
		}
		catch (ExecutionException ex) {
			held = String.valueOf(ex.getCause());
		}
		audit.goOn.release();
		String seen = body.get(20, TimeUnit.SECONDS);
		assertThat(audit.done.tryAcquire(20, TimeUnit.SECONDS)).as("end of the filter").isTrue();
		return held + ": " + seen;
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ ShopApplication.Shop.class, Audited.class, Audit.class })
	static class AuditedApplication {

	}

	/** Works on until the test lets it go, and for a while in any case. */
	static class Audit implements Filter {

		/** Longer than a handler may go on whose response counts as small. */
		private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

		private final Semaphore goOn = new Semaphore(0);

		private final Semaphore done = new Semaphore(0);

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			chain.doFilter(request, response);
			if (!((HttpServletRequest) request).getRequestURI().startsWith("/audited")) {
				return;
			}
			long began = System.nanoTime();
			try {
				assertThat(this.goOn.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			while (System.nanoTime() - began < WORK_NANOS) {
				LockSupport.parkNanos(WORK_NANOS);
			}
			this.done.release();
		}

	}

	@RestController
	@RequestMapping("/audited")
	static class Audited {

		/** Spring flushes what it has written, and says its length. */
		@GetMapping("/value")
		String value() {
			return "value";
		}

		@GetMapping("/length")
		void length(HttpServletResponse response) throws IOException {
			response.setContentLength(4);
			response.getWriter().print("text");
			response.flushBuffer();
		}

		/** Spring flushes it, without a length. */
		@GetMapping("/json")
		Map<String, Integer> json() {
			return Map.of("a", 1);
		}

		@GetMapping("/flushed")
		void flushed(HttpServletResponse response) throws IOException {
			response.getWriter().print("flushed");
			response.flushBuffer();
		}

		@GetMapping("/written")
		void written(HttpServletResponse response) throws IOException {
			response.getWriter().print("written");
		}

		/** All that was announced is written, and not flushed. */
		@GetMapping("/announced")
		void announced(HttpServletResponse response) throws IOException {
			response.setContentLength(9);
			response.getWriter().print("announced");
		}

	}

}
