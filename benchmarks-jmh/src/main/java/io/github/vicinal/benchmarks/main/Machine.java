package io.github.vicinal.benchmarks.main;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine that is measured on.
 *
 * @param processors processors that the JVM sees
 * @param load the load average of the last minute, -1 if it is unknown
 * @param java version of the JVM
 * @param kernel version of the kernel
 */
record Machine(int processors, double load, String java, String kernel) {

	/** Load per processor above which figures must not be quoted. */
	static final double QUIET_LOAD = 0.25;

	static Machine now() {
		return new Machine(Runtime.getRuntime().availableProcessors(), loadAverage(), Runtime.version().toString(),
				System.getProperty("os.name") + " " + System.getProperty("os.version"));
	}

	private static double loadAverage() {
		try {
			return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
		}
		catch (IOException | NumberFormatException ex) {
			return -1;
		}
	}

	boolean quiet() {
		return this.load >= 0 && this.load <= QUIET_LOAD * this.processors;
	}

}
