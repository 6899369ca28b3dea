package io.github.vicinal.benchmarks.crash;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process holds.
 *
 * @param descriptors open files
 * @param mappings mapped segments and arenas
 * @param residentKib resident memory, shared memory included, in KiB
 */
record Footprint(int descriptors, int mappings, long residentKib) {

	private static final String SEGMENT = ".seg";

	private static final String RESIDENT = "VmRSS:";

	static Footprint of(long pid) throws IOException {
		Path process = Path.of("/proc", Long.toString(pid));
		int descriptors = 0;
		try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
			for (Path file : files) {
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

	static Footprint own() throws IOException {
		return of(ProcessHandle.current().pid());
	}

}
