package io.github.vicinal.boot.server;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.context.i18n.SimpleLocaleContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
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

	/** As for threads that a caller starts after a call. */
	@Test
	void whatACallersThreadsInheritIsInheritedAfterwards() {
		ServletRequestAttributes request = new ServletRequestAttributes(new MockHttpServletRequest());
		LocaleContext locale = new SimpleLocaleContext(Locale.FRANCE);
		RequestContextHolder.setRequestAttributes(request, true);
		LocaleContextHolder.setLocaleContext(locale, true);
		try (ThreadIsolation isolation = new ThreadIsolation(getClass().getClassLoader(), new ContextRegistry(),
				ObservationRegistry.NOOP)) {
			assertThat(isolation.run(null, () -> inAThread(RequestContextHolder::getRequestAttributes))).isEmpty();
			assertThat(isolation.run(null, () -> inAThread(LocaleContextHolder::getLocale)))
				.contains(Locale.getDefault());
			assertThat(RequestContextHolder.getRequestAttributes()).isSameAs(request);
			assertThat(inAThread(RequestContextHolder::getRequestAttributes)).containsSame(request);
			assertThat(inAThread(LocaleContextHolder::getLocaleContext)).containsSame(locale);
		}
		finally {
			RequestContextHolder.resetRequestAttributes();
			LocaleContextHolder.resetLocaleContext();
		}
	}

	@Test
	void whatTheyDoNotInheritIsNot() {
		RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
		try (ThreadIsolation isolation = new ThreadIsolation(getClass().getClassLoader(), new ContextRegistry(),
				ObservationRegistry.NOOP)) {
			isolation.run(null, () -> true);
			assertThat(inAThread(RequestContextHolder::getRequestAttributes)).isEmpty();
		}
		finally {
			RequestContextHolder.resetRequestAttributes();
		}
	}

	private static <T> Optional<T> inAThread(Supplier<T> task) {
		AtomicReference<T> seen = new AtomicReference<>();
		Thread thread = new Thread(() -> seen.set(task.get()));
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return Optional.ofNullable(seen.get());
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
