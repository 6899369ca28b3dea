package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Amounts of named resources. A name carries its unit: {@value #CPU}, {@value #MEMORY},
 * {@code gpuCount}, {@code diskGiB}.
 *
 * @param amounts by name; what is not named is 0
 * @since 0.1.0
 */
public record Resources(SortedMap<String, Long> amounts) {

	/** Thousandths of a processor. */
	public static final String CPU = "cpuMillis";

	/** Memory in MiB. */
	public static final String MEMORY = "memoryMiB";

	/** The largest amount: sums over a million of them stay exact. */
	public static final long MAX_AMOUNT = 1L << 42;

	public Resources {
		amounts = Collections.unmodifiableSortedMap(new TreeMap<>(amounts));
		amounts.forEach((name, amount) -> {
			if (amount < 0 || amount > MAX_AMOUNT) {
				throw new InvalidModelException(
						"Resource '%s' has the amount %d; an amount is between 0 and %d. Choose another unit, and name it so"
							.formatted(name, amount, MAX_AMOUNT));
			}
		});
	}

	/**
	 * Returns amounts of CPU and memory.
	 * @param cpuMillis thousandths of a processor
	 * @param memoryMib MiB of memory
	 * @return the amounts
	 */
	public static Resources of(long cpuMillis, long memoryMib) {
		return new Resources(new TreeMap<>(Map.of(CPU, cpuMillis, MEMORY, memoryMib)));
	}

	/**
	 * Returns nothing of anything.
	 * @return no amounts
	 */
	public static Resources none() {
		return new Resources(new TreeMap<>());
	}

	/**
	 * Returns the amount of one resource.
	 * @param name its name
	 * @return the amount, 0 if it is not named
	 */
	public long get(String name) {
		return this.amounts.getOrDefault(name, 0L);
	}

}
