package io.github.vicinal.benchmarks.jmh;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A call of a short native function, as the path {@code rdma} makes some for each
 * message: the Foreign Function and Memory API alone, without a device. Needs Java 22.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class DowncallBenchmark {

	private static final MethodHandle PLAIN = Foreign.labs();

	private static final MethodHandle CRITICAL = Foreign.criticalLabs();

	private static final MethodHandle WITH_ERRNO = Foreign.labsWithErrno();

	public long argument = -4711;

	/** Lower bound of a call: the same in Java. */
	@Benchmark
	public long java() {
		return Math.abs(this.argument);
	}

	/** The thread changes its state, so that a collector need not wait for it. */
	@Benchmark
	public long plain() throws Throwable {
		return (long) PLAIN.invokeExact(this.argument);
	}

	/** The thread keeps its state, as polling and posting on hardware does. */
	@Benchmark
	public long critical() throws Throwable {
		return (long) CRITICAL.invokeExact(this.argument);
	}

	/** The error number is kept, as it is of the calls that connect. */
	@Benchmark
	public long plainWithErrno() throws Throwable {
		return (long) WITH_ERRNO.invokeExact(this.argument);
	}

	/** The API of Java 22, by its names: this module is compiled for Java 17. */
	private static final class Foreign {

		private static final String PACKAGE = "java.lang.foreign.";

		static MethodHandle labs() {
			try {
				return downcall(options());
			}
			catch (ReflectiveOperationException ex) {
				throw missing(ex);
			}
		}

		static MethodHandle criticalLabs() {
			try {
				return downcall(
						options(type("Linker$Option").getMethod("critical", boolean.class).invoke(null, false)));
			}
			catch (ReflectiveOperationException ex) {
				throw missing(ex);
			}
		}

		static MethodHandle labsWithErrno() {
			try {
				Class<?> option = type("Linker$Option");
				Object capture = option.getMethod("captureCallState", String[].class)
					.invoke(null, (Object) new String[] { "errno" });
				Object layout = option.getMethod("captureStateLayout").invoke(null);
				Class<?> arena = type("Arena");
				Object memory = arena.getMethod("allocate", type("MemoryLayout"))
					.invoke(arena.getMethod("global").invoke(null), layout);
				return MethodHandles.insertArguments(downcall(options(capture)), 0, memory);
			}
			catch (ReflectiveOperationException ex) {
				throw missing(ex);
			}
		}

		private static MethodHandle downcall(Object[] options) throws ReflectiveOperationException {
			Object linker = type("Linker").getMethod("nativeLinker").invoke(null);
			Object lookup = type("Linker").getMethod("defaultLookup").invoke(linker);
			Optional<?> symbol = (Optional<?>) type("SymbolLookup").getMethod("find", String.class)
				.invoke(lookup, "labs");
			Object number = type("ValueLayout").getField("JAVA_LONG").get(null);
			Class<?> layout = type("MemoryLayout");
			Object arguments = Array.newInstance(layout, 1);
			Array.set(arguments, 0, number);
			Object descriptor = type("FunctionDescriptor").getMethod("of", layout, arguments.getClass())
				.invoke(null, number, arguments);
			Method handle = Arrays.stream(type("Linker").getMethods())
				.filter((method) -> method.getName().equals("downcallHandle") && method.getParameterCount() == 3)
				.findFirst()
				.orElseThrow(NoSuchMethodException::new);
			return (MethodHandle) handle.invoke(linker, symbol.orElseThrow(), descriptor, options);
		}

		private static Object[] options(Object... values) throws ClassNotFoundException {
			Object options = Array.newInstance(type("Linker$Option"), values.length);
			for (int i = 0; i < values.length; i++) {
				Array.set(options, i, values[i]);
			}
			return (Object[]) options;
		}

		private static Class<?> type(String name) throws ClassNotFoundException {
			return Class.forName(PACKAGE + name);
		}

		private static IllegalStateException missing(ReflectiveOperationException ex) {
			return new IllegalStateException("Downcalls need Java 22 or newer",
					(ex instanceof InvocationTargetException) ? ex.getCause() : ex);
		}

	}

}
