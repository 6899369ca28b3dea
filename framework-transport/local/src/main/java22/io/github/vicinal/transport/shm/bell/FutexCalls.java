package io.github.vicinal.transport.shm.bell;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The system call {@code futex} of Linux: {@code FUTEX_WAIT} sleeps if a word has an
 * expected value, {@code FUTEX_WAKE} wakes sleepers of that word in any process.
 * Thread-safe.
 */
final class FutexCalls {

	private static final int FUTEX_WAIT = 0;

	private static final int FUTEX_WAKE = 1;

	private static final int ONE = 1;

	private static final long NUMBER = number();

	private final MethodHandle syscall;

	FutexCalls() {
		Linker linker = Linker.nativeLinker();
		// long syscall(long number, uint32_t *word, int operation, uint32_t value,
		// timespec *timeout)
		this.syscall = linker.downcallHandle(linker.defaultLookup().find("syscall").orElseThrow(),
				FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
						ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
				Linker.Option.firstVariadicArg(1));
	}

	/** Returns why there is no such system call, or {@code null}. */
	static @Nullable String unavailable() {
		if (NUMBER < 0) {
			return "futexes are known on Linux on x86-64 and aarch64 only";
		}
		return Linker.nativeLinker().defaultLookup().find("syscall").isPresent() ? null
				: "the C library has no function syscall";
	}

	private static long number() {
		if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")) {
			return -1;
		}
		return switch (System.getProperty("os.arch", "")) {
			case "amd64", "x86_64" -> 202;
			case "aarch64" -> 98;
			default -> -1;
		};
	}

	/**
	 * Sleeps while a word is 1.
	 * @param timeout how long at most, a {@code timespec}
	 */
	void await(MemorySegment word, MemorySegment timeout) {
		call(word, FUTEX_WAIT, timeout);
	}

	void wake(MemorySegment word) {
		call(word, FUTEX_WAKE, MemorySegment.NULL);
	}

	private void call(MemorySegment word, int operation, MemorySegment timeout) {
		try {
			// The result does not matter, since a sleeper checks the word after each
			// wake-up.
			long ignored = (long) this.syscall.invokeExact(NUMBER, word, operation, ONE, timeout);
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

}
