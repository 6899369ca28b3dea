package io.github.vicinal.launcher;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Estimates what each application uses, by looking at the counters of its threads now and
 * then. What a thread did after the last look at it is missed. Thread-safe.
 */
final class Usage {

	private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

	private final com.sun.management.@Nullable ThreadMXBean allocations = (this.threads instanceof com.sun.management.ThreadMXBean bean
			&& bean.isThreadAllocatedMemorySupported()) ? bean : null;

	private final boolean cpuTime = this.threads.isThreadCpuTimeSupported();

	private final Map<Long, long[]> seen = new HashMap<>();

	/** A thread that outlasts its application must not keep it. */
	private final Map<ApplicationLoader, Totals> totals = new WeakHashMap<>();

	/** Looks at all threads. */
	synchronized void sample() {
		List<Thread> all = ApplicationThreads.all();
		Map<ApplicationLoader, Integer> counts = new HashMap<>();
		Map<String, ApplicationLoader> running = new HashMap<>();
		this.totals.keySet().forEach((each) -> running.put(each.application(), each));
		Set<Long> alive = new HashSet<>();
		for (Thread thread : all) {
			ApplicationLoader owner = ApplicationThreads.owner(thread);
			long id = id(thread);
			alive.add(id);
			long cpu = cpuNanos(thread);
			long bytes = allocatedBytes(thread);
			long[] before = this.seen.put(id, new long[] { cpu, bytes });
			if (owner != null) {
				counts.merge(owner, 1, Integer::sum);
				this.totals.computeIfAbsent(owner, (key) -> new Totals()).add(cpu, bytes, before);
			}
			else if (before != null) {
				ApplicationLoader borrower = borrower(thread, running);
				if (borrower != null) {
					this.totals.computeIfAbsent(borrower, (key) -> new Totals()).add(cpu, bytes, before);
				}
			}
		}
		this.seen.keySet().retainAll(alive);
		this.totals.forEach((owner, total) -> total.threads = counts.getOrDefault(owner, 0));
	}

	/** A thread that belongs to nobody is counted for the one whose code it runs now. */
	private static @Nullable ApplicationLoader borrower(Thread thread, Map<String, ApplicationLoader> running) {
		StackTraceElement frame = ApplicationThreads.codeOn(thread.getStackTrace(), running.keySet());
		return (frame != null) ? running.get(frame.getClassLoaderName()) : null;
	}

	/** Returns the processor time of a thread since its start; 0 if it is not known. */
	long cpuNanos(Thread thread) {
		return this.cpuTime ? Math.max(0, this.threads.getThreadCpuTime(id(thread))) : 0;
	}

	/** Returns what a thread has allocated since its start; 0 if it is not known. */
	long allocatedBytes(Thread thread) {
		com.sun.management.ThreadMXBean bean = this.allocations;
		return (bean != null) ? Math.max(0, bean.getThreadAllocatedBytes(id(thread))) : 0;
	}

	@SuppressWarnings("deprecation") // threadId() is there from 19 on
	private static long id(Thread thread) {
		return thread.getId();
	}

	synchronized Report report(ApplicationLoader loader) {
		Totals total = this.totals.getOrDefault(loader, new Totals());
		return new Report(total.threads, total.cpuNanos, total.allocatedBytes);
	}

	synchronized void end(ApplicationLoader loader) {
		this.totals.remove(loader);
	}

	/**
	 * Estimated usage of an application since its start.
	 *
	 * @param threads platform threads that are alive
	 * @param cpuNanos processor time of its threads
	 * @param allocatedBytes bytes of heap that its threads have allocated, of which most
	 * are garbage by now
	 */
	record Report(int threads, long cpuNanos, long allocatedBytes) {
	}

	private static final class Totals {

		private int threads;

		private long cpuNanos;

		private long allocatedBytes;

		void add(long cpu, long bytes, long @Nullable [] before) {
			this.cpuNanos += Math.max(0, cpu - ((before != null) ? before[0] : 0));
			this.allocatedBytes += Math.max(0, bytes - ((before != null) ? before[1] : 0));
		}

	}

}
