package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Capacity of the host, not the part that this process may use. In a container with
 * limits the JVM reports the limits. Linux has the host's capacity in files that are
 * visible in a container, too.
 *
 * @param processors processors of the host
 * @param memoryMib memory of the host, in MiB
 */
record HostCapacity(int processors, long memoryMib) {

	private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

	private static final Path MEMORY = Path.of("/proc/meminfo");

	private static final Pattern RANGE = Pattern.compile("([0-9]{1,6})(?:-([0-9]{1,6}))?");

	private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+([0-9]{1,15}) kB");

	private static final int MAX_PROCESSORS = 100_000;

	/**
	 * Reads what the host has.
	 * @param processors what the JVM says, which is the least
	 * @param memoryMib the same for its memory
	 * @return what the host has, as far as it can be seen
	 */
	static HostCapacity read(int processors, long memoryMib) {
		return new HostCapacity(Math.max(processors, processors(text(ONLINE))),
				Math.max(memoryMib, memoryMib(text(MEMORY))));
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException | SecurityException ex) {
			// Another system, or hidden from this process: the JVM's word stands.
			return "";
		}
	}

	/** Counts a list such as {@code 0-3,8}; 0 if it is none. */
	static int processors(String online) {
		int count = 0;
		for (String part : online.strip().split(",", -1)) {
			Matcher range = RANGE.matcher(part);
			if (!range.matches()) {
				return 0;
			}
			int first = Integer.parseInt(range.group(1));
			int last = (range.group(2) != null) ? Integer.parseInt(range.group(2)) : first;
			count += last - first + 1;
			if (last < first || count > MAX_PROCESSORS) {
				return 0;
			}
		}
		return count;
	}

	/**
	 * Finds the total in a text such as that of {@code /proc/meminfo}; 0 if not there.
	 */
	static long memoryMib(String meminfo) {
		Matcher total = TOTAL.matcher(meminfo);
		return total.find() ? Long.parseLong(total.group(1)) >> 10 : 0;
	}

}
