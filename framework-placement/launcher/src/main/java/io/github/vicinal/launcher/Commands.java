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
	Answer run(String line) {
		String[] words = line.strip().split("\\s+");
		if (words[0].equals("status") && words.length == 1) {
			return new Answer(Answer.DONE, status());
		}
		if (words[0].equals("shutdown") && words.length == 1) {
			this.applications.finish(0);
			return new Answer(Answer.DONE, "all applications stop\n");
		}
		if (words.length != 2) {
			return unknown(line);
		}
		HostedApplication application = this.applications.find(words[1]);
		if (application == null) {
			return new Answer(Answer.UNUSABLE, "There is no application '%s'; there are %s%n".formatted(words[1],
					this.applications.all().stream().map(HostedApplication::name).toList()));
		}
		switch (words[0]) {
			case "threads" -> {
				return new Answer(Answer.DONE, threads(application));
			}
			case "stop" -> {
				this.applications.stop(application);
				return new Answer(Answer.DONE, row(application));
			}
			case "start" -> {
				return start(application);
			}
			case "restart" -> {
				this.applications.stop(application);
				return start(application);
			}
			default -> {
				return unknown(line);
			}
		}
	}

	private static Answer unknown(String line) {
		return new Answer(Answer.UNUSABLE, "'%s' is no command; %s%n".formatted(line.strip(), HELP));
	}

	private Answer start(HostedApplication application) {
		boolean runs = this.applications.start(application);
		return new Answer(runs ? Answer.DONE : Answer.FAILED, row(application));
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
		List<Thread> borrowed = application.borrowedThreads();
		for (Thread thread : both(application.threads(), borrowed)) {
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
			.append(String.format(Locale.ROOT, "%d platform threads of '%s'%n", samples.size() - borrowed.size(),
					application.name()))
			.append(borrowed.isEmpty() ? ""
					: String.format(Locale.ROOT,
							"threads of the JVM that work for it now, whose counters include work for others: %s%n",
							borrowed.stream().map(Thread::getName).toList()))
			.toString();
	}

	private static List<Thread> both(List<Thread> own, List<Thread> borrowed) {
		List<Thread> both = new ArrayList<>(own);
		both.addAll(borrowed);
		return both;
	}

	private static String row(HostedApplication application) {
		Usage.Report usage = application.usage();
		String port = application.port();
		return String.format(Locale.ROOT, "%-24s %-9s %6s %-9s %8d %10.1f %14.1f  %s%n", application.name(),
				application.state().name().toLowerCase(Locale.ROOT), (port != null) ? port : "-", application.health(),
				usage.threads(), usage.cpuNanos() / 1e9, usage.allocatedBytes() / 1048576.0, application.detail());
	}

	/**
	 * Answer to a command.
	 *
	 * @param code with which the process that has sent it ends
	 * @param text for people
	 */
	record Answer(int code, String text) {

		static final int DONE = 0;

		/** The application does not run. */
		static final int FAILED = 1;

		/** There is no such command, or no such application. */
		static final int UNUSABLE = 2;

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
