package io.github.vicinal.requestserver;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of a request server. */
final class WorkerThreads {

	private WorkerThreads() {
	}

	static ThreadFactory platform(String name) {
		AtomicInteger number = new AtomicInteger();
		return (work) -> {
			Thread thread = new Thread(work, "vicinal-%s-%d".formatted(name, number.incrementAndGet()));
			thread.setDaemon(true);
			thread.setContextClassLoader(WorkerThreads.class.getClassLoader());
			return thread;
		};
	}

	/** Java 21 and newer have virtual threads; before it, platform threads do as well. */
	static ThreadFactory virtual(String name) {
		try {
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			Class<?> type = Class.forName("java.lang.Thread$Builder");
			Object named = type.getMethod("name", String.class, long.class)
				.invoke(builder, "vicinal-" + name + "-", 1L);
			Method factory = type.getMethod("factory");
			return (ThreadFactory) factory.invoke(named);
		}
		catch (ReflectiveOperationException ex) {
			return platform(name);
		}
	}

}
