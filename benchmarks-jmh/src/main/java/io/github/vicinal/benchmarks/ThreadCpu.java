package io.github.vicinal.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of each thread of some processes at one moment, in the scheduler's
 * nanoseconds. Finer than {@link ProcessCpu}, but what a thread used that has ended
 * between two moments is missing.
 */
public final class ThreadCpu {

	private final Map<String, Long> nanos;

	private ThreadCpu(Map<String, Long> nanos) {
		this.nanos = nanos;
	}

	/**
	 * Reads the processor time.
	 * @param pids whose
	 * @return this moment
	 */
	public static ThreadCpu of(long... pids) {
		Map<String, Long> nanos = new HashMap<>();
		for (long pid : pids) {
			try (DirectoryStream<Path> threads = Files
				.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
				for (Path thread : threads) {
					read(thread, nanos);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return new ThreadCpu(nanos);
	}

	private static void read(Path thread, Map<String, Long> nanos) throws IOException {
		try {
			String line = Files.readString(thread.resolve("schedstat"));
			nanos.put(thread.toString(), Long.parseLong(line.substring(0, line.indexOf(' '))));
		}
		catch (IOException ex) {
			if (Files.exists(thread)) {
				throw ex;
			}
			// It has just ended.
		}
	}

	/**
	 * Returns what was used since another moment.
	 * @param before the earlier moment
	 * @return microseconds
	 */
	public double microsSince(ThreadCpu before) {
		double sum = 0;
		for (Map.Entry<String, Long> thread : this.nanos.entrySet()) {
			sum += thread.getValue() - before.nanos.getOrDefault(thread.getKey(), 0L);
		}
		return sum / 1e3;
	}

}
