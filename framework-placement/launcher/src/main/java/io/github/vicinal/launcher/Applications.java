package io.github.vicinal.launcher;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** All applications of this JVM. Thread-safe. */
final class Applications {

	private static final long WATCH_MILLIS = 1000;

	private final Map<String, HostedApplication> applications = new LinkedHashMap<>();

	private final Environment environment;

	private final PrintStream log;

	private final CountDownLatch finished = new CountDownLatch(1);

	private volatile int exitCode;

	private volatile boolean stopping;

	/**
	 * Creates applications that do not run yet.
	 * @param layout which ones
	 * @param environment theirs
	 * @param log receives a line for each event
	 */
	Applications(Layout layout, Environment environment, PrintStream log) {
		this.environment = environment;
		this.log = log;
		for (Layout.Application each : layout.inOrder()) {
			this.applications.put(each.name(), new HostedApplication(each, environment));
		}
	}

	List<HostedApplication> all() {
		return List.copyOf(this.applications.values());
	}

	Set<String> names() {
		return Set.copyOf(this.applications.keySet());
	}

	@Nullable HostedApplication find(String name) {
		return this.applications.get(name);
	}

	/** Starts one after the other; those that fail do not keep the others from it. */
	void startAll() {
		try {
			for (HostedApplication application : this.applications.values()) {
				if (!this.stopping) {
					start(application);
				}
			}
		}
		catch (RuntimeException | Error ex) {
			say("The applications cannot be started: " + ex);
			finish(1);
			throw ex;
		}
	}

	/** Returns whether it runs now; one that runs already is as it should be. */
	boolean start(HostedApplication application) {
		long start = System.nanoTime();
		try {
			if (!application.start()) {
				return true;
			}
			String port = application.port();
			String detail = application.detail();
			say("%s runs after %.1f s%s%s".formatted(application.name(), (System.nanoTime() - start) / 1e9,
					(port != null) ? ", port " + port : "", detail.isEmpty() ? "" : "; " + detail));
			return true;
		}
		catch (ApplicationFailedException ex) {
			say("%s does not run: %s".formatted(application.name(), ex.getMessage()));
			finishIfOver(application);
			return false;
		}
	}

	/** Lets all end if none is left, or if the one that has just ended says so. */
	private void finishIfOver(HostedApplication application) {
		if (this.stopping) {
			return;
		}
		if (all().stream().allMatch(Applications::hasEnded)) {
			say(all().stream().anyMatch(HostedApplication::isDone) ? "All applications have ended"
					: "No application runs");
			finish(all().stream().allMatch(HostedApplication::isDone) ? 0 : 1);
		}
		else if (application.layout().essential() && application.state() == HostedApplication.State.FAILED) {
			say("%s is essential: all others stop".formatted(application.name()));
			finish(1);
		}
	}

	void stop(HostedApplication application) {
		long start = System.nanoTime();
		List<String> left = application.stop();
		say("%s has stopped after %.1f s".formatted(application.name(), (System.nanoTime() - start) / 1e9));
		left.forEach((each) -> say("%s: %s".formatted(application.name(), each)));
	}

	/**
	 * Stops all that run, in the reverse order of their start. A second caller waits for
	 * the first: a signal may come while they stop already.
	 */
	synchronized void stopAll() {
		this.stopping = true;
		List<HostedApplication> reverse = new ArrayList<>(this.applications.values());
		Collections.reverse(reverse);
		reverse.forEach(HostedApplication::retire);
		for (HostedApplication application : reverse) {
			if (application.isThere()) {
				stop(application);
			}
		}
	}

	/**
	 * Looks after the applications until all are to stop. Goes on when the heap is full:
	 * it may be one of them that fills it, which can be stopped.
	 * @return the exit code
	 */
	int watch() throws InterruptedException {
		boolean full = false;
		boolean said = false;
		while (true) {
			try {
				if (full && !said) {
					said = true;
					say("The heap is full; 'status' shows who allocates, and 'stop' stops one application");
				}
				if (this.finished.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
					return this.exitCode;
				}
				look();
				full = false;
				said = false;
			}
			catch (OutOfMemoryError ex) {
				full = true;
			}
		}
	}

	private void look() {
		this.environment.usage().sample();
		for (HostedApplication application : this.applications.values()) {
			if (application.endedByItself()) {
				say("%s has stopped: %s".formatted(application.name(), application.detail()));
				finishIfOver(application);
			}
		}
	}

	/** One that was stopped may be started again; one that is done has no more to do. */
	private static boolean hasEnded(HostedApplication application) {
		return application.isDone() || application.state() == HostedApplication.State.FAILED;
	}

	/** Lets {@link #watch} return. No application starts any more. */
	void finish(int code) {
		this.exitCode = code;
		this.stopping = true;
		this.applications.values().forEach(HostedApplication::retire);
		this.finished.countDown();
	}

	Usage usage() {
		return this.environment.usage();
	}

	void sample() {
		this.environment.usage().sample();
	}

	private void say(String line) {
		this.log.println("[launcher] " + line);
	}

}
