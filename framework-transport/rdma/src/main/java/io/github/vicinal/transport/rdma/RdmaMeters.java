package io.github.vicinal.transport.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.github.vicinal.path.PathMeter;
import io.github.vicinal.transport.wire.LocalMeters;
import org.jspecify.annotations.Nullable;

/** Meters of the path {@code rdma}. They can be read at any time, and start nothing. */
final class RdmaMeters {

	private RdmaMeters() {
	}

	/**
	 * Returns the meters of servers and clients.
	 * @param server the server, {@code null} until there is one
	 * @param provider the client side, {@code null} until there is one
	 */
	static List<PathMeter> of(Supplier<@Nullable RdmaPathServer> server,
			Supplier<@Nullable RdmaPathProvider> provider) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.server(RdmaPathProvider.KIND, () -> {
			RdmaPathServer known = server.get();
			return (known != null) ? known.metrics() : null;
		}));
		meters.add(meter(PathMeter.Type.COUNTER, "vicinal.rdma.bytes", "server", "Bytes of calls and replies over RDMA",
				server, (known) -> known.metrics().bytes().sum()));
		meters.add(meter(PathMeter.Type.COUNTER, "vicinal.rdma.bytes", "client", "Bytes of calls and replies over RDMA",
				provider, (known) -> known.bytes().sum()));
		String locked = "Memory that connections lock for their rings and for large calls";
		meters.add(meter(PathMeter.Type.GAUGE, "vicinal.rdma.memory", "server", locked, server,
				RdmaPathServer::lockedBytes));
		meters.add(meter(PathMeter.Type.GAUGE, "vicinal.rdma.memory", "client", locked, provider,
				RdmaPathProvider::lockedBytes));
		return meters;
	}

	private static <T> PathMeter meter(PathMeter.Type type, String name, String side, String description,
			Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		return new PathMeter(type, name, Map.of("side", side), description, "bytes", () -> {
			T known = owner.get();
			return (known != null) ? value.applyAsLong(known) : 0;
		});
	}

}
