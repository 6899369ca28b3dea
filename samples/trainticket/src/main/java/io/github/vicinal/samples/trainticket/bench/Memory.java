package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Memory of processes, as Linux reports it.
 *
 * @param rssKb resident set, in kB; shared pages count once per process
 * @param pssKb proportional set, in kB; shared pages count once in all. Empty if the
 * system does not report it.
 */
record Memory(OptionalLong rssKb, OptionalLong pssKb) {

	static Memory of(Collection<ChildJvm> children) {
		return new Memory(sum(children, "status", "VmRSS:"), sum(children, "smaps_rollup", "Pss:"));
	}

	private static OptionalLong sum(Collection<ChildJvm> children, String file, String label) {
		long sum = 0;
		for (ChildJvm child : children) {
			OptionalLong value = read(Path.of("/proc", String.valueOf(child.pid()), file), label);
			if (value.isEmpty()) {
				return OptionalLong.empty();
			}
			sum += value.getAsLong();
		}
		return OptionalLong.of(sum);
	}

	private static OptionalLong read(Path file, String label) {
		try (Stream<String> lines = Files.lines(file)) {
			return lines.filter((line) -> line.startsWith(label))
				.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
				.findFirst();
		}
		catch (IOException | UncheckedIOException ex) {
			return OptionalLong.empty();
		}
	}

}
