package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.Service;

/**
 * The child JVMs of one mode.
 */
final class RunningMode implements AutoCloseable {

	private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(5);

	private static final long POLL_MILLIS = 250;

	private static final long PROGRESS_NANOS = Duration.ofSeconds(2).toNanos();

	private final Mode mode;

	private final int basePort;

	private final List<ChildJvm> children = new CopyOnWriteArrayList<>();

	private final Thread stopAtExit = new Thread(this::stopChildren, "stop-children");

	private RunningMode(Mode mode, int basePort) {
		this.mode = mode;
		this.basePort = basePort;
	}

	/**
	 * Starts the children of a mode. They may not yet be ready afterwards.
	 * @param mode the mode
	 * @param launcher the command that starts the launcher
	 * @param basePort port of the first service
	 * @param logs directory for their output
	 * @return the children
	 */
	static RunningMode start(Mode mode, List<String> launcher, int basePort, Path logs) {
		RunningMode running = new RunningMode(mode, basePort);
		Runtime.getRuntime().addShutdownHook(running.stopAtExit);
		try {
			for (Plan.Group group : mode.plan().groups()) {
				List<String> command = new ArrayList<>(launcher);
				command.add("--plan=" + mode.planName());
				command.add("--group=" + group.name());
				command.add("--base-port=" + basePort);
				command.add("--stop-at-end-of-input");
				command.add("--vicinal.enabled=" + mode.vicinal());
				Path log = logs.resolve(mode.name().replaceAll("[^\\w-]", "_") + "." + group.name() + ".log");
				running.children.add(ChildJvm.start(group.name(), command, log));
			}
			return running;
		}
		catch (RuntimeException ex) {
			running.close();
			throw ex;
		}
	}

	/**
	 * Waits until all services are healthy and tells how far they are.
	 * @param client asks them
	 * @param timeout how long to wait
	 * @param out where to tell it
	 * @return how long it took
	 * @throws InterruptedException if the thread is interrupted
	 */
	Duration awaitHealthy(HttpClient client, Duration timeout, PrintWriter out) throws InterruptedException {
		long start = System.nanoTime();
		long lastProgress = start;
		Set<Service> waiting = EnumSet.allOf(Service.class);
		int all = waiting.size();
		while (true) {
			waiting.removeIf((service) -> isHealthy(client, address(service)));
			long now = System.nanoTime();
			Duration elapsed = Duration.ofNanos(now - start);
			if (waiting.isEmpty() || now - lastProgress > PROGRESS_NANOS) {
				out.printf("  %d of %d services healthy after %.1f s%n", all - waiting.size(), all,
						elapsed.toMillis() / 1000.0);
				out.flush();
				lastProgress = now;
			}
			if (waiting.isEmpty()) {
				return elapsed;
			}
			checkAlive();
			if (elapsed.compareTo(timeout) > 0) {
				throw new BenchException(
						"Mode " + this.mode.name() + " is not healthy after " + timeout.toSeconds() + " s",
						"Still waiting for " + Service.names(List.copyOf(waiting)));
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

	List<URI> addresses() {
		return Arrays.stream(Service.values()).map(this::address).toList();
	}

	URI gateway() {
		return address(Service.GATEWAY);
	}

	/**
	 * User and system time of all children together.
	 * @return the time
	 */
	Duration cpu() {
		return this.children.stream().map(ChildJvm::cpu).reduce(Duration.ZERO, Duration::plus);
	}

	Memory memory() {
		return Memory.of(this.children);
	}

	int processes() {
		return this.children.size();
	}

	@Override
	public void close() {
		stopChildren();
		try {
			Runtime.getRuntime().removeShutdownHook(this.stopAtExit);
		}
		catch (IllegalStateException ex) {
			// The JVM is ending, and the hook does the same as this method.
		}
	}

	private void stopChildren() {
		this.children.forEach(ChildJvm::requestStop);
		this.children.forEach(ChildJvm::awaitStop);
	}

	private URI address(Service service) {
		return service.address(this.mode.plan().host(service), this.basePort);
	}

	private void checkAlive() {
		for (ChildJvm child : this.children) {
			if (!child.isAlive()) {
				throw new BenchException("Group '" + child.group() + "' of mode " + this.mode.name() + " has ended",
						child.logTail());
			}
		}
	}

	private static boolean isHealthy(HttpClient client, URI service) {
		HttpRequest request = HttpRequest.newBuilder(service.resolve("/actuator/health"))
			.timeout(HEALTH_TIMEOUT)
			.build();
		try {
			return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
