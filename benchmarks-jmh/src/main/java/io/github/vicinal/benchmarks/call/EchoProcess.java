package io.github.vicinal.benchmarks.call;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.vicinal.benchmarks.BenchJvm;

/** The server in a JVM of its own, which ends with this one. */
public final class EchoProcess implements AutoCloseable {

	private final Process process;

	private final String port;

	private EchoProcess(Process process, String port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Starts the server.
	 * @return the running server
	 * @throws IOException if it does not start
	 */
	public static EchoProcess start() throws IOException {
		return start(EchoSecurity.NONE);
	}

	static EchoProcess start(EchoSecurity security) throws IOException {
		List<String> command = BenchJvm.command(List.of(), EchoServer.COMMAND, security.name());
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.startsWith(EchoServer.READY)) {
				return new EchoProcess(process, line.substring(EchoServer.READY.length()).strip());
			}
			System.err.println(line);
		}
		throw new IOException("The server ended before it was ready");
	}

	/**
	 * Returns the process id.
	 * @return the id
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Returns the port of HTTP.
	 * @return a number
	 */
	public String port() {
		return this.port;
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
	}

}
