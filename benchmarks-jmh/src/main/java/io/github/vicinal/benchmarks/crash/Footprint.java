package io.github.vicinal.benchmarks.crash;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resources of a process.
 *
 * @param descriptors open files
 * @param mappings mapped segments and arenas
 * @param residentKib resident memory, shared memory included, in KiB; of this process see
 * {@link #own}
 */
record Footprint(int descriptors, int mappings, long residentKib) {

	private static final String SEGMENT = ".seg";

	private static final String RESIDENT = "VmRSS:";

	static Footprint of(long pid) throws IOException {
		Path process = Path.of("/proc", Long.toString(pid));
		int descriptors = 0;
		try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
			for (Path unused : files) {
				descriptors++;
			}
		}
		int mappings = 0;
		for (String line : Files.readAllLines(process.resolve("maps"))) {
			mappings += line.contains(SEGMENT) ? 1 : 0;
		}
		long resident = 0;
		for (String line : Files.readAllLines(process.resolve("status"))) {
			if (line.startsWith(RESIDENT)) {
				resident = Long.parseLong(line.replaceAll("[^0-9]", ""));
			}
		}
		return new Footprint(descriptors, mappings, resident);
	}

	/**
	 * Returns what this process holds. Its heap has no bound, and the collector lets it
	 * grow at its own discretion; so what survived a collection counts instead of what is
	 * resident, and direct and mapped buffers.
	 */
	static Footprint own() throws IOException {
		Footprint own = of(ProcessHandle.current().pid());
		long held = 0;
		for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
			MemoryUsage afterCollection = pool.getCollectionUsage();
			held += (afterCollection != null && pool.getType() == MemoryType.HEAP) ? afterCollection.getUsed() : 0;
		}
		for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
			held += Math.max(0, pool.getMemoryUsed());
		}
		return new Footprint(own.descriptors(), own.mappings(), held / 1024);
	}

}
