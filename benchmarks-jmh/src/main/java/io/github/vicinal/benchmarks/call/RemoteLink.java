package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Link between client and server: the loopback interface, or a pair of virtual network
 * devices of which the server's is in a network namespace of its own.
 *
 * @param name how figures call it
 * @param server the server's address
 * @param client the client's address
 * @param prefix what a command of the server begins with
 * @param namespace the namespace, empty for none
 */
record RemoteLink(String name, String server, String client, List<String> prefix,
		String namespace) implements AutoCloseable {

	static RemoteLink loopback() {
		return new RemoteLink("loopback", "127.0.0.1", "127.0.0.1", List.of(), "");
	}

	/** Makes a pair of devices, which needs root. */
	static RemoteLink veth() throws IOException {
		String namespace = "vicinalbench" + ProcessHandle.current().pid();
		// Names of devices have up to 15 characters.
		String device = "vcnl" + ProcessHandle.current().pid();
		RemoteLink link = new RemoteLink("veth", "10.214.0.2", "10.214.0.1", List.of("ip", "netns", "exec", namespace),
				namespace);
		try {
			run("ip netns add " + namespace);
			run("ip link add %s type veth peer name wire netns %s".formatted(device, namespace));
			run("ip addr add 10.214.0.1/24 dev " + device);
			run("ip link set %s up".formatted(device));
			run("ip -n %s link set lo up".formatted(namespace));
			run("ip -n %s addr add 10.214.0.2/24 dev wire".formatted(namespace));
			run("ip -n %s link set wire up".formatted(namespace));
			return link;
		}
		catch (IOException ex) {
			link.close();
			throw ex;
		}
	}

	private static void run(String command) throws IOException {
		Process process = new ProcessBuilder(new ArrayList<>(List.of(command.split(" ")))).redirectErrorStream(true)
			.start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		try {
			if (process.waitFor() != 0) {
				throw new IOException("%s: %s".formatted(command, said.strip()));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		if (!this.namespace.isEmpty()) {
			// The devices go with it.
			run("ip netns delete " + this.namespace);
		}
	}

}
