package io.github.vicinal.transport.rdma;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA devices of this host, as far as this process can use them. Finds out when it
 * is first asked, and says once in the log why there are none. Thread-safe.
 * <p>
 * The files of the kernel under {@code /sys} are read before any native library is
 * loaded, so that an application on a host without RDMA pays for a look at a directory.
 *
 * @since 0.1.0
 */
public final class RdmaDevices implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RdmaDevices.class);

	/** In {@code META-INF/versions/22}. */
	private static final String FFM = "io.github.vicinal.transport.rdma.FfmVerbsFactory";

	private static final int FFM_VERSION = 22;

	private final Supplier<RdmaSupport> detection;

	private @Nullable RdmaSupport support;

	/**
	 * Creates devices that are not looked at yet.
	 * @param options the address to use, and the size of rings
	 */
	public RdmaDevices(RdmaOptions options) {
		this(() -> detect(options, new RdmaHost(Path.of("/"))));
	}

	RdmaDevices(Supplier<RdmaSupport> detection) {
		this.detection = detection;
	}

	/** Returns whether this process can use RDMA. */
	synchronized RdmaSupport support() {
		RdmaSupport known = this.support;
		if (known == null) {
			known = this.detection.get();
			this.support = known;
			if (known instanceof RdmaSupport.Unavailable unavailable) {
				logger.info("The path rdma is not available: {}", unavailable.reason());
			}
			else if (known instanceof RdmaSupport.Available available) {
				logger.info("The path rdma uses {}{}", available.verbs().name(),
						available.address().isEmpty() ? "" : " and the address " + available.address());
			}
		}
		return known;
	}

	/** Looks again, because a device was lost. Loaded libraries stay. */
	synchronized RdmaSupport detectAgain() {
		RdmaSupport before = this.support;
		RdmaSupport now = this.detection.get();
		if (now instanceof RdmaSupport.Available available && before instanceof RdmaSupport.Available known
				&& available.verbs() != known.verbs()) {
			known.verbs().close();
		}
		if (now instanceof RdmaSupport.Available || !(before instanceof RdmaSupport.Available)) {
			this.support = now;
		}
		return now;
	}

	/** Returns the name of the provider in use, empty if there is none. */
	synchronized String name() {
		return (this.support instanceof RdmaSupport.Available available) ? available.verbs().name() : "";
	}

	/** Looks at a host. */
	static RdmaSupport detect(RdmaOptions options, RdmaHost host) {
		String missing = host.missing(options.lockedBytes());
		if (missing != null) {
			return new RdmaSupport.Unavailable(missing);
		}
		Map<String, List<InetAddress>> addresses = host.addresses();
		try {
			Verbs verbs = create(host.isHardware());
			String address = address(options.address(), addresses);
			return new RdmaSupport.Available(verbs, address,
					address.isEmpty() ? noAddress(options.address(), addresses) : "");
		}
		catch (VerbsException ex) {
			return new RdmaSupport.Unavailable(ex.text());
		}
	}

	/** Returns the address to listen on, empty if there is none. */
	static String address(String configured, Map<String, List<InetAddress>> addresses) {
		List<String> all = texts(addresses);
		if (configured.isEmpty()) {
			return (all.size() == 1) ? all.get(0) : "";
		}
		// Interfaces may not be known: the device decides.
		return (all.isEmpty() || all.contains(configured)) ? configured : "";
	}

	/** Says why there is no address to listen on, and what to do. */
	static String noAddress(String configured, Map<String, List<InetAddress>> addresses) {
		if (!configured.isEmpty()) {
			return "the address %s is not on an RDMA interface; set vicinal.rdma.address to one of these: %s"
				.formatted(configured, describe(addresses));
		}
		if (texts(addresses).isEmpty()) {
			return "no RDMA interface has an IPv4 address; give one to the network interface of an RDMA device";
		}
		return "the RDMA interfaces have several IPv4 addresses; set vicinal.rdma.address to one of these: %s"
			.formatted(describe(addresses));
	}

	private static List<String> texts(Map<String, List<InetAddress>> addresses) {
		return addresses.values().stream().flatMap(List::stream).map(InetAddress::getHostAddress).distinct().toList();
	}

	private static String describe(Map<String, List<InetAddress>> addresses) {
		List<String> all = new ArrayList<>();
		new TreeMap<>(addresses)
			.forEach((name, list) -> list.forEach((address) -> all.add(address.getHostAddress() + " (" + name + ")")));
		return String.join(", ", all);
	}

	private static Verbs create(boolean hardware) throws VerbsException {
		if (Runtime.version().feature() < FFM_VERSION) {
			throw new VerbsException("Java %d calls no native library without one of its own; run on Java 22 or newer"
				.formatted(Runtime.version().feature()));
		}
		VerbsFactory ffm = factory();
		if (ffm == null) {
			throw new VerbsException(
					"the classes for Java 22 are missing from the class path; use the jar of the module");
		}
		String missing = ffm.unavailable();
		if (missing != null) {
			throw new VerbsException(missing);
		}
		return ffm.create(hardware);
	}

	private static @Nullable VerbsFactory factory() {
		try {
			return Class.forName(FFM).asSubclass(VerbsFactory.class).getDeclaredConstructor().newInstance();
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			logger.debug("{} cannot be used", FFM, ex);
			return null;
		}
	}

	/** Gives back what the provider holds. Connections are closed before. */
	@Override
	public synchronized void close() {
		if (this.support instanceof RdmaSupport.Available available) {
			available.verbs().close();
		}
		this.support = new RdmaSupport.Unavailable("it is shutting down");
	}

}
