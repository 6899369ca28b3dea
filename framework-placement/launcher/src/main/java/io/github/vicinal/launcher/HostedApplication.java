package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * One application in this JVM: starts, stops and starts again, whatever the others do.
 * Thread-safe; one start or stop at a time.
 */
final class HostedApplication {

	/** Time that an application may take to say how it is. */
	private static final Duration HEALTH_PATIENCE = Duration.ofSeconds(5);

	/**
	 * Time that threads may take to end after they were interrupted, and a main method
	 * after its context was closed.
	 */
	private static final Duration THREAD_PATIENCE = Duration.ofSeconds(5);

	private static final int SHOWN_FRAMES = 8;

	private final Layout.Application layout;

	private final Environment environment;

	private volatile State state = State.STOPPED;

	private volatile String detail = "";

	private volatile @Nullable Run run;

	/** Number of threads that wait to stop it. */
	private final AtomicInteger stops = new AtomicInteger();

	private volatile boolean retired;

	private volatile boolean done;

	HostedApplication(Layout.Application layout, Environment environment) {
		this.layout = layout;
		this.environment = environment;
	}

	String name() {
		return this.layout.name();
	}

	Layout.Application layout() {
		return this.layout;
	}

	State state() {
		return this.state;
	}

	/** Returns whether it runs, once a start or stop that is under way is over. */
	synchronized boolean isThere() {
		return this.run != null;
	}

	/** Returns why the state is what it is, for people; mostly empty. */
	String detail() {
		Run current = this.run;
		if (current != null && this.state == State.RUNNING && !current.hook.ready()) {
			return "its runners have not returned yet";
		}
		return this.detail;
	}

	/** Returns the port of its web server, or {@code null}. */
	@Nullable String port() {
		Run current = this.run;
		return (current != null && this.state == State.RUNNING) ? current.hook.port() : null;
	}

	/** Returns how it says that it is, or {@code -}. */
	String health() {
		Run current = this.run;
		return (current != null && this.state == State.RUNNING) ? current.health() : "-";
	}

	Usage.Report usage() {
		Run current = this.run;
		return (current != null) ? this.environment.usage().report(current.loader) : new Usage.Report(0, 0, 0);
	}

	/** Returns its platform threads. */
	List<Thread> threads() {
		Run current = this.run;
		return (current != null) ? ApplicationThreads.of(current.loader) : List.of();
	}

	/** Returns platform threads that belong to nobody, but work for it now. */
	List<Thread> borrowedThreads() {
		Run current = this.run;
		return (current != null) ? ApplicationThreads.borrowedBy(current.loader) : List.of();
	}

	/**
	 * Starts the application and waits until it runs.
	 * @return whether it did not run before
	 * @throws ApplicationFailedException if it does not run; nothing of it is left then
	 */
	synchronized boolean start() throws ApplicationFailedException {
		if (this.state == State.RUNNING) {
			return false;
		}
		if (this.retired) {
			throw new ApplicationFailedException("the launcher stops");
		}
		this.done = false;
		set(State.STARTING, "");
		ApplicationLoader loader = new ApplicationLoader(name(), classPath(), this.environment.shared());
		this.environment.properties().begin(loader, properties());
		Run started = new Run(loader);
		this.run = started;
		started.main.start();
		String failure = started.await(this.layout.startTimeout());
		if (failure == null) {
			set(State.RUNNING, "");
			return true;
		}
		boolean given = giveUp();
		List<String> left = end(started);
		String damaged = given ? "" : this.environment.damagedFiles(this.layout.classPath());
		set(given ? State.STOPPED : State.FAILED, failure + damaged + describe(left));
		throw new ApplicationFailedException(this.detail);
	}

	/**
	 * At the end of the JVM all shutdown hooks run at once. The application's own would
	 * end its log while it still stops. Its MBeans have a domain of their own, because
	 * there is one server for all.
	 */
	private Map<String, String> properties() {
		Map<String, String> properties = new HashMap<>(this.layout.systemProperties());
		properties.putIfAbsent("logging.register-shutdown-hook", "false");
		properties.putIfAbsent("spring.jmx.default-domain", name());
		return properties;
	}

