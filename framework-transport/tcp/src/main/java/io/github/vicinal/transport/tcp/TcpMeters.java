package io.github.vicinal.transport.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.github.vicinal.path.PathMeter;
import io.github.vicinal.transport.wire.LocalMeters;
import org.jspecify.annotations.Nullable;

/** Meters of the path {@code tcp}. They can be read at any time, and start nothing. */
final class TcpMeters {

	private static final String SERVER = "server";

	private static final String CLIENT = "client";

	private TcpMeters() {
	}

	/**
	 * Returns the meters of servers and clients.
	 * @param server the server, {@code null} until there is one
	 * @param provider the client side, {@code null} until there is one
	 */
	static List<PathMeter> of(Supplier<@Nullable TcpPathServer> server, Supplier<@Nullable TcpPathProvider> provider) {
		List<PathMeter> meters = new ArrayList<>(LocalMeters.server(TcpPathProvider.KIND, () -> {
			TcpPathServer known = server.get();
			return (known != null) ? known.metrics() : null;
		}));
		meters.add(bytes(SERVER, server, (known) -> known.metrics().bytes().sum()));
		meters.add(bytes(CLIENT, provider, (known) -> known.bytes().sum()));
		for (HandshakeFailure.Kind kind : HandshakeFailure.Kind.values()) {
			meters.add(handshakes(SERVER, kind, server, (known) -> known.handshakes().sum(kind)));
			meters.add(handshakes(CLIENT, kind, provider, (known) -> known.handshakes().sum(kind)));
		}
		return meters;
	}

	private static <T> PathMeter bytes(String side, Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		return new PathMeter(PathMeter.Type.COUNTER, "vicinal.tcp.bytes", Map.of("side", side),
				"Bytes of calls and replies over TCP, before encryption", "bytes", () -> read(owner, value));
	}

	private static <T> PathMeter handshakes(String side, HandshakeFailure.Kind kind, Supplier<@Nullable T> owner,
			ToLongFunction<T> value) {
		return new PathMeter(PathMeter.Type.COUNTER, "vicinal.tcp.handshakes.refused",
				Map.of("side", side, "reason", kind.id()), "TLS handshakes that failed", "", () -> read(owner, value));
	}

	private static <T> double read(Supplier<@Nullable T> owner, ToLongFunction<T> value) {
		T known = owner.get();
		return (known != null) ? value.applyAsLong(known) : 0;
	}

}
