package io.github.vicinal.boot.placement;

import java.lang.management.ManagementFactory;
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
