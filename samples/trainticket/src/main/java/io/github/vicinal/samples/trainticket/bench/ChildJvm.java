package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process that runs one group of services. Its standard input is a pipe from this
 * process: when this process ends, however it ends, the child sees the end of its input
 * and stops.
 */
final class ChildJvm {

	private static final int STOP_SECONDS = 10;

	private static final int LOG_LINES = 25;

	private final String group;

	private final Process process;

	private final Path log;

	private ChildJvm(String group, Process process, Path log) {
		this.group = group;
		this.process = process;
		this.log = log;
	}

	static ChildJvm start(String group, List<String> command, Path log) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(log.toFile())
				.start();
			return new ChildJvm(group, process, log);
		}
		catch (IOException ex) {
			throw new BenchException("Group '" + group + "' cannot be started", ex.toString());
		}
	}

	String group() {
		return this.group;
	}

	long pid() {
		return this.process.pid();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * The user and system time that the process has used.
	 * @return the time
	 */
	Duration cpu() {
		return this.process.toHandle()
			.info()
			.totalCpuDuration()
			.orElseThrow(() -> new BenchException("Group '" + this.group + "' has ended", logTail()));
	}

	/**
	 * Asks the process to stop.
	 */
	void requestStop() {
		try {
			this.process.getOutputStream().close();
		}
		catch (IOException ex) {
			this.process.destroy();
		}
	}

	/**
	 * Waits until the process has stopped, and ends it if it does not.
	 */
	void awaitStop() {
		try {
			if (this.process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.process.destroyForcibly();
	}

	/**
	 * The last lines that the process has printed.
	 * @return the lines
	 */
	String logTail() {
		try {
			List<String> lines = Files.readAllLines(this.log);
			return String.join(System.lineSeparator(),
					lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
		}
		catch (IOException ex) {
			return "(no log: " + ex.getMessage() + ")";
		}
	}

}
