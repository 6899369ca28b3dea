package io.github.vicinal.benchmarks.call;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
		List<String> command = new ArrayList<>(command());
		command.add(security.name());
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

	/** The command that runs this program again. */
	static List<String> command() {
		return command(EchoServer.COMMAND);
	}

	static List<String> command(String first) {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String classPath = System.getProperty("java.class.path");
		if (!classPath.contains(File.pathSeparator) && classPath.endsWith(".jar")) {
			return List.of(java, "-jar", classPath, first);
		}
		return List.of(java, "-cp", classPath, "io.github.vicinal.benchmarks.Bench", first);
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
