package io.github.vicinal.benchmarks.shm;

import java.util.List;

/** The transports by name. */
public final class Transports {

	static final String PARK = "lanes, always parking";

	/** Shared memory. */
	public static final String LEARNED = "lanes, learned waiting";

	/** Unix domain sockets. */
	public static final String SOCKET = "JDK UDS";

	static final String NETTY = "Netty UDS";

	static final String GRPC = "gRPC UDS";

	static final String HAND_OFF = "executor hand-off, one JVM";

	static final String AERON = "Aeron IPC";

	static final String CHRONICLE = "Chronicle Queue pair";

	/** Those that need no flags, in one pair of JVMs. */
	static final List<String> PLAIN = List.of(LEARNED, PARK, SOCKET, NETTY, GRPC, HAND_OFF);

	static final List<String> ALL = List.of(LEARNED, PARK, SOCKET, NETTY, GRPC, HAND_OFF, AERON, CHRONICLE);

	private static final int CHRONICLE_BYTES = 16 << 20;

	private Transports() {
	}

	/**
	 * Returns a transport.
	 * @param name its name
	 * @return the transport
	 */
	public static Transport of(String name) {
		return switch (name) {
			case PARK -> new LanesTransport("park");
			case LEARNED -> new LanesTransport("learned");
			case SOCKET -> new SocketTransport();
			case NETTY -> new NettyTransport();
			case GRPC -> new GrpcTransport();
			case HAND_OFF -> new HandOffTransport();
			case AERON -> new AeronTransport();
			case CHRONICLE -> new ChronicleTransport();
			default -> throw new IllegalArgumentException("There is no transport '%s'".formatted(name));
		};
	}

	/**
	 * Returns the number of calls that each caller may make in one measurement:
	 * Chronicle's files only grow.
	 */
	static int maxCalls(String name, Load load) {
		return name.equals(CHRONICLE) ? Math.max(1, CHRONICLE_BYTES / load.bytes() / load.callers())
				: Integer.MAX_VALUE;
	}

	/** Returns whether a transport can carry a load. */
	static boolean carries(String name, Load load) {
		return !name.equals(CHRONICLE) || load.bytes() < 1 << 20;
	}

}
