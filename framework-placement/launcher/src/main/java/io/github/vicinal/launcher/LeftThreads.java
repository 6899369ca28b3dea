package io.github.vicinal.launcher;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * Ends what threads of a stopped application work for, where an interrupt is not enough:
 * timers, executors, HTTP servers of the JDK, event loops of Netty, clients on Jetty's
 * thread pools and the thread for time limits of Okio (which OkHttp has) that nobody has
 * stopped go on after it.
 */
final class LeftThreads {

	private static final String TIMER = "java.util.TimerThread";

	private static final String WORKER = "java.util.concurrent.ThreadPoolExecutor$Worker";

	private static final String HTTP_DISPATCHER = "sun.net.httpserver.ServerImpl$Dispatcher";

	private static final String EVENT_STREAMS = "jdk.jfr.internal.consumer.";

	private static final String JETTY_RUNNER = "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner";

	private static final String JETTY_LIFE_CYCLE = "org.eclipse.jetty.util.component.LifeCycle";

	/** Also where a library has a copy of it. */
	private static final String OKIO_WATCHDOG = "okio.AsyncTimeout$Watchdog";

	/** Fields without which Okio's thread ends; versions have one or the other. */
	private static final List<String> OKIO_HEADS = List.of("head", "idleSentinel");

	/** Part of the names of Netty's classes, also where a library has a copy of them. */
	private static final String NETTY = "io.netty.";

	private static final String EVENT_EXECUTOR = "io.netty.util.concurrent.EventExecutor";

	/** Its thread ends by itself. */
	private static final String GLOBAL_EXECUTOR = "io.netty.util.concurrent.GlobalEventExecutor";

	/** Maximum number of tasks of Netty that wrap each other. */
	private static final int MAX_WRAPPERS = 4;

	/** Time that a server or a pool may take to stop: it waits for its threads. */
	private static final long STOP_MILLIS = 1000;

	private LeftThreads() {
	}

