package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** RDMA devices as the kernel's file systems list them. Loads no native code. */
final class RdmaHost {

	private static final String LIMIT = "Max locked memory";

	private static final String CAPABILITIES = "CapEff:";

	/** {@code CAP_IPC_LOCK}: no limit applies. */
	private static final int IPC_LOCK = 14;

	private static final int HEXADECIMAL = 16;

	private static final String UNLIMITED = "unlimited";

	private final Path root;

	RdmaHost(Path root) {
		this.root = root;
	}

	private Path devices() {
		return this.root.resolve("sys/class/infiniband");
	}

	/**
	 * Returns why RDMA cannot be used, as far as that can be known without loading
	 * anything.
	 * @param lockedBytes memory that one connection locks
	 * @return the reason, or {@code null}
	 */
	@Nullable String missing(long lockedBytes) {
		if (names(devices()).isEmpty()) {
			return "this host has no RDMA device: %s /sys/class/infiniband"
				.formatted(Files.isDirectory(devices()) ? "nothing is in" : "there is no");
		}
		if (!Files.exists(this.root.resolve("dev/infiniband/rdma_cm"))) {
			return "there is no /dev/infiniband/rdma_cm: load the kernel module rdma_ucm, and give the devices under "
					+ "/dev/infiniband to the container if there is one";
		}
		long limit = lockedMemory();
		if (limit < lockedBytes) {
			return ("the process may lock %d KB of memory, but one connection locks %d KB: raise the limit "
					+ "(ulimit -l, or LimitMEMLOCK of systemd), or lower vicinal.rdma.ring-size")
				.formatted(limit >> 10, lockedBytes >> 10);
		}
		return null;
	}

	/** Returns how much memory this process may lock. */
	private long lockedMemory() {
		for (String line : lines("proc/self/status")) {
			if (line.startsWith(CAPABILITIES)) {
				long held = Long.parseUnsignedLong(line.substring(CAPABILITIES.length()).strip(), HEXADECIMAL);
				if ((held >> IPC_LOCK & 1) != 0) {
					return Long.MAX_VALUE;
				}
			}
		}
		for (String line : lines("proc/self/limits")) {
			if (line.startsWith(LIMIT)) {
				String soft = line.substring(LIMIT.length()).strip().split("\\s+", 2)[0];
				return UNLIMITED.equals(soft) ? Long.MAX_VALUE : Long.parseLong(soft);
			}
		}
		return Long.MAX_VALUE;
	}

	/** Returns whether no device is emulated by the kernel. */
	boolean isHardware() {
		for (String device : names(devices())) {
			// An emulated device has no device of a bus behind it.
			if (!Files.exists(devices().resolve(device).resolve("device"))) {
				return false;
			}
		}
		return true;
	}

	/** Returns the IPv4 addresses of network interfaces that belong to RDMA devices. */
	Map<String, List<InetAddress>> addresses() {
		Map<String, List<InetAddress>> addresses = new TreeMap<>();
		for (String name : interfaces()) {
			try {
				NetworkInterface network = NetworkInterface.getByName(name);
				if (network != null) {
					List<InetAddress> own = new ArrayList<>();
					for (InetAddress address : Collections.list(network.getInetAddresses())) {
						if (address instanceof Inet4Address) {
							own.add(address);
						}
					}
					addresses.put(name, own);
				}
			}
			catch (SocketException ex) {
				// It is gone.
			}
		}
		return addresses;
	}

	/** Returns the names of network interfaces that belong to RDMA devices. */
	Set<String> interfaces() {
		Set<String> interfaces = new TreeSet<>();
		for (String device : names(devices())) {
			Path ports = devices().resolve(device).resolve("ports");
			for (String port : names(ports)) {
				Path networks = ports.resolve(port).resolve("gid_attrs/ndevs");
				for (String index : names(networks)) {
					interfaces.addAll(lines(networks.resolve(index)));
				}
			}
		}
		return interfaces;
	}

	private static List<String> names(Path directory) {
		List<String> names = new ArrayList<>();
		try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
			entries.forEach((entry) -> names.add(String.valueOf(entry.getFileName())));
		}
		catch (IOException ex) {
			// There is none.
		}
		return names;
	}

	private List<String> lines(String file) {
		return lines(this.root.resolve(file));
	}

	/** Entries that are not in use cannot be read. */
	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			return List.of();
		}
	}

}
