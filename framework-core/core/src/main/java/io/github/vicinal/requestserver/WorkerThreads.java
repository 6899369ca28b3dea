package io.github.vicinal.requestserver;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/**
 * Makes the threads of a request server. They are not bounded here: only what has a
 * permit gets one.
 */
final class WorkerThreads {

	private static final long IDLE_SECONDS = 10;

	private WorkerThreads() {
	}

	static Executor of(RequestServerSettings settings) {
		ThreadFactory platform = platform(settings.name());
		if (settings.threads() instanceof Threads.Virtual
				|| (settings.threads() instanceof Threads.Auto auto && auto.virtual())) {
			ThreadFactory factory = virtual(settings.name(), platform);
			return (task) -> factory.newThread(task).start();
		}
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				platform);
	}

	static ThreadFactory platform(String name) {
		AtomicInteger number = new AtomicInteger();
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (work) -> {
			Thread thread = new Thread(null, work, "vicinal-%s-%d".formatted(name, number.incrementAndGet()), 0, false);
			thread.setDaemon(true);
			thread.setContextClassLoader(loader);
			return thread;
		};
	}

	/** Java 21 and newer have virtual threads; before it, platform threads do as well. */
	private static ThreadFactory virtual(String name, ThreadFactory platform) {
		try {
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			Class<?> type = Class.forName("java.lang.Thread$Builder");
			Object named = type.getMethod("name", String.class, long.class)
				.invoke(builder, "vicinal-" + name + "-", 1L);
			Method factory = type.getMethod("factory");
			return (ThreadFactory) factory.invoke(named);
		}
		catch (ReflectiveOperationException ex) {
			return platform;
		}
	}

}
