package io.github.vicinal.benchmarks.wait;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * CPU time of the threads of some processes, to the nanosecond: what the scheduler
 * charged them. The statistics of whole processes count in hundredths of a second.
 */
final class TaskCpu {

	private final Map<Path, Long> nanos = new HashMap<>();

	private TaskCpu() {
	}

	/** Looks at the threads that are there now. */
	static TaskCpu of(long... pids) throws IOException {
		TaskCpu cpu = new TaskCpu();
		for (long pid : pids) {
			try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
				for (Path task : tasks) {
					cpu.read(task);
				}
			}
		}
		return cpu;
	}

	private void read(Path task) {
		try {
			String[] fields = Files.readString(task.resolve("schedstat")).strip().split(" ");
			this.nanos.put(task, Long.parseLong(fields[0]));
		}
		catch (IOException ex) {
			// The thread has ended meanwhile.
		}
	}

	/** Returns the time since an earlier look, without threads that have ended. */
	double nanosSince(TaskCpu earlier) {
		long sum = 0;
		for (Map.Entry<Path, Long> entry : this.nanos.entrySet()) {
			sum += entry.getValue() - earlier.nanos.getOrDefault(entry.getKey(), 0L);
		}
		return sum;
	}

}
