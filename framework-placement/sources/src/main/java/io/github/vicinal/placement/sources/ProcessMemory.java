package io.github.vicinal.placement.sources;

import io.github.vicinal.placement.model.Resources;

/**
 * Memory of an instance's process, by where it comes from. What is not known is 0.
 *
 * @param heapLimitMib limit of the heap, in MiB
 * @param heapLimitChosen whether somebody chose that limit; else the JVM derived it from
 * the machine, and no one means to use so much
 * @param nonHeapMib memory outside of the heap, that of threads, collector and compiler
 * included where it is known, in MiB
 * @param containerLimitMib limit of the container, in MiB
 * @param peakMib the most that the process was seen to take, in MiB
 * @since 0.1.0
 */
public record ProcessMemory(long heapLimitMib, boolean heapLimitChosen, long nonHeapMib, long containerLimitMib,
		long peakMib) {

	/** Nothing is known. */
	public static final ProcessMemory UNKNOWN = new ProcessMemory(0, false, 0, 0, 0);

	/** Part by which what was observed may be exceeded. */
	private static final double MARGIN = 0.15;

	/**
	 * An amount and where it comes from.
	 *
	 * @param mib amount in MiB
	 * @param from where it comes from
	 */
	record Need(long mib, String from) {
	}

	/**
	 * Returns what the process may come to need: its limits decide, because a heap grows
	 * to its limit before it is collected thoroughly. Observed amounts carry a margin.
	 * @param committedMib memory that the process takes now, in MiB
	 * @return the need, capped by the container
	 */
	Need need(long committedMib) {
		long observed = Math.max(this.peakMib, committedMib);
		long margin = (long) Math.ceil(observed * (1 + MARGIN));
		boolean limited = this.heapLimitMib > 0 && (this.heapLimitChosen || this.containerLimitMib > 0);
		long limits = limited ? this.heapLimitMib + (long) Math.ceil(this.nonHeapMib * (1 + MARGIN)) : 0;
		Need need;
		if (limits >= margin && limits > 0) {
			need = new Need(limits, "heap limit %d MiB, and %d MiB outside of the heap plus 15 %%"
				.formatted(this.heapLimitMib, this.nonHeapMib));
		}
		else {
			need = new Need(margin, (this.peakMib > committedMib) ? "peak %d MiB plus 15 %%".formatted(observed)
					: "%d MiB in use plus 15 %%".formatted(observed));
		}
		if (this.containerLimitMib > 0 && need.mib() > this.containerLimitMib) {
			need = new Need(this.containerLimitMib, "limit of the container; without it, " + need.from());
		}
		return new Need(Math.min(Resources.MAX_AMOUNT, need.mib()), need.from());
	}

}
