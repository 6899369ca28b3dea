package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.vicinal.samples.trainticket.launch.Plan;
import io.github.vicinal.samples.trainticket.launch.RunningServices;
import io.github.vicinal.samples.trainticket.launch.Service;

/**
 * The child JVMs of one mode.
 */
final class RunningMode implements AutoCloseable {

	private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(5);

	private static final long POLL_MILLIS = 250;

	private static final long PROGRESS_NANOS = Duration.ofSeconds(2).toNanos();

	/** Maximum number of children that start at once; more would slow each other down. */
	private static final int STARTING_AT_ONCE = 2 * Runtime.getRuntime().availableProcessors();

	private final Mode mode;

	private final List<String> launcher;

	private final int basePort;

	private final Path logs;

	private final List<ChildJvm> children = new CopyOnWriteArrayList<>();

	private final Thread stopAtExit = new Thread(this::stopChildren, "stop-children");

	/**
	 * Creates a mode without children.
	 * @param mode the mode
	 * @param launcher the command that starts the launcher
	 * @param basePort port of the first service
	 * @param logs directory for the output of the children
	 */
	RunningMode(Mode mode, List<String> launcher, int basePort, Path logs) {
		this.mode = mode;
		this.launcher = launcher;
		this.basePort = basePort;
		this.logs = logs;
		Runtime.getRuntime().addShutdownHook(this.stopAtExit);
	}

	/**
	 * Starts the children, waits until all services are healthy, and reports their
	 * progress.
	 * @param client asks the services
	 * @param timeout how long it may take
	 * @param out receives the progress
	 * @return how long it took
	 * @throws InterruptedException if the thread is interrupted
	 */
	Duration start(HttpClient client, Duration timeout, PrintWriter out) throws InterruptedException {
		// Another process that listens there would be taken for a healthy child.
		RunningServices.checkPorts(List.of(Service.values()), this.basePort, this.mode.plan()::host);
		long start = System.nanoTime();
		long lastProgress = start;
		Deque<Plan.Group> next = new ArrayDeque<>(this.mode.plan().groups());
		Set<Service> unhealthy = EnumSet.allOf(Service.class);
		while (true) {
			while (!next.isEmpty() && starting(unhealthy) < STARTING_AT_ONCE) {
				this.children.add(start(next.remove()));
			}
			unhealthy.removeIf((service) -> isHealthy(client, address(service)));
			long now = System.nanoTime();
			Duration elapsed = Duration.ofNanos(now - start);
			if (unhealthy.isEmpty() || now - lastProgress > PROGRESS_NANOS) {
				int all = Service.values().length;
				out.printf("  %d of %d services healthy after %.1f s%n", all - unhealthy.size(), all,
						elapsed.toMillis() / 1000.0);
				out.flush();
				lastProgress = now;
			}
			if (unhealthy.isEmpty()) {
				return elapsed;
			}
			checkAlive();
			if (elapsed.compareTo(timeout) > 0) {
				throw new BenchException(
						"Mode " + this.mode.name() + " is not healthy after " + timeout.toSeconds() + " s",
						"Still waiting for " + Service.names(List.copyOf(unhealthy)));
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

	private ChildJvm start(Plan.Group group) {
		List<String> command = new ArrayList<>(this.launcher);
		command.add("--plan=" + this.mode.planName());
		command.add("--group=" + group.name());
		command.add("--base-port=" + this.basePort);
		command.add("--stop-at-end-of-input");
		this.mode.properties().forEach((property) -> command.add("--" + property));
		Path log = this.logs.resolve(this.mode.name().replaceAll("[^\\w-]", "_") + "." + group.name() + ".log");
		log.toFile().deleteOnExit();
		return ChildJvm.start(group.name(), command, log);
	}

	/**
	 * Counts the children that have been started and are not yet healthy.
	 */
	private long starting(Set<Service> unhealthy) {
		return this.children.stream()
			.filter((child) -> this.mode.plan().group(child.group()).services().stream().anyMatch(unhealthy::contains))
			.count();
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

	URI address(Service service) {
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