	/**
	 * Looks for what a thread works for, and ends nothing yet: the other threads of the
	 * same pool would be gone before they are counted.
	 * @return {@code null} if it works for itself
	 */
	static @Nullable Work workOf(Thread thread) {
		try {
			String name = thread.getName();
			if (thread instanceof ForkJoinWorkerThread worker && worker.getPool() != ForkJoinPool.commonPool()) {
				ForkJoinPool pool = worker.getPool();
				return new Work("the pool of the thread '%s' was not shut down".formatted(name), pool::shutdownNow);
			}
			if (thread.getClass().getName().equals(TIMER)) {
				return new Work("the timer '%s' was not cancelled".formatted(name), () -> cancel(thread));
			}
			if (thread.getClass().getName().endsWith(OKIO_WATCHDOG)) {
				List<Field> heads = headsOfWatchdog(thread);
				return heads.isEmpty() ? null : new Work("the thread '%s' still waited for time limits".formatted(name),
						() -> endWatchdog(thread, heads));
			}
			Object task = task(thread);
			if (task == null) {
				return null;
			}
			if (task.getClass().getName().equals(WORKER)
					&& value(task, task.getClass(), "this$0") instanceof ThreadPoolExecutor executor) {
				return new Work("the executor of the thread '%s' was not shut down".formatted(name),
						executor::shutdownNow);
			}
			if (task.getClass().getName().equals(HTTP_DISPATCHER)) {
				return new Work("the HTTP server of the thread '%s' was not stopped".formatted(name),
						() -> stopHttpServer(task));
			}
			if (task.getClass().getName().equals(JETTY_RUNNER)) {
				return new Work("the thread pool of Jetty of the thread '%s' was not stopped".formatted(name),
						() -> stopJetty(task));
			}
			AutoCloseable stream = eventStream(task);
			if (stream != null) {
				return new Work("the event stream of the thread '%s' was not closed".formatted(name), stream::close);
			}
			Object loop = eventExecutor(task, MAX_WRAPPERS);
			if (loop != null && !loop.getClass().getName().endsWith(GLOBAL_EXECUTOR)) {
				return new Work("the event loop of the thread '%s' was not shut down".formatted(name),
						() -> shutDownEventLoop(loop));
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// It is interrupted, as others are.
		}
		return null;
	}

	/**
	 * Takes back the interrupt of a thread that runs on in spite of it. Otherwise, a loop
	 * that waits in a selector would not wait any more, and keep a processor busy.
	 */
	static void clearInterrupt(Thread thread) {
		try {
			Field interrupted = Thread.class.getDeclaredField("interrupted");
			interrupted.setAccessible(true);
			interrupted.setBoolean(thread, false);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// It is named, and may be busy.
		}
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

	/**
	 * Okio's thread takes no notice of interrupts, and ends only when there was no time
	 * limit for a minute. It ends at once where it does not find the head of its list,
	 * and the next one who needs it makes another. Older versions end with an exception.
	 */
	private static void endWatchdog(Thread thread, List<Field> heads) throws ReflectiveOperationException {
		thread.setUncaughtExceptionHandler((ended, ex) -> {
		});
		for (Field head : heads) {
			head.setAccessible(true);
			head.set(null, null);
		}
		wake(heads.get(0).getDeclaringClass());
	}

	private static List<Field> headsOfWatchdog(Thread thread) {
		Class<?> owner = thread.getClass().getEnclosingClass();
		List<Field> heads = new ArrayList<>();
		for (Field field : (owner != null) ? owner.getDeclaredFields() : new Field[0]) {
			if (Modifier.isStatic(field.getModifiers()) && OKIO_HEADS.contains(field.getName())) {
				heads.add(field);
			}
		}
		return heads;
	}

	/** Older versions wait for the class itself, and wake up by the interrupt. */
	private static void wake(Class<?> owner) throws ReflectiveOperationException {
		try {
			if (value(null, owner, "lock") instanceof Lock lock
					&& value(null, owner, "condition") instanceof Condition condition) {
				lock.lock();
				try {
					condition.signalAll();
				}
				finally {
					lock.unlock();
				}
			}
		}
		catch (NoSuchFieldException ex) {
			// An older version.
		}
	}

	/** An interrupt would let its thread look for connections without a pause. */
	private static void stopHttpServer(Object dispatcher) throws ReflectiveOperationException {
		Object server = value(dispatcher, dispatcher.getClass(), "this$0");
		if (server == null) {
			return;
		}
		Method stop = server.getClass().getMethod("stop", int.class);
		stop.setAccessible(true);
		inTime(() -> stop.invoke(server, 0));
	}

	/**
	 * Jetty's selectors go on after an interrupt, and their pool does not know who works
	 * with it, except those that have announced how many threads they keep: selectors
	 * have.
	 */
	private static void stopJetty(Object runner) throws ReflectiveOperationException {
		Object pool = value(runner, runner.getClass(), "this$0");
		if (pool == null) {
			return;
		}
		Class<?> poolType = superclass(pool.getClass(), "org.eclipse.jetty.util.thread.QueuedThreadPool");
		Object budget = poolType.getMethod("getThreadPoolBudget").invoke(pool);
		List<Object> users = new ArrayList<>();
		if (budget != null && value(budget, budget.getClass(), "leases") instanceof Collection<?> leases) {
			for (Object lease : leases) {
				users.add(value(lease, lease.getClass(), "leasee"));
			}
		}
		users.add(pool);
		Method stop = Class.forName(JETTY_LIFE_CYCLE, false, poolType.getClassLoader()).getMethod("stop");
		inTime(() -> {
			for (Object user : users) {
				if (stop.getDeclaringClass().isInstance(user)) {
					stop.invoke(user);
				}
			}
		});
	}

	private static Class<?> superclass(Class<?> type, String name) throws ClassNotFoundException {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (each.getName().equals(name)) {
				return each;
			}
		}
		throw new ClassNotFoundException(name);
	}

	/** Waits for something to stop, but not for long. */
	private static void inTime(Stop stop) {
		Thread stopping = new Thread(() -> {
			try {
				stop.run();
			}
			catch (Exception ex) {
				// Its threads are named if they run on.
			}
		}, "launcher-stop");
		stopping.setDaemon(true);
		stopping.start();
		try {
			stopping.join(STOP_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A stream of the flight recorder goes on after an interrupt. Its thread knows it by
	 * what its task has captured.
	 */
	private static @Nullable AutoCloseable eventStream(Object task) throws ReflectiveOperationException {
		if (!task.getClass().getName().startsWith(EVENT_STREAMS)) {
			return null;
		}
		for (Field field : task.getClass().getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers())) {
				field.setAccessible(true);
				if (field.get(task) instanceof AutoCloseable stream) {
					return stream;
				}
			}
		}
		return null;
	}

	/** Netty's threads take no notice of interrupts. */
	private static void shutDownEventLoop(Object loop) throws ReflectiveOperationException {
		Class<?> type = eventExecutorType(loop.getClass());
		if (type != null) {
			type.getMethod("shutdownGracefully", long.class, long.class, TimeUnit.class)
				.invoke(loop, 0L, 1L, TimeUnit.SECONDS);
		}
	}

	private static @Nullable Object eventExecutor(@Nullable Object task, int wrappers)
			throws ReflectiveOperationException {
		if (task == null || wrappers == 0) {
			return null;
		}
		if (eventExecutorType(task.getClass()) != null) {
			return task;
		}
		if (!task.getClass().getName().contains(NETTY)) {
			return null;
		}
		for (Field field : task.getClass().getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
				field.setAccessible(true);
				Object executor = eventExecutor(field.get(task), wrappers - 1);
				if (executor != null) {
					return executor;
				}
			}
		}
		return null;
	}

	private static @Nullable Class<?> eventExecutorType(@Nullable Class<?> type) {
		if (type == null || type.getName().endsWith(EVENT_EXECUTOR)) {
			return type;
		}
		for (Class<?> each : type.getInterfaces()) {
			Class<?> found = eventExecutorType(each);
			if (found != null) {
				return found;
			}
		}
		return eventExecutorType(type.getSuperclass());
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

	private static @Nullable Object value(@Nullable Object target, Class<?> type, String name)
			throws ReflectiveOperationException {
		Field field = type.getDeclaredField(name);
		field.setAccessible(true);
		return field.get(target);
	}

	/** Stops something, as a rule by reflection. */
	private interface Stop {

		void run() throws Exception;

	}

	/**
	 * Work of a thread.
	 *
	 * @param finding what the thread works for, and what was not done with it, for people
	 */
	record Work(String finding, Stop stop) {

		/** Ends it. What cannot be ended runs on, and its thread is named later. */
		void end() {
			try {
				this.stop.run();
			}
			catch (Exception ex) {
				// The thread is interrupted, as others are.
			}
		}

	}

}
