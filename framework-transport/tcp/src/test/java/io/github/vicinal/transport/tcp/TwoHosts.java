package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Two hosts and a switch between them, as network namespaces of this kernel. The hosts
 * reach each other at addresses of a VXLAN over the wires of the switch, as pods of two
 * nodes do.
 */
final class TwoHosts implements AutoCloseable {

	static final String FIRST = "10.212.0.1";

	static final String SECOND = "10.212.0.2";

	private static final List<String> UNDERLAY = List.of("10.211.0.1", "10.211.0.2");

	private final String prefix = "vicinal" + ProcessHandle.current().pid();

	private TwoHosts() {
	}

	/** Returns why there can be no such hosts here, empty if there can. */
	static String missing() {
		try {
			if (!"0".equals(output(List.of("id", "-u")).strip())) {
				return "network namespaces need root";
			}
			output(List.of("ip", "-V"));
			String name = "vicinal" + ProcessHandle.current().pid() + "try";
			run(List.of("ip", "netns", "add", name));
			try {
				run(List.of("ip", "-n", name, "link", "add", "wire", "type", "veth", "peer", "name", "other"));
				run(List.of("ip", "-n", name, "link", "add", "vx", "type", "vxlan", "id", "7", "dev", "wire", "dstport",
						"4789"));
			}
			finally {
				run(List.of("ip", "netns", "delete", name));
			}
			return "";
		}
		catch (IOException ex) {
			return "there are no network namespaces with veth and VXLAN: " + ex.getMessage();
		}
	}

	static TwoHosts create() throws IOException {
		TwoHosts hosts = new TwoHosts();
		try {
			hosts.build();
			return hosts;
		}
		catch (IOException ex) {
			hosts.close();
			throw ex;
		}
	}

	private void build() throws IOException {
		run(List.of("ip", "netns", "add", this.prefix + "switch"));
		ip("switch", "link add bridge type bridge");
		ip("switch", "link set bridge up");
		for (int host = 1; host <= 2; host++) {
			String name = String.valueOf(host);
			run(List.of("ip", "netns", "add", this.prefix + name));
			ip("switch", "link add port%s type veth peer name wire netns %s".formatted(name, this.prefix + name));
			ip("switch", "link set port%s master bridge up".formatted(name));
			ip(name, "link set lo up");
			ip(name, "addr add %s/24 dev wire".formatted(UNDERLAY.get(host - 1)));
			ip(name, "link set wire up");
			ip(name, "link add overlay type vxlan id 7 dev wire dstport 4789 local %s remote %s"
				.formatted(UNDERLAY.get(host - 1), UNDERLAY.get(2 - host)));
			ip(name, "addr add %s/24 dev overlay".formatted((host == 1) ? FIRST : SECOND));
			ip(name, "link set overlay up");
		}
	}

	private void ip(String host, String command) throws IOException {
		List<String> all = new ArrayList<>(List.of("ip", "-n", this.prefix + host));
		all.addAll(List.of(command.split(" ")));
		run(all);
	}

	/** Pulls the wire of the first host out. */
	void cut() throws IOException {
		ip("switch", "link set port1 down");
	}

	/** Plugs it in again. */
	void mend() throws IOException {
		ip("switch", "link set port1 up");
	}

	/** Returns the command that runs another one on a host. */
	List<String> on(int host, List<String> command) {
		List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", this.prefix + host));
		all.addAll(command);
		return all;
	}

	@Override
	public void close() {
		for (String name : List.of("1", "2", "switch")) {
			if (Files.exists(Path.of("/run/netns", this.prefix + name))) {
				try {
					run(List.of("ip", "netns", "delete", this.prefix + name));
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}
	}

	private static void run(List<String> command) throws IOException {
		output(command);
	}

	private static String output(List<String> command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		process.getOutputStream().close();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		try {
			if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
				throw new IOException("%s: %s".formatted(String.join(" ", command), said.strip()));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
		return said;
	}

}
