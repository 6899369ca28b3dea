package io.github.vicinal.boot.exchange;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExchangeThreadsTests {

	private static final InheritableThreadLocal<String> CALLER = new InheritableThreadLocal<>();

	@Test
	void threadsInheritTheApplicationsClassLoaderAndNothingOfACaller() throws Exception {
		Thread current = Thread.currentThread();
		ClassLoader before = current.getContextClassLoader();
		try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
			current.setContextClassLoader(application);
			ExchangeThreads threads = new ExchangeThreads();
			current.setContextClassLoader(before);
			CALLER.set("somebody");
			CompletableFuture<String> inherited = new CompletableFuture<>();
			CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
			threads.execute(() -> {
				inherited.complete(CALLER.get());
				loader.complete(Thread.currentThread().getContextClassLoader());
			});
			assertThat(inherited.get()).isNull();
			assertThat(loader.get()).isSameAs(application);
		}
		finally {
			CALLER.remove();
			current.setContextClassLoader(before);
		}
	}

}
