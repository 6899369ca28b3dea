package io.github.vicinal.launcher;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The commands that the launcher takes while it runs. Thread-safe. */
final class Commands {

	private static final String HELP = "a command is one of: status, threads NAME, stop NAME, start NAME, restart NAME, shutdown";

	private static final int SHOWN_FRAMES = 4;

	private final Applications applications;

	Commands(Applications applications) {
		this.applications = applications;
	}

	/** Runs a command and returns what it says. */
	String run(String line) {
		String[] words = line.strip().split("\\s+");
		if (words[0].equals("status") && words.length == 1) {
			return status();
		}
		if (words[0].equals("shutdown") && words.length == 1) {
			this.applications.finish(0);
			return "all applications stop\n";
		}
		if (words.length != 2) {
			return "'%s' is no command; %s%n".formatted(line.strip(), HELP);
		}
		HostedApplication application = this.applications.find(words[1]);
		if (application == null) {
			return "There is no application '%s'; there are %s%n".formatted(words[1],
					this.applications.all().stream().map(HostedApplication::name).toList());
		}
		switch (words[0]) {
			case "threads" -> {
				return threads(application);
			}
			case "stop" -> this.applications.stop(application);
			case "start" -> this.applications.start(application);
			case "restart" -> {
				this.applications.stop(application);
				this.applications.start(application);
			}
			default -> {
				return "'%s' is no command; %s%n".formatted(line.strip(), HELP);
			}
		}
		return row(application);
	}

	private String status() {
		this.applications.sample();
		StringBuilder table = new StringBuilder(String.format(Locale.ROOT, "%-24s %-9s %6s %-9s %8s %10s %14s  %s%n",
				"name", "state", "port", "health", "threads", "cpu s", "allocated MiB", "remark"));
		this.applications.all().forEach((application) -> table.append(row(application)));
		Runtime runtime = Runtime.getRuntime();
		return table.append(String.format(Locale.ROOT,
				"heap of all: %d of at most %d MiB. Threads, CPU and allocations are estimates by application.%n",
				(runtime.totalMemory() - runtime.freeMemory()) >> 20, runtime.maxMemory() >> 20))
			.toString();
	}

	/** The threads of an application, the busiest first, and where they are. */
	private String threads(HostedApplication application) {
		StringBuilder table = new StringBuilder(
				String.format(Locale.ROOT, "%10s %14s  %-13s %s%n", "cpu s", "allocated MiB", "state", "thread"));
		Usage usage = this.applications.usage();
		List<Sample> samples = new ArrayList<>();
		for (Thread thread : application.threads()) {
			samples.add(new Sample(thread, usage.cpuNanos(thread), usage.allocatedBytes(thread)));
		}
		samples.sort(Comparator.comparingLong(Sample::cpuNanos).reversed());
		for (Sample each : samples) {
			table.append(String.format(Locale.ROOT, "%10.1f %14.1f  %-13s %s%n", each.cpuNanos() / 1e9,
					each.allocatedBytes() / 1048576.0, each.thread().getState().name().toLowerCase(Locale.ROOT),
					each.thread().getName()));
			StackTraceElement[] frames = each.thread().getStackTrace();
			for (int i = 0; i < Math.min(SHOWN_FRAMES, frames.length); i++) {
				table.append(" ".repeat(42)).append("at ").append(frames[i]).append('\n');
			}
		}
		return table
			.append(String.format(Locale.ROOT, "%d platform threads of '%s'%n", samples.size(), application.name()))
			.toString();
	}

	private static String row(HostedApplication application) {
		Usage.Report usage = application.usage();
		String port = application.port();
		return String.format(Locale.ROOT, "%-24s %-9s %6s %-9s %8d %10.1f %14.1f  %s%n", application.name(),
				application.state().name().toLowerCase(Locale.ROOT), (port != null) ? port : "-", application.health(),
				usage.threads(), usage.cpuNanos() / 1e9, usage.allocatedBytes() / 1048576.0, application.detail());
	}

	/**
	 * Usage of a thread at one time.
	 *
	 * @param thread it
	 * @param cpuNanos processor time
	 * @param allocatedBytes of the heap
	 */
	private record Sample(Thread thread, long cpuNanos, long allocatedBytes) {
	}

}
