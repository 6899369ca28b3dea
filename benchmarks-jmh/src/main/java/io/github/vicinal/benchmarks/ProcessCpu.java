package io.github.vicinal.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of processes, all threads, user and system. */
public final class ProcessCpu {

	/**
	 * Unit of the kernel's counters: hundredths of a second on every Linux that Java runs
	 * on.
	 */
	private static final double TICK_MICROS = 10_000;

	private ProcessCpu() {
	}

	/**
	 * Returns the CPU time that a process has used.
	 * @param pid the process
	 * @return microseconds
	 */
	public static double micros(long pid) {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
			String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
			return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MICROS;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