	private URL[] classPath() {
		try {
			List<URL> urls = new ArrayList<>();
			for (String entry : this.layout.classPath()) {
				urls.add(this.environment.resolve(entry).toUri().toURL());
			}
			return urls.toArray(URL[]::new);
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean giveUp() {
		return this.retired || this.stops.get() > 0;
	}

	/**
	 * Keeps the application from starting; a start that is under way is given up.
	 */
	void retire() {
		this.retired = true;
	}

	/**
	 * Stops the application and takes away what is left of it. A start that is under way
	 * is given up.
	 * @return what had to be taken away by force, for people
	 */
	List<String> stop() {
		this.stops.incrementAndGet();
		try {
			return stopNow();
		}
		finally {
			this.stops.decrementAndGet();
		}
	}

	private synchronized List<String> stopNow() {
		Run stopping = this.run;
		if (stopping == null) {
			return List.of();
		}
		set(State.STOPPING, "");
		List<String> left = end(stopping);
		set(State.STOPPED, String.join("; ", left));
		return left;
	}

	/**
	 * Notes that the application has ended by itself: by closing its contexts, or as a
	 * JVM does in which no thread is left but daemons. It has failed if its main method
	 * has thrown.
	 */
	boolean endedByItself() {
		// A start or a stop holds the lock until it is over.
		return this.state == State.RUNNING && endedWhileItRan();
	}

	private synchronized boolean endedWhileItRan() {
		Run current = this.run;
		if (this.state != State.RUNNING || current == null) {
			return false;
		}
		boolean over = current.hook.over();
		if (!over && current.keepsRunning()) {
			return false;
		}
		Throwable thrown = current.thrownByMain();
		List<String> left = end(current);
		if (thrown != null) {
			set(State.FAILED, "its main method has thrown " + StartFailure.describe(thrown) + describe(left));
			return true;
		}
		set(State.STOPPED, (over ? "it has closed its context itself"
				: "its main method has returned, and no thread was left that would keep a JVM of its own running")
				+ describe(left));
		this.done = true;
		return true;
	}

	/**
	 * Returns whether it has ended by itself without a failure, and was not started
	 * again.
	 */
	boolean isDone() {
		return this.done;
	}

	private static String describe(List<String> left) {
		return left.isEmpty() ? "" : "; " + String.join("; ", left);
	}

	private void set(State next, String why) {
		this.detail = why;
		this.state = next;
	}

	private List<String> end(Run ending) {
		List<String> left = new ArrayList<>();
		left.addAll(ending.close(this.layout.stopTimeout()));
		this.environment.recordings().end(ending.loader, left);
		left.addAll(
				Aftermath.clean(ending.loader, this.environment.beans(), this.environment.defaults(), THREAD_PATIENCE));
		this.environment.properties().end(ending.loader);
		this.environment.usage().end(ending.loader);
		this.environment.ended(ending.loader);
		ending.group.end();
		try {
			ending.loader.close();
		}
		catch (IOException ex) {
			left.add("its jars could not be closed: " + ex.getMessage());
		}
		this.run = null;
		return left;
	}

	/** One life of the application, from its start to its stop. */
	private final class Run {

		private final ApplicationLoader loader;

		private final SpringApplicationHook hook;

		private final ApplicationThreads.Group group;

		private final Thread main;

		private final CountDownLatch returned = new CountDownLatch(1);

		private volatile @Nullable Throwable failure;

		Run(ApplicationLoader loader) {
			this.loader = loader;
			this.hook = new SpringApplicationHook(loader, HostedApplication.this.environment.log()::install);
			this.group = new ApplicationThreads.Group(HostedApplication.this.environment.threads(), loader);
			this.main = thread("main", this::main);
		}

		private Thread thread(String purpose, Runnable task) {
			Thread thread = new Thread(this.group, task, name() + "-" + purpose);
			thread.setContextClassLoader(this.loader);
			thread.setDaemon(false);
			return thread;
		}

		private void main() {
			try {
				TomcatUrls.leaveToTheJvm(this.loader);
				this.hook.run(HostedApplication.this.layout.mainClass(), HostedApplication.this.layout.arguments());
			}
			catch (Throwable ex) {
				this.failure = ex;
				if (this.hook.ready()) {
					// As a JVM does; Spring Boot has logged what came before.
					Thread thread = Thread.currentThread();
					thread.getUncaughtExceptionHandler().uncaughtException(thread, ex);
				}
			}
			finally {
				this.returned.countDown();
			}
		}

		/** Returns why the application does not run, or {@code null}. */
		@Nullable String await(Duration timeout) {
			try {
				long deadline = System.nanoTime() + timeout.toNanos();
				while (!this.hook.ready() && this.returned.getCount() > 0) {
					if (giveUp()) {
						return "it was stopped while it started";
					}
					if (System.nanoTime() - deadline > 0) {
						return this.hook.settle() ? null : "it did not start within %d s; its main thread is at %s"
							.formatted(timeout.toSeconds(), stack(this.main));
					}
					this.returned.await(50, TimeUnit.MILLISECONDS);
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return "its start was interrupted";
			}
			Throwable thrown = this.failure;
			if (thrown != null && !this.hook.ready()) {
				return (thrown instanceof ApplicationFailedException) ? String.valueOf(thrown.getMessage())
						: "it failed to start: " + StartFailure.describe(thrown);
			}
			return this.hook.ready() ? null : "its main method returned without starting a Spring application";
		}

		/**
		 * Returns what the main method has thrown. One that closes its context may be
		 * about to throw.
		 */
		@Nullable Throwable thrownByMain() {
			try {
				this.returned.await(THREAD_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return this.failure;
		}

		/** A database that does not answer must not keep the launcher from it. */
		String health() {
			FutureTask<String> task = new FutureTask<>(this.hook::health);
			Thread asking = thread("health", task);
			asking.start();
			try {
				return task.get(HEALTH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				asking.interrupt();
				return "silent";
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return "-";
			}
			catch (ExecutionException ex) {
				return "-";
			}
		}

		/** Returns what went wrong, for people. */
		List<String> close(Duration timeout) {
			List<String> failures = Collections.synchronizedList(new ArrayList<>());
			Thread closing = thread("stop", () -> failures.addAll(this.hook.close()));
			if (!ends(closing, timeout)) {
				failures.add("it did not stop within %d s; it is at %s".formatted(timeout.toSeconds(), stack(closing)));
				ends(thread("servers", this.hook::stopServers), THREAD_PATIENCE);
			}
			return List.copyOf(failures);
		}

		private static boolean ends(Thread thread, Duration timeout) {
			thread.start();
			try {
				thread.join(timeout.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return !thread.isAlive();
		}

		/** Returns whether a JVM of the application alone would run on. */
		boolean keepsRunning() {
			return this.main.isAlive()
					|| ApplicationThreads.all().stream().anyMatch((thread) -> !thread.isDaemon() && isOwn(thread));
		}

		/** A shared server makes its own loader the context of the thread that waits. */
		private boolean isOwn(Thread thread) {
			return ApplicationThreads.owner(thread) == this.loader || this.group.parentOf(thread.getThreadGroup());
		}

		private static String stack(Thread thread) {
			StringBuilder text = new StringBuilder();
			StackTraceElement[] frames = thread.getStackTrace();
			for (int i = 0; i < Math.min(SHOWN_FRAMES, frames.length); i++) {
				text.append((i > 0) ? " < " : "").append(frames[i]);
			}
			return text.toString();
		}

	}

	/** State of an application. */
	enum State {

		/** It is not there. */
		STOPPED,

		/** Its main method runs. */
		STARTING,

		/** All of its contexts are ready. */
		RUNNING,

		/** Its contexts are being closed. */
		STOPPING,

		/** It did not start, or its main method has thrown. */
		FAILED

	}

}
