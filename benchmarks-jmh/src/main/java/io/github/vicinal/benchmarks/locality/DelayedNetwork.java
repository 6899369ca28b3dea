package io.github.vicinal.benchmarks.locality;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A network namespace that is reached over a link with a delay: by the kernel's netem
 * where it has that, else by a small program between two TUN devices.
 */
final class DelayedNetwork implements AutoCloseable {

	private static final String HERE = "10.213.77.1";

	static final String THERE = "10.213.77.2";

	private final String namespace = "vicinal-" + ProcessHandle.current().pid();

	private final String near = "vna" + ProcessHandle.current().pid();

	private final String far = "vnb" + ProcessHandle.current().pid();

	private final String means;

	private @Nullable Process link;

	private @Nullable Path program;

	/** The delay cannot be made here; the message says what is missing. */
	static final class UnavailableException extends Exception {

		private static final long serialVersionUID = 1;

		UnavailableException(String message) {
			super(message);
		}

	}

	private DelayedNetwork(int delayMicros) throws UnavailableException, IOException, InterruptedException {
		run("ip", "netns", "add", this.namespace);
		try {
			this.means = connect(delayMicros);
			run("ip", "addr", "add", HERE + "/30", "dev", this.near);
			run("ip", "link", "set", this.near, "up");
			inside("ip", "link", "set", "lo", "up");
			inside("ip", "addr", "add", THERE + "/30", "dev", this.far);
			inside("ip", "link", "set", this.far, "up");
		}
		catch (UnavailableException | IOException | InterruptedException ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Makes the network.
	 * @param delayMicros delay of each packet, each way
	 * @return the network
	 */
	static DelayedNetwork open(int delayMicros) throws UnavailableException, IOException, InterruptedException {
		return new DelayedNetwork(delayMicros);
	}

	/** Returns what makes the delay. */
	String means() {
		return this.means;
	}

	private String connect(int delayMicros) throws UnavailableException, IOException, InterruptedException {
		run("ip", "link", "add", this.near, "type", "veth", "peer", "name", this.far, "netns", this.namespace);
		try {
			run("tc", "qdisc", "add", "dev", this.near, "root", "netem", "delay", delayMicros + "us");
			inside("tc", "qdisc", "add", "dev", this.far, "root", "netem", "delay", delayMicros + "us");
			return "netem";
		}
		catch (UnavailableException ex) {
			run("ip", "link", "del", this.near);
			return "a relay of packets between TUN devices, as the kernel has no netem (%s)"
				.formatted(relay(delayMicros, String.valueOf(ex.getMessage())));
		}
	}

	private String relay(int delayMicros, String why) throws UnavailableException, IOException, InterruptedException {
		Path directory = Files.createTempDirectory("vicinal-link");
		Path source = directory.resolve("delay-link.c");
		Path built = directory.resolve("delay-link");
		this.program = built;
		try (InputStream code = DelayedNetwork.class.getResourceAsStream("/locality/delay-link.c")) {
			if (code == null) {
				throw new IOException("delay-link.c is missing");
			}
			Files.copy(code, source);
		}
		run("cc", "-O2", "-o", built.toString(), source.toString());
		Process started = new ProcessBuilder(built.toString(), String.valueOf(delayMicros), this.near, this.namespace,
				this.far)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		this.link = started;
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
		if (!"ready".equals(lines.readLine())) {
			throw new UnavailableException("neither netem (%s) nor TUN devices can be used".formatted(why));
		}
		return why;
	}

	/** Returns the command that runs a command beyond the link. */
	List<String> beyond(List<String> command) {
		List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", this.namespace));
		all.addAll(command);
		return all;
	}

	private void inside(String... command) throws UnavailableException, IOException, InterruptedException {
		run(beyond(List.of(command)).toArray(String[]::new));
	}

	private static void run(String... command) throws UnavailableException, InterruptedException {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			if (process.waitFor() != 0) {
				throw new UnavailableException("'%s' failed: %s".formatted(String.join(" ", command), output));
			}
		}
		catch (IOException ex) {
			throw new UnavailableException("'%s' cannot be run: %s".formatted(command[0], ex.getMessage()));
		}
	}

	@Override
	public void close() throws IOException {
		Process running = this.link;
		try {
			if (running != null) {
				running.destroy();
				running.waitFor(5, TimeUnit.SECONDS);
			}
			try {
				run("ip", "netns", "del", this.namespace);
			}
			catch (UnavailableException ex) {
				System.err.println(ex.getMessage());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		Path built = this.program;
		if (built != null) {
			Files.deleteIfExists(built);
			Files.deleteIfExists(built.resolveSibling("delay-link.c"));
			Files.deleteIfExists(built.getParent());
		}
	}

}
