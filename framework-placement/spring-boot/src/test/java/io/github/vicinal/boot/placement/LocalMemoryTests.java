package io.github.vicinal.boot.placement;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.vicinal.placement.sources.ProcessMemory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class LocalMemoryTests {

	private static final Path STATUS = Path.of("/proc/self/status");

	@Test
	void memoryIsWhatLinuxCounts() {
		String status = "VmPeak:\t 9000000 kB\nVmHWM:\t  343356 kB\nVmRSS:\t  260484 kB\nRssAnon:\t  238712 kB\n";
		assertThat(LocalMemory.resident(status)).isEqualTo(254);
		assertThat(LocalMemory.peak(status)).isEqualTo(335);
		assertThat(LocalMemory.resident("VmSize: 9 kB")).isZero();
		assertThat(LocalMemory.peak("VmHWM:\t 99999999999999999999 kB")).isZero();
	}

	/** A heap that began with its limit is committed as a whole, and hardly resident. */
	@Test
	void whatWasNeverUsedOfTheHeapIsNotResident() {
		long mib = 1 << 20;
		MemoryUsage whole = new MemoryUsage(1024 * mib, 70 * mib, 1024 * mib, 1024 * mib);
		assertThat(LocalMemory.outside(190, whole, 80 * mib, 56 * mib)).isEqualTo(110);
		assertThat(LocalMemory.outside(1150, whole, 80 * mib, 56 * mib)).as("all of the heap was touched")
			.isEqualTo(126);
		MemoryUsage churned = new MemoryUsage(384 * mib, 70 * mib, 1900 * mib, 6028 * mib);
		assertThat(LocalMemory.outside(1717, churned, 1093 * mib, 8 * mib)).as("more was touched than is used at once")
			.isEqualTo(8 + 32 + 57);
		assertThat(LocalMemory.outside(0, whole, 80 * mib, 56 * mib)).as("no Linux").isEqualTo(56);
	}

	/** A fresh heap is committed, and hardly touched. */
	@Test
	void whatIsCommittedIsNotYetInUse() throws Exception {
		assumeThat(STATUS).as("No Linux, so only the JVM says what it takes").exists();
		long used = LocalMemory.used();
		assertThat(used).isPositive().isLessThanOrEqualTo(LocalMemory.peak(Files.readString(STATUS)));
	}

	/** Buffers, threads, the collector and the compiler are in no pool of the JVM. */
	@Test
	void whatNoPoolOfTheJvmHasCounts() throws Exception {
		assumeThat(STATUS).as("No Linux, so only the JVM says what it takes").exists();
		ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 20);
		for (int i = 0; i < buffer.capacity(); i += 1024) {
			buffer.put(i, (byte) 1);
		}
		String before = Files.readString(STATUS);
		ProcessMemory memory = LocalMemory.read(0, 0);
		assertThat(memory.peakMib()).isGreaterThanOrEqualTo(LocalMemory.peak(before));
		long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax() >> 20;
		assertThat(memory.nonHeapMib()).isGreaterThanOrEqualTo(LocalMemory.resident(before) - heap);
		// However much of the heap is committed, and not touched.
		assertThat(memory.nonHeapMib()).isGreaterThanOrEqualTo(
				64 + (ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed() >> 20) - 1);
		assertThat(buffer.get(1024)).isEqualTo((byte) 1);
	}

}
