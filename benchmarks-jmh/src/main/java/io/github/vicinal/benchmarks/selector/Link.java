package io.github.vicinal.benchmarks.selector;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A network namespace with two links, one of which is throttled. Needs Linux, root, and
 * {@code ip} and {@code tc} of iproute2.
 */
final class Link implements AutoCloseable {

	/** The server's end of the throttled link. */
	static final String THROTTLED = "10.213.77.2";

	/** The server's end of the other link. */
	static final String WIDE = "10.213.78.2";

	private final String namespace = "vicinal-" + ProcessHandle.current().pid();

	private final String device = "vic" + ProcessHandle.current().pid() % 1_000_000;

	/**
	 * Sets the link up.
	 * @param mbit its rate in the direction of the server
	 */
	Link(int mbit) throws IOException {
		boolean done = false;
		try {
			run("ip", "netns", "add", this.namespace);
			connect(this.device, "10.213.77.1", THROTTLED);
			connect(this.device + "w", "10.213.78.1", WIDE);
			inside("ip", "link", "set", "lo", "up");
			rate("add", mbit);
			done = true;
		}
		finally {
			if (!done) {
				close();
			}
		}
	}

	private void connect(String name, String here, String there) throws IOException {
		run("ip", "link", "add", name, "type", "veth", "peer", "name", name + "p", "netns", this.namespace);
		run("ip", "addr", "add", here + "/24", "dev", name);
		run("ip", "link", "set", name, "up");
		inside("ip", "addr", "add", there + "/24", "dev", name + "p");
		inside("ip", "link", "set", name + "p", "up");
	}

	private void inside(String... command) throws IOException {
		run(prefixed(Arrays.asList(command)).toArray(String[]::new));
	}

	/** Makes a command run on the server's side. */
	List<String> prefixed(List<String> command) {
		List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", this.namespace));
		all.addAll(command);
		return all;
	}

	/** Changes the rate. */
	void rate(int mbit) throws IOException {
		rate("change", mbit);
	}

	private void rate(String verb, int mbit) throws IOException {
		run("tc", "qdisc", verb, "dev", this.device, "root", "tbf", "rate", mbit + "mbit", "burst", "6kb", "latency",
				"400ms");
	}

	private static void run(String... command) throws IOException {
		String problem = tried(command);
		if (problem != null) {
			throw new IOException(String.join(" ", command) + ": " + problem);
		}
	}

	private static @Nullable String tried(String... command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		try {
			return (process.waitFor() == 0) ? null : said;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
	}

	@Override
	public void close() throws IOException {
		tried("ip", "link", "del", this.device);
		tried("ip", "link", "del", this.device + "w");
		tried("ip", "netns", "del", this.namespace);
	}

}
