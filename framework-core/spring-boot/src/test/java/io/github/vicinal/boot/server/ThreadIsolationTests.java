package io.github.vicinal.boot.server;

import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;

/** Context of a handler that does not run on its caller's thread. */
@Tag("every-jdk")
class ThreadIsolationTests {

	private final InheritableThreadLocal<String> user = new InheritableThreadLocal<>();

	@AfterEach
	void clear() {
		this.user.remove();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.clearSynchronization();
		}
	}

	@Test
	void withinATransactionOfTheCallerItInheritsNothing() {
		this.user.set("caller");
		TransactionSynchronizationManager.initSynchronization();
		try (ThreadIsolation isolation = new ThreadIsolation(getClass().getClassLoader(), new ContextRegistry(),
				ObservationRegistry.NOOP)) {
			String seen = isolation.run(new ServletRequestAttributes(new MockHttpServletRequest()),
					() -> Thread.currentThread().getName() + " sees " + this.user.get());
			assertThat(seen).isEqualTo("vicinal-handler sees null");
		}
	}

}
