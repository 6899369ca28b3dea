package io.github.vicinal.benchmarks.selector;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A network namespace with a link whose rate is throttled. Needs Linux, root, and
 * {@code ip} and {@code tc} of iproute2.
 */
final class Link implements AutoCloseable {

	/** What the server's end is called. */
	static final String ADDRESS = "10.213.77.2";

	private static final String HERE = "10.213.77.1";

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
			run("ip", "link", "add", this.device, "type", "veth", "peer", "name", this.device + "p", "netns",
					this.namespace);
			run("ip", "addr", "add", HERE + "/24", "dev", this.device);
			run("ip", "link", "set", this.device, "up");
			inside("ip", "addr", "add", ADDRESS + "/24", "dev", this.device + "p");
			inside("ip", "link", "set", this.device + "p", "up");
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
		tried("ip", "netns", "del", this.namespace);
	}

}
