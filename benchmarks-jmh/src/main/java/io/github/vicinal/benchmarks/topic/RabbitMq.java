package io.github.vicinal.benchmarks.topic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * RabbitMQ with its plugin for MQTT, from Debian packages that are unpacked and not
 * installed.
 *
 * @param root the directory that stands for the root of the file system
 */
record RabbitMq(Path root) {

	private static final List<String> PACKAGES = List.of("rabbitmq-server", "erlang-base", "erlang-asn1",
			"erlang-crypto", "erlang-eldap", "erlang-inets", "erlang-mnesia", "erlang-os-mon", "erlang-parsetools",
			"erlang-public-key", "erlang-runtime-tools", "erlang-ssl", "erlang-syntax-tools", "erlang-tools",
			"erlang-xmerl");

	private static final String ERLANG = "usr/lib/erlang";

	/**
	 * Fetches the broker.
	 * @param directory where packages are unpacked; the caller's
	 */
	static RabbitMq fetch(Path directory) throws IOException, InterruptedException {
		Path root = DebianPackages.unpack(Files.createDirectories(directory), PACKAGES);
		try (var files = Files.walk(root.resolve(ERLANG))) {
			// This script names the place where the package would be installed.
			for (Path script : files.filter((file) -> file.endsWith("bin/erl")).toList()) {
				Files.writeString(script,
						Files.readString(script).replace("ROOTDIR=/usr/lib/erlang", "ROOTDIR=" + root.resolve(ERLANG)));
			}
		}
		return new RabbitMq(root);
	}

	/**
	 * Starts the broker; what it says is left.
	 * @param directory for its files; the caller's
	 * @param port where it takes MQTT
	 * @param others ports for other protocols, three of them
	 */
	Process start(Path directory, int port, int[] others) throws IOException {
		Files.writeString(directory.resolve("rabbitmq.conf"), """
				listeners.tcp.1 = 127.0.0.1:%d
				mqtt.listeners.tcp.1 = 127.0.0.1:%d
				mqtt.allow_anonymous = true
				""".formatted(others[0], port));
		Files.writeString(directory.resolve("enabled"), "[rabbitmq_mqtt].\n");
		ProcessBuilder builder = new ProcessBuilder(server().toString()).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		Map<String, String> environment = builder.environment();
		environment.merge("PATH", this.root.resolve(ERLANG) + "/bin", (path, own) -> own + ":" + path);
		environment.putAll(Map.of("HOME", directory.toString(), "RABBITMQ_NODENAME", "bench" + port + "@localhost",
				"RABBITMQ_CONFIG_FILE", directory + "/rabbitmq", "RABBITMQ_MNESIA_BASE", directory + "/mnesia",
				"RABBITMQ_LOG_BASE", directory + "/log", "RABBITMQ_ENABLED_PLUGINS_FILE", directory + "/enabled",
				"RABBITMQ_CONF_ENV_FILE", directory + "/none", "RABBITMQ_PID_FILE", directory + "/pid"));
		// By default a dump lies where the command was called.
		environment.put("ERL_CRASH_DUMP", directory + "/erl_crash.dump");
		environment.putAll(Map.of("RABBITMQ_DIST_PORT", String.valueOf(others[1]), "ERL_EPMD_PORT",
				String.valueOf(others[2]), "ERL_EPMD_ADDRESS", "127.0.0.1"));
		return builder.start();
	}

	private Path server() throws IOException {
		try (var files = Files.walk(this.root.resolve("usr/lib/rabbitmq/lib"))) {
			return files.filter((file) -> file.endsWith("sbin/rabbitmq-server"))
				.findFirst()
				.orElseThrow(() -> new IOException("The package of RabbitMQ has no sbin/rabbitmq-server"));
		}
	}

	/** Returns the process that does the work, which a script has started. */
	Optional<ProcessHandle> worker() {
		return own("beam.smp").findFirst();
	}

	/** Ends all that was started, also what has left its parent. */
	void end() {
		own("").forEach((process) -> {
			process.destroyForcibly();
			process.onExit().join();
		});
	}

	private Stream<ProcessHandle> own(String name) {
		return ProcessHandle.allProcesses()
			.filter((process) -> process.info()
				.command()
				.filter((command) -> command.startsWith(this.root + "/") && command.endsWith(name))
				.isPresent());
	}

}
