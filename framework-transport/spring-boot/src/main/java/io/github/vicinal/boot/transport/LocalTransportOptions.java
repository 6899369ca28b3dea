package io.github.vicinal.boot.transport;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.wire.InvalidOptionException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Turns properties into options of the paths within one host. The options know their
 * limits; here a value that breaks one gets the name of its property.
 */
final class LocalTransportOptions {

	/** Names of properties where they are not those of the options. */
	private static final Map<String, String> PROPERTIES = Map.of("inlineBytes", "inline-size", "maxFrameBytes",
			"max-frame-size", "maxMemoryBytes", "max-memory-per-peer", "maxHeapBytes", "max-heap-per-peer", "waiting",
			"wait");

	private final Environment environment;

	LocalTransportOptions(Environment environment) {
		this.environment = environment;
	}

	ShmOptions shm(ShmProperties shm) {
		ShmOptions defaults = ShmOptions.defaults();
		return named(ShmProperties.PREFIX,
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
					.drainTimeout(drainTimeout(defaults.drainTimeout()))
					.build());
	}

	UdsOptions uds(UdsProperties uds, ShmProperties shm) {
		UdsOptions defaults = UdsOptions.defaults();
		return named(UdsProperties.PREFIX,
				() -> defaults.toBuilder()
					.maxHeapBytes(heap(shm, defaults.maxHeapBytes()))
					.maxFrameBytes(bytes(uds.maxFrameSize()))
					.maxConnectionsPerPeer(uds.maxConnectionsPerPeer())
					.maxConnections(uds.maxConnections())
					.drainTimeout(drainTimeout(defaults.drainTimeout()))
					.build());
	}

	/** Follows the web server: an immediate shutdown waits for no call. */
	Duration drainTimeout(Duration otherwise) {
		return "immediate".equalsIgnoreCase(this.environment.getProperty("server.shutdown")) ? Duration.ZERO
				: otherwise;
	}

	private static long heap(ShmProperties shm, long otherwise) {
		@Nullable DataSize heap = shm.maxHeapPerPeer();
		return (heap != null) ? heap.toBytes() : otherwise;
	}

	/** Converts a size; one above the largest number stands for that number. */
	private static int bytes(DataSize size) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
	}

	private <T> T named(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			String option = PROPERTIES.getOrDefault(ex.option(),
					ex.option().replaceAll("(\\p{Upper})", "-$1").toLowerCase(Locale.ROOT));
			String property = prefix + "." + option;
			String path = prefix.substring(prefix.lastIndexOf('.') + 1);
			throw new InvalidConfigurationPropertyValueException(property,
					this.environment.getProperty(property, ex.value()),
					"It must be %s. Leave it out for the default. To do without the path %s, leave %s out of vicinal.server.paths and vicinal.channels.<name>.paths"
						.formatted(ex.rule(), path, path));
		}
	}

}
