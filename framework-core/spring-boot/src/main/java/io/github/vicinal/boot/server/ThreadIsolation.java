package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Keeps what a thread carries for its caller away from a handler that runs on it, and
 * what the handler leaves behind away from the caller: the context class loader, the
 * request, the locale, the logging context, and everything that is registered with the
 * context propagation library, such as the security context and the current observation.
 * <p>
 * A transaction binds more to a thread than can be taken off it. A call inside of one is
 * handed to another thread.
 */
final class ThreadIsolation implements AutoCloseable {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			ThreadIsolation.class.getClassLoader());

	/** Locale of a request without {@code Accept-Language}. */
	private static final LocaleContext REQUEST_LOCALE = Locale::getDefault;

	private final ClassLoader classLoader;

	private final ContextRegistry registry;

	private final ObservationRegistry observations;

	private final ExecutorService cleanThreads;

	/**
	 * Creates the isolation of an application's handlers.
	 * @param classLoader the application's class loader
	 * @param registry knows the thread-locals that are propagated
	 * @param observations knows the thread's observation
	 */
	public ThreadIsolation(ClassLoader classLoader, ContextRegistry registry, ObservationRegistry observations) {
		this.classLoader = classLoader;
		this.observations = observations;
		this.registry = registry;
		this.cleanThreads = Executors.newCachedThreadPool((task) -> {
			Thread thread = new Thread(null, task, "vicinal-handler", 0, false);
			thread.setDaemon(true);
			thread.setContextClassLoader(classLoader);
			return thread;
		});
	}

	<T> T run(@Nullable RequestAttributes request, Supplier<T> handler) {
		if (TRANSACTIONS && Transactions.present()) {
			return runElsewhere(request, handler);
		}
		return runHere(request, handler);
	}

	/** An interrupt of the calling thread is passed on, and stays. */
	private <T> T runElsewhere(@Nullable RequestAttributes request, Supplier<T> handler) {
		Interruptible<T> task = new Interruptible<>(() -> runHere(request, handler));
		CompletableFuture<T> running = CompletableFuture.supplyAsync(task, this.cleanThreads);
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return running.get();
				}
				catch (InterruptedException ex) {
					interrupted = true;
					task.interrupt();
				}
			}
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new CompletionException(ex.getCause());
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** A handler whose thread can be interrupted as long as it runs, and not later. */
	private static final class Interruptible<T> implements Supplier<T> {

		private final Supplier<T> handler;

		private @Nullable Thread thread;

		private boolean interrupted;

		Interruptible(Supplier<T> handler) {
			this.handler = handler;
		}

		@Override
		public T get() {
			synchronized (this) {
				this.thread = Thread.currentThread();
				if (this.interrupted) {
					this.thread.interrupt();
				}
			}
			try {
				return this.handler.get();
			}
			finally {
				synchronized (this) {
					this.thread = null;
				}
				Thread.interrupted();
			}
		}

		synchronized void interrupt() {
			this.interrupted = true;
			if (this.thread != null) {
				this.thread.interrupt();
			}
		}

	}

	private <T> T runHere(@Nullable RequestAttributes request, Supplier<T> handler) {
		Thread thread = Thread.currentThread();
		ClassLoader callerLoader = thread.getContextClassLoader();
		RequestAttributes callerRequest = RequestContextHolder.getRequestAttributes();
		LocaleContext callerLocale = LocaleContextHolder.getLocaleContext();
		boolean requestInherited = InheritedContexts.REQUEST.holds(callerRequest);
		boolean localeInherited = InheritedContexts.LOCALE.holds(callerLocale);
		Map<String, String> callerMdc = MDC.getCopyOfContextMap();
		Observation.Scope callerScope = this.observations.getCurrentObservationScope();
		if (callerScope != null) {
			// Else it would be asked for its observation, which is made only then.
			this.observations.setCurrentObservationScope(null);
		}
		List<ThreadLocalAccessor<?>> accessors = this.registry.getThreadLocalAccessors();
		@Nullable Object @Nullable [] callerValues = take(accessors);
		if (callerLoader != this.classLoader) {
			thread.setContextClassLoader(this.classLoader);
		}
		if (callerMdc != null && !callerMdc.isEmpty()) {
			MDC.clear();
		}
		RequestContextHolder.setRequestAttributes(request);
		if (callerLocale != null || LocaleContextHolder.getLocale(null) != Locale.getDefault()) {
			LocaleContextHolder.setLocaleContext(REQUEST_LOCALE);
		}
		try {
			return handler.get();
		}
		finally {
			if (LocaleContextHolder.getLocaleContext() != callerLocale) {
				LocaleContextHolder.setLocaleContext(callerLocale, localeInherited);
			}
			RequestContextHolder.setRequestAttributes(callerRequest, requestInherited);
			restoreMdc(callerMdc);
			give(accessors, callerValues);
			if (callerScope != null) {
				this.observations.setCurrentObservationScope(callerScope);
			}
			if (thread.getContextClassLoader() != callerLoader) {
				thread.setContextClassLoader(callerLoader);
			}
		}
	}

	private static void restoreMdc(@Nullable Map<String, String> callerMdc) {
		if (callerMdc != null && !callerMdc.isEmpty()) {
			MDC.setContextMap(callerMdc);
			return;
		}
		Map<String, String> left = MDC.getCopyOfContextMap();
		if (left != null && !left.isEmpty()) {
			MDC.clear();
		}
	}

	/** Takes away what is registered; {@code null} where there was nothing. */
	private static @Nullable Object @Nullable [] take(List<ThreadLocalAccessor<?>> accessors) {
		@Nullable Object @Nullable [] values = null;
		for (int i = 0; i < accessors.size(); i++) {
			ThreadLocalAccessor<?> accessor = accessors.get(i);
			Object value = accessor.getValue();
			if (value != null) {
				if (values == null) {
					values = new @Nullable Object[accessors.size()];
				}
				values[i] = value;
				accessor.setValue();
			}
		}
		return values;
	}

	/** Gives back what was taken, and takes away what the handler left behind. */
	@SuppressWarnings("unchecked")
	private static void give(List<ThreadLocalAccessor<?>> accessors, @Nullable Object @Nullable [] values) {
		for (int i = 0; i < accessors.size(); i++) {
			Object value = (values != null) ? values[i] : null;
			ThreadLocalAccessor<Object> accessor = (ThreadLocalAccessor<Object>) accessors.get(i);
			if (value != null) {
				accessor.restore(value);
			}
			else if (accessor.getValue() != null) {
				accessor.setValue();
			}
		}
	}

	@Override
	public void close() {
		this.cleanThreads.shutdownNow();
	}

	/** Loaded only where Spring's transactions are. */
	private static final class Transactions {

		private Transactions() {
		}

		static boolean present() {
			return TransactionSynchronizationManager.isSynchronizationActive()
					|| TransactionSynchronizationManager.isActualTransactionActive()
					|| !TransactionSynchronizationManager.getResourceMap().isEmpty();
		}

	}

}
