package io.github.vicinal.samples.trainticket;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.vicinal.samples.trainticket.launch.Launcher;
import io.github.vicinal.samples.trainticket.launch.RunningServices;
import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.samples.trainticket.launch.UsageException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class TrainTicketTests {

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
			"demo --seconds=0                         | --seconds is 0                         | larger",
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
	@DisplayName("a port that is taken after it was found free is named with its service")
	void portTakenMeanwhile() throws Exception {
		int basePort = FreePorts.block(Service.values().length);
		int port = Service.STATION.port(basePort);
		AtomicInteger asked = new AtomicInteger();
		try (ServerSocket socket = new ServerSocket()) {
			// Asked first for the check, then for the start.
			Function<Service, String> host = (service) -> {
				if (asked.incrementAndGet() == 2) {
					assertThatNoException().isThrownBy(() -> socket.bind(new InetSocketAddress("localhost", port)));
				}
				return "localhost";
			};

			assertThatExceptionOfType(UsageException.class)
				.isThrownBy(() -> RunningServices.start(List.of(Service.STATION), basePort, host, List.of()))
				.withMessageContaining("Port " + port + " of service 'station' is in use");
		}
	}

	@Test
	@Timeout(120)
	@DisplayName("a child process stops when its standard input ends")
	void stopsAtEndOfInput() throws Exception {
		Process process = child();
		try (BufferedReader output = process.inputReader()) {
			assertThat(output.lines().filter((line) -> line.contains("2 services run after")).findFirst()).isPresent();
			process.getOutputStream().close();

			assertThat(process.waitFor()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	@Test
	@Timeout(120)
	@DisplayName("a child process stops even if its standard input ends while it starts")
	void stopsWhileStarting() throws Exception {
		Process process = child();
		try {
			process.getOutputStream().close();

			assertThat(process.waitFor()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static Process child() throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Launcher.class.getName(), "--services=station,train",
				"--stop-at-end-of-input", "--base-port=" + FreePorts.block(Service.values().length))
			.redirectErrorStream(true)
			.start();
	}

	private static Outcome run(String... arguments) {
		StringWriter out = new StringWriter();
		StringWriter err = new StringWriter();
		CommandLine commandLine = TrainTicket.commandLine(() -> {
		});
		commandLine.setOut(new PrintWriter(out));
		commandLine.setErr(new PrintWriter(err));
		int exitCode = commandLine.execute(arguments);
		return new Outcome(exitCode, err.toString());
	}

	private record Outcome(int exitCode, String errors) {
	}

}
