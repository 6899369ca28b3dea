package io.github.vicinal.boot.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.boot.autoconfigure.VicinalProperties.Shm;
import io.github.vicinal.boot.autoconfigure.VicinalProperties.Uds;
import io.github.vicinal.boot.client.InvalidChannelException;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.wire.InvalidOptionException;

import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Turns properties into options of the paths within one host. The options know their
 * limits; here a value that breaks one is named by its property.
 */
final class LocalTransportOptions {

	/** Names of properties where they are not those of the options. */
	private static final Map<String, String> PROPERTIES = Map.of("inlineBytes", "inline-size", "maxFrameBytes",
			"max-frame-size", "maxMemoryBytes", "max-memory-per-peer", "maxHeapBytes", "max-heap-per-peer", "waiting",
			"wait");

	private LocalTransportOptions() {
	}

	static ShmOptions shm(VicinalProperties properties, Environment environment) {
		Shm shm = properties.shm();
		ShmOptions defaults = ShmOptions.defaults();
		return named("shm", environment,
				() -> defaults.toBuilder()
					.lanes(shm.lanes())
					.maxLanes(shm.maxLanes())
					.inlineBytes(bytes(shm.inlineSize()))
					.maxFrameBytes(bytes(shm.maxFrameSize()))
					.maxMemoryBytes(shm.maxMemoryPerPeer().toBytes())
					.maxHeapBytes(heap(shm, defaults.maxHeapBytes()))
					.maxPeers(shm.maxPeers())
					.maxThreads(shm.maxThreads())
					.idleTimeout(shm.idleTimeout())
					.waiting(shm.waiting())
					.build());
	}

	static UdsOptions uds(VicinalProperties properties, Environment environment) {
		Uds uds = properties.uds();
		UdsOptions defaults = UdsOptions.defaults();
		return named("uds", environment,
				() -> defaults.withMaxHeapBytes(heap(properties.shm(), defaults.maxHeapBytes()))
					.withMaxFrameBytes(bytes(uds.maxFrameSize()))
					.withMaxConnectionsPerPeer(uds.maxConnectionsPerPeer())
					.withMaxConnections(uds.maxConnections()));
	}

	private static long heap(Shm shm, long otherwise) {
		DataSize heap = shm.maxHeapPerPeer();
		return (heap != null) ? heap.toBytes() : otherwise;
	}

	/** No limit is as high as the largest number. */
	private static int bytes(DataSize size) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
	}

	private static <T> T named(String path, Environment environment, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			String option = PROPERTIES.getOrDefault(ex.option(),
					ex.option().replaceAll("(\\p{Upper})", "-$1").toLowerCase(Locale.ROOT));
			String property = "vicinal.%s.%s".formatted(path, option);
			throw new InvalidChannelException(
					"%s must be %s, but is '%s'; to do without the path %s, leave %s out of vicinal.server.paths and vicinal.channels.<name>.paths"
						.formatted(property, ex.rule(), environment.getProperty(property, ex.value()), path, path),
					"Change %s, or leave it out for the default".formatted(property));
		}
	}

}
