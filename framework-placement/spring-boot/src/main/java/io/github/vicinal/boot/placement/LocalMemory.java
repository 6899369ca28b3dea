package io.github.vicinal.boot.placement;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.github.vicinal.placement.sources.ProcessMemory;
import org.jspecify.annotations.Nullable;

/** Reads limits and peaks of this process' memory. */
final class LocalMemory {

	private static final long MIB = 1 << 20;

	private LocalMemory() {
	}

	/**
	 * Reads what is known now.
	 * @param seenMib memory that the JVM sees, which is the container's limit if it has
	 * one
	 * @param hostMib memory of the host
	 * @return limits and peak
	 */
	static ProcessMemory read(long seenMib, long hostMib) {
		MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
		MemoryUsage nonHeap = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
		long peak = 0;
		for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
			MemoryUsage most = pool.getPeakUsage();
			peak += (most != null) ? most.getUsed() : 0;
		}
		return new ProcessMemory(Math.max(0, heap.getMax()) / MIB, chosen(), nonHeap.getCommitted() / MIB,
				(seenMib > 0 && seenMib < hostMib) ? seenMib : 0, peak / MIB);
	}

	/** The JVM derives a limit from the machine where nobody gives one. */
	private static boolean chosen() {
		HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
		return options == null || given(options, "MaxHeapSize") || given(options, "MaxRAMPercentage")
				|| given(options, "MaxRAM");
	}

	private static boolean given(HotSpotDiagnosticMXBean options, String name) {
		VMOption option = option(options, name);
		return option != null && option.getOrigin() != VMOption.Origin.DEFAULT
				&& option.getOrigin() != VMOption.Origin.ERGONOMIC;
	}

	private static @Nullable VMOption option(HotSpotDiagnosticMXBean options, String name) {
		try {
			return options.getVMOption(name);
		}
		catch (IllegalArgumentException ex) {
			// This JVM has no such option.
			return null;
		}
	}

}
