package io.github.vicinal.samples.trainticket.launch;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.samples.trainticket.FreePorts;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class LauncherTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"                                         | No service is chosen                   | --services=all",
			"--services=gateway,stations              | Unknown service 'stations'             | correct the name",
			"--plan=none.yml --group=a                | Plan 'none.yml' cannot be read         | correct --plan",
			"--plan=two                               | without --group                        | add --group",
			"--plan=two --group=third                 | no group 'third'                       | search, data",
			"--group=search                           | --group 'search' is given without      | add --plan",
			"--plan=two --group=data --services=all   | are both given                         | remove one",
			"--services=all --base-port=65530         | Base port 65530 is out of range        | --base-port",
			"--services=all --base-port=x             | 'x'                                    | --base-port",
			"--services=all --servces=x               | Unknown argument '--servces=x'         | --help",
			"--services=all extra                     | Unknown argument 'extra'               | --help",
			"bench --modes=spread                     | Unknown mode 'spread'                  | spread-http",
			"bench --modes=spred-http                 | Plan 'spred' cannot be read            | correct --plan",
			"bench --requests=slow                    | Unknown request 'slow'                 | correct --requests",
			"bench --rate=0                           | --rate is 0.0                          | --callers",
			"bench --callers=0                        | --callers is 0                         | open loop",
			"bench --duration=0                       | --duration is 0                        | larger",
			"bench --json=no/such/dir/x.json          | directory does not exist               | correct --json",
			"bench --java=no/such/java                | cannot be executed                     | correct --java" })
	@DisplayName("mistakes end with exit code 2, name value, rule and remedy, and show no stack trace")
	void mistakes(String arguments, String value, String remedy) {
		Outcome outcome = run((arguments != null) ? arguments.split(" ", -1) : new String[0]);

		assertThat(outcome.exitCode()).isEqualTo(2);
		assertThat(outcome.errors()).contains(value).contains(remedy).doesNotContain("\tat ");
	}

	@Test
	@DisplayName("a port in use is named with its service")
	void portInUse() throws Exception {
		int basePort = FreePorts.block(Service.values().length);
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(new InetSocketAddress("localhost", Service.TRAIN.port(basePort)));

			Outcome outcome = run("--services=station,train", "--base-port=" + basePort);

			assertThat(outcome.exitCode()).isEqualTo(2);
			assertThat(outcome.errors())
				.contains("Port " + Service.TRAIN.port(basePort) + " of service 'train' is in use")
				.contains("--base-port")
				.doesNotContain("\tat ");
		}
	}

	@Test
	@DisplayName("a child process stops when its standard input ends")
	void stopsAtEndOfInput() throws Exception {
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Launcher.class.getName(), "--services=station,train",
				"--stop-at-end-of-input", "--base-port=" + FreePorts.block(Service.values().length));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		try {
			process.getOutputStream().close();
			CompletableFuture<byte[]> output = CompletableFuture.supplyAsync(() -> read(process));

			assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
			assertThat(new String(output.get(10, TimeUnit.SECONDS), StandardCharsets.UTF_8))
				.contains("2 services run after");
			assertThat(process.exitValue()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static byte[] read(Process process) {
		try {
			return process.getInputStream().readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Outcome run(String... arguments) {
		StringWriter out = new StringWriter();
		StringWriter err = new StringWriter();
		CommandLine commandLine = Launcher.commandLine();
		commandLine.setOut(new PrintWriter(out));
		commandLine.setErr(new PrintWriter(err));
		int exitCode = commandLine.execute(arguments);
		return new Outcome(exitCode, err.toString());
	}

	private record Outcome(int exitCode, String errors) {
	}

}
