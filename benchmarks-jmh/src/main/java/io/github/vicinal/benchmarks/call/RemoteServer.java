package io.github.vicinal.benchmarks.call;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.BenchJvm;
import io.grpc.Server;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * The server of {@link RemoteMeasurement} in a JVM of its own, which ends with this one.
 */
public final class RemoteServer implements AutoCloseable {

	/** The first argument that makes a JVM this server. */
	public static final String COMMAND = "remote-server";

	private static final String READY = "remote-server ready on ports ";

	private final Process process;

	private final BufferedReader lines;

	private final String host;

	private final int[] ports;

	private RemoteServer(Process process, BufferedReader lines, String host, int[] ports) {
		this.process = process;
		this.lines = lines;
		this.host = host;
		this.ports = ports;
	}

	/**
	 * Serves until standard input ends.
	 * @param arguments the command, the file of keys, and properties
	 * @throws Exception if it cannot serve
	 */
	public static void main(String[] arguments) throws Exception {
		RemoteKeys keys = new RemoteKeys(Path.of(arguments[1]));
		Map<String, Object> properties = new HashMap<>(Map.of("server.port", "0"));
		for (int i = 2; i < arguments.length; i++) {
			int equals = arguments[i].indexOf('=');
			properties.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
		}
		Server grpc = RemoteGrpc.serve(null);
		Server encrypted = RemoteGrpc.serve(keys);
		try (ConfigurableApplicationContext context = Contexts.start(EchoServer.Application.class, true, properties)) {
			System.out.println(READY + EchoServer.port(context) + " " + grpc.getPort() + " " + encrypted.getPort());
			System.out.flush();
			while (System.in.read() >= 0) {
				// Whatever is said asks for the memory in use.
				System.gc();
				long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
				for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
					used += pool.getMemoryUsed();
				}
				System.out.println(used);
				System.out.flush();
			}
		}
		finally {
			grpc.shutdownNow();
			encrypted.shutdownNow();
		}
	}

	/** Starts a server. */
	static RemoteServer start(RemoteLink link, RemoteKeys keys, Map<String, Object> properties) throws IOException {
		List<String> command = new ArrayList<>(link.prefix());
		command.addAll(BenchJvm.command(List.of(), COMMAND, keys.file().toString()));
		properties.forEach((key, value) -> command.add(key + "=" + value));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(READY)) {
				String[] ports = line.substring(READY.length()).strip().split(" ");
				return new RemoteServer(process, lines, link.server(), new int[] { Integer.parseInt(ports[0]),
						Integer.parseInt(ports[1]), Integer.parseInt(ports[2]) });
			}
			System.err.println(line);
		}
		throw new IOException("The server ended before it was ready");
	}

	/** The process that serves: commands that change the namespace replace themselves. */
	long pid() {
		return this.process.pid();
	}

	String url() {
		return "http://" + this.host + ":" + this.ports[0];
	}

	/** Returns the bytes of heap and buffers in use after a collection. */
	long usedBytes() throws IOException {
		this.process.getOutputStream().write('m');
		this.process.getOutputStream().flush();
		String line = this.lines.readLine();
		if (line == null) {
			throw new IOException("The server has ended");
		}
		return Long.parseLong(line);
	}

	/** Returns the bytes of memory that the process has. */
	long residentBytes() throws IOException {
		for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status"))) {
			if (line.startsWith("VmRSS:")) {
				return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
			}
		}
		throw new IOException("The kernel does not say how much memory the server has");
	}

	int grpcPort(boolean encrypted) {
		return encrypted ? this.ports[2] : this.ports[1];
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

}
