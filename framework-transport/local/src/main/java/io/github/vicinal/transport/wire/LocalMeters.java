package io.github.vicinal.transport.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathMeter;
import org.jspecify.annotations.Nullable;

/** Meters that the kinds of path within one host have in common. */
public final class LocalMeters {

	private static final String BYTES = "bytes";

	private LocalMeters() {
	}

	/**
	 * Returns the meters of a server.
	 * @param kind the kind of path
	 * @param server the server's counters, {@code null} until there is a server
	 */
	public static List<PathMeter> server(PathKind kind, Supplier<@Nullable ServerMetrics> server) {
		List<PathMeter> meters = new ArrayList<>(counters("vicinal." + kind.id() + ".refusals",
				"Connections, contracts and calls that the server of the path refused", () -> {
					ServerMetrics known = server.get();
					return (known != null) ? known.refusals() : null;
				}));
		meters.add(new PathMeter(PathMeter.Type.GAUGE, "vicinal." + kind.id() + ".connections", Map.of(),
				"Connections that are open to the server of the path", "", () -> {
					ServerMetrics known = server.get();
					return (known != null) ? known.open().sum() : 0;
				}));
		return meters;
	}

	/**
	 * Returns one counter for each reason of a {@link Refusal}.
	 * @param counters the values, {@code null} until there are any
	 */
	public static List<PathMeter> counters(String name, String description,
			Supplier<@Nullable Map<String, LongAdder>> counters) {
		return ServerMetrics.reasons()
			.stream()
			.map((reason) -> new PathMeter(PathMeter.Type.COUNTER, name, Map.of("reason", reason), description, "",
					() -> {
						Map<String, LongAdder> known = counters.get();
						LongAdder count = (known != null) ? known.get(reason) : null;
						return (count != null) ? count.sum() : 0;
					}))
			.toList();
	}

	/** Returns the heap that large payloads take on one side of a kind of path. */
	public static PathMeter heap(PathKind kind, String side, DoubleSupplier bytes) {
		return new PathMeter(PathMeter.Type.GAUGE, "vicinal.shm.heap", Map.of("path", kind.id(), "side", side),
				"Heap of large calls and replies between processes, including heap that is kept for later ones", BYTES,
				bytes);
	}

	/** Returns the shared memory of one side. */
	public static PathMeter memory(String side, DoubleSupplier bytes) {
		return new PathMeter(PathMeter.Type.GAUGE, "vicinal.shm.memory", Map.of("side", side),
				"Shared memory of pairs: at a client its own part, at a server all of it", BYTES, bytes);
	}

}
