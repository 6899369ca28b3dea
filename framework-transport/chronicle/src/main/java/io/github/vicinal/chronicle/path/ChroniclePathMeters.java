package io.github.vicinal.chronicle.path;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.github.vicinal.path.PathMeter;
import io.github.vicinal.transport.wire.LocalMeters;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the path {@code chronicle}. They can be read at any time, and start nothing.
 */
final class ChroniclePathMeters {

	private static final String SERVER = "server";

	private static final String CLIENT = "client";

	private ChroniclePathMeters() {
	}

	/**
	 * Returns the meters of servers and clients.
	 * @param server the server, {@code null} until there is one
	 * @param provider the client side, {@code null} until there is one
	 */
	static List<PathMeter> of(Supplier<@Nullable ChroniclePathServer> server,
			Supplier<@Nullable ChroniclePathProvider> provider) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.server(ChroniclePathProvider.KIND, () -> {
			ChroniclePathServer known = server.get();
			return (known != null) ? known.metrics() : null;
		}));
		meters.add(bytes(SERVER, server, (known) -> known.metrics().bytes().sum()));
		meters.add(bytes(CLIENT, provider, (known) -> known.bytes().sum()));
		meters.add(queue(SERVER, server, ChroniclePathServer::queueBytes));
		meters.add(queue(CLIENT, provider, ChroniclePathProvider::queueBytes));
		return meters;
	}

	private static <T> PathMeter bytes(String side, Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		return new PathMeter(PathMeter.Type.COUNTER, "vicinal.chronicle.bytes", Map.of("side", side),
				"Bytes of calls and replies through Chronicle Queues", "bytes", () -> read(owner, value));
	}

	private static <T> PathMeter queue(String side, Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		return new PathMeter(PathMeter.Type.GAUGE, "vicinal.chronicle.queue", Map.of("side", side),
				"Bytes of the files that this side has written and the other has not read", "bytes",
				() -> read(owner, value));
	}

	private static <T> double read(Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		T known = owner.get();
		return (known != null) ? value.applyAsLong(known) : 0;
	}

}
