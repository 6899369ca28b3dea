package io.github.vicinal.requestserver;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

/** The processors that requests run on, as this process sees them. */
class Processors {

	/** Returns their number. */
	int count() {
		return Runtime.getRuntime().availableProcessors();
	}

	/**
	 * Returns which share of them was in use since somebody asked before, by any process;
	 * 0 or less if that is unknown.
	 */
	double load() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? system.getCpuLoad() : 0;
	}

}
