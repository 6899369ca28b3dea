package io.github.vicinal.launcher;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;

/**
 * Ends what threads of a stopped application work for, where an interrupt is not enough:
 * timers and executors that nobody has shut down wait again after it.
 */
final class LeftThreads {

	private static final String TIMER = "java.util.TimerThread";

	private static final String WORKER = "java.util.concurrent.ThreadPoolExecutor$Worker";

	private LeftThreads() {
	}

	/**
	 * Ends what a thread works for.
	 * @return what it was, for people, or {@code null} if it works for itself
	 */
	static @Nullable String end(Thread thread) {
		try {
			if (thread instanceof ForkJoinWorkerThread worker && worker.getPool() != ForkJoinPool.commonPool()) {
				worker.getPool().shutdownNow();
				return "the pool of the thread '%s' was not shut down".formatted(thread.getName());
			}
			if (thread.getClass().getName().equals(TIMER)) {
				cancel(thread);
				return "the timer '%s' was not cancelled".formatted(thread.getName());
			}
			Object task = task(thread);
			if (task != null && task.getClass().getName().equals(WORKER)
					&& value(task, task.getClass(), "this$0") instanceof ThreadPoolExecutor executor) {
				executor.shutdownNow();
				return "the executor of the thread '%s' was not shut down".formatted(thread.getName());
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// It is interrupted, as others are.
		}
		return null;
	}

	/** Does what {@code Timer.cancel} does, since the timer itself cannot be found. */
	private static void cancel(Thread thread) throws ReflectiveOperationException {
		Object queue = value(thread, thread.getClass(), "queue");
		if (queue == null) {
			return;
		}
		synchronized (queue) {
			Field open = thread.getClass().getDeclaredField("newTasksMayBeScheduled");
			open.setAccessible(true);
			open.setBoolean(thread, false);
			Method clear = queue.getClass().getDeclaredMethod("clear");
			clear.setAccessible(true);
			clear.invoke(queue);
			queue.notifyAll();
		}
	}

	/** Since JDK 19, a thread keeps its task in a holder. */
	private static @Nullable Object task(Thread thread) throws ReflectiveOperationException {
		try {
			return value(thread, Thread.class, "target");
		}
		catch (NoSuchFieldException ex) {
			Object holder = value(thread, Thread.class, "holder");
			return (holder != null) ? value(holder, holder.getClass(), "task") : null;
		}
	}

	private static @Nullable Object value(Object target, Class<?> type, String name)
			throws ReflectiveOperationException {
		Field field = type.getDeclaredField(name);
		field.setAccessible(true);
		return field.get(target);
	}

}
