package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
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

	/**
	 * What a JVM usually has in memory that it does not count: threads and libraries,
	 * and, as a part of the committed heap, the tables of its collector. 39 to 68 MiB
	 * were found with heaps of 190 MiB to 1.7 GiB and the collectors Serial, Parallel and
	 * G1.
	 */
	private static final long UNCOUNTED_MIB = 32;

	private static final long UNCOUNTED_PERCENT = 3;

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
		long heapPeak = 0;
		for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
			MemoryUsage most = pool.getPeakUsage();
			long used = (most != null) ? most.getUsed() : 0;
			peak += used;
			heapPeak += (pool.getType() == MemoryType.HEAP) ? used : 0;
		}
		String status = status();
		long outside = outside(resident(status), heap, heapPeak, nonHeap.getCommitted() + buffers());
		return new ProcessMemory(Math.max(0, heap.getMax()) / MIB, chosen(), outside,
				(seenMib > 0 && seenMib < hostMib) ? seenMib : 0, Math.max(peak / MIB, peak(status)));
	}

	/**
	 * Estimates how much of the resident memory is outside of the heap, in MiB. Of a
	 * committed heap, some was never touched and is not resident: most of one that began
	 * with its limit, none if the JVM touches all. So it is at least what the committed
	 * heap leaves of the resident memory, and at most what the used heap leaves.
	 * @param resident resident memory of the process in MiB
	 * @param heap the heap
	 * @param used the most that was used of the heap in bytes
	 * @param counted what the JVM counts outside of the heap, in bytes
	 */
	static long outside(long resident, MemoryUsage heap, long used, long counted) {
		long atLeast = Math.max(counted / MIB, resident - heap.getCommitted() / MIB);
		long atMost = resident - Math.min(heap.getCommitted(), used) / MIB;
		long usual = counted / MIB + UNCOUNTED_MIB + heap.getCommitted() / MIB * UNCOUNTED_PERCENT / 100;
		return Math.max(atLeast, Math.min(atMost, usual));
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
