package io.github.vicinal.copackage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.copackage.Finding.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Memory that applications need, and the memory that there is.
 *
 * @param limit bytes that one JVM or container may use; 0 for no limit
 * @param needs bytes by name of the application, which hold before {@code -Xmx} of its
 * Dockerfile
 * @since 0.1.0
 */
public record Memory(long limit, Map<String, Long> needs) {

	/** Nothing is compared. */
	public static final Memory UNLIMITED = new Memory(0, Map.of());

	private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmgt]?)(?:i?b)?");

	private static final Pattern HEAP = Pattern.compile("-Xmx(\\S+)|-XX:MaxHeapSize=(\\S+)");

	public Memory {
		needs = Map.copyOf(needs);
	}

	/**
	 * Reads a size.
	 * @param text such as {@code 512m}, {@code 1GiB} or a number of bytes
	 * @return bytes
	 * @throws InvalidInputException if it is none
	 */
	public static long bytes(String text) {
		Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
		if (!matcher.matches()) {
			throw new InvalidInputException(
					"'%s' is no size; write a number with k, m, g or t, such as 512m".formatted(text));
		}
		int unit = "kmgt".indexOf(matcher.group(2).isEmpty() ? '?' : matcher.group(2).charAt(0)) + 1;
		try {
			return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * unit));
		}
		catch (ArithmeticException ex) {
			throw new InvalidInputException("'%s' is more than %d bytes".formatted(text, Long.MAX_VALUE));
		}
	}

	@Nullable Finding check(List<Inventory> inventories) {
		if (this.limit <= 0) {
			return null;
		}
		long sum = 0;
		Map<String, String> shown = new LinkedHashMap<>();
		List<String> unknown = new ArrayList<>();
		for (Inventory each : inventories) {
			long need = need(each);
			if (need <= 0) {
				unknown.add("'%s'".formatted(each.name()));
			}
			sum += need;
			shown.put(each.name(), mebibytes(need));
		}
		if (!unknown.isEmpty()) {
			return new Finding(Rule.MEMORY, Verdict.FORBIDDEN,
					"there is a limit of %s, and what %s needs is not known".formatted(mebibytes(this.limit),
							String.join(" and ", unknown)),
					"say it, such as --memory %s=512m, or give a Dockerfile with -Xmx"
						.formatted(unknown.get(0).replace("'", "")));
		}
		if (sum <= this.limit) {
			return null;
		}
		return new Finding(
				Rule.MEMORY, Verdict.FORBIDDEN, "together they need %s, and the limit is %s: %s"
					.formatted(mebibytes(sum), mebibytes(this.limit), shown),
				"raise the limit, or leave one of them where it is");
	}

	private static String mebibytes(long bytes) {
		return (bytes >> 20) + " MiB";
	}

	private long need(Inventory each) {
		Long given = this.needs.get(each.name());
		if (given != null) {
			return given;
		}
		Container container = each.container();
		long need = 0;
		for (String option : (container != null) ? container.jvmOptions() : List.<String>of()) {
			Matcher matcher = HEAP.matcher(option);
			if (matcher.matches()) {
				// The last one holds.
				need = bytes((matcher.group(1) != null) ? matcher.group(1) : matcher.group(2));
			}
		}
		return need;
	}

}
