package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.github.vicinal.placement.sources.ProcessMemory;
import org.jspecify.annotations.Nullable;

/** Reads limits and peaks of this process' memory. */
final class LocalMemory {

	private static final long MIB = 1 << 20;

	/**
	 * Counts of Linux for this process, with the memory of the JVM outside its pools.
	 */
	private static final Path STATUS = Path.of("/proc/self/status");

	private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]{1,15}) kB");

	private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+([0-9]{1,15}) kB");

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
		String status = status();
		// Of a committed heap not all need be resident, least of all one that began with
		// its limit. What the JVM counts outside of it is resident anyway.
		long outside = Math.max((nonHeap.getCommitted() + buffers()) / MIB,
				resident(status) - heap.getCommitted() / MIB);
		return new ProcessMemory(Math.max(0, heap.getMax()) / MIB, chosen(), outside,
				(seenMib > 0 && seenMib < hostMib) ? seenMib : 0, Math.max(peak / MIB, peak(status)));
	}

	/** Returns the memory of direct buffers, in bytes. */
	private static long buffers() {
		return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
			.stream()
			.filter((pool) -> pool.getName().equals("direct"))
			.mapToLong((pool) -> Math.max(0, pool.getMemoryUsed()))
			.sum();
	}

	/**
	 * Reads what the process takes now. Memory that is committed is in use only once it
	 * was touched: a fresh heap without a limit has a 64th of the machine.
	 * @return its resident memory, or what the JVM has committed where that is unknown,
	 * in MiB
	 */
	static long used() {
		long resident = resident(status());
		MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
		return (resident > 0) ? resident
				: (memory.getHeapMemoryUsage().getCommitted() + memory.getNonHeapMemoryUsage().getCommitted()) / MIB;
	}

	private static String status() {
		try {
			return Files.readString(STATUS);
		}
		catch (IOException | SecurityException ex) {
			// Another system, or hidden from this process: what the JVM says stands.
			return "";
		}
	}

	/** Finds the resident memory in a status of Linux, in MiB; 0 if it is not there. */
	static long resident(String status) {
		return mib(RESIDENT, status);
	}

	/** Finds the most that was ever resident, in MiB; 0 if it is not there. */
	static long peak(String status) {
		return mib(PEAK, status);
	}

	private static long mib(Pattern pattern, String status) {
		Matcher found = pattern.matcher(status);
		return found.find() ? Long.parseLong(found.group(1)) >> 10 : 0;
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
