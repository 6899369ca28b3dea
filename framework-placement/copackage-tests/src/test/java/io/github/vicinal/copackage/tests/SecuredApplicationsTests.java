package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.testing.DeepTests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that only HTTP can express, between two applications with a security chain and
 * filters: they have the same outcome, and come by no socket.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SecuredApplicationsTests {

	private static final List<String> REQUESTS = List.of("path=/secret/key&user=keeper", "path=/secret/key&user=guest",
			"path=/secret/key", "path=/secret/key&user=thief", "path=/stream&user=guest", "path=/nothing&user=keeper",
			"path=/count&user=guest&bytes=300000", "path=/count&bytes=300000", "path=/secret/a%252Fb&user=keeper");

	@TempDir
	private Path directory;

	private final int clerk = RunningLayout.freePort();

	private final int vault = RunningLayout.freePort();

	private RunningLayout start(Hoist hoist, String... clerkArguments) throws IOException {
		List<String> arguments = new ArrayList<>(List.of("--server.port=" + this.clerk,
				"--spring.application.name=clerk", "--peer.url=http://localhost:" + this.vault));
		arguments.addAll(List.of(clerkArguments));
		return RunningLayout.start(this.directory,
				Map.of("clerk", arguments, "vault",
						List.of("--server.port=" + this.vault, "--spring.application.name=vault",
								"--peer.url=http://localhost:" + this.clerk)),
				hoist, List.of("vault=" + RunningLayout.jar("guard"), "clerk=" + RunningLayout.jar("guard")));
	}

	private Map<String, String> outcomes(RunningLayout running) throws IOException {
		Map<String, String> outcomes = new LinkedHashMap<>();
		for (String request : REQUESTS) {
			outcomes.put(request, running.get(this.clerk, "/ask?" + request));
		}
		return outcomes;
	}

	private void awaitNoSocket(RunningLayout running) {
		running.await(() -> {
			try {
				return running.get(this.clerk, "/ask?path=/port&user=guest").contains("\"body\":\"none\"");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, "request without a socket");
	}

	@Test
	void requestsWithoutASocketHaveTheOutcomeThatTheyHaveOverHttp() throws IOException {
		Map<String, String> overHttp;
		try (RunningLayout running = start(Hoist.STATELESS, "--vicinal.enabled=false")) {
			running.until("[launcher] clerk runs after");
			assertThat(running.get(this.clerk, "/ask?path=/port&user=guest")).contains("\"body\":\"socket\"");
			overHttp = outcomes(running);
		}
		assertThat(overHttp.values()).satisfiesExactly(
				(key) -> assertThat(key).contains("\"status\":200", "ROLE_KEEPER"),
				(guest) -> assertThat(guest).contains("\"status\":403"),
				(nobody) -> assertThat(nobody).contains("\"status\":401", "Basic realm"),
				(thief) -> assertThat(thief).contains("\"status\":401"),
				(stream) -> assertThat(stream).contains("\"status\":200", "bytes, hash"),
				(nothing) -> assertThat(nothing).contains("\"status\":404"),
				(count) -> assertThat(count).contains("\"body\":\"300000\""),
				(count) -> assertThat(count).contains("\"status\":401"),
				(slash) -> assertThat(slash).contains("\"status\":400"));
		assertThat(overHttp.values()).allMatch((outcome) -> outcome.contains("\"marked-by\":[\"vault\"]"));
		for (Hoist hoist : DeepTests.areRun() ? List.of(Hoist.STATELESS, Hoist.KNOWN) : List.of(Hoist.KNOWN)) {
			try (RunningLayout running = start(hoist)) {
				running.until("[launcher] clerk runs after");
				awaitNoSocket(running);
				assertThat(outcomes(running)).containsExactlyEntriesOf(overHttp);
				awaitNoSocket(running);
				assertThat(running.command("restart vault")).contains("running");
				assertThat(outcomes(running)).containsExactlyEntriesOf(overHttp);
				awaitNoSocket(running);
			}
		}
	}

}
