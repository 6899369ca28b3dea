package io.github.vicinal.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.testkit.KitEnvironment.Ending;
import io.github.vicinal.testkit.contract.TimingContract;
import io.github.vicinal.testkit.contract.VolumeContract;
import io.github.vicinal.testkit.contract.VolumeContract.Load;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers go away and come back. Calls fail or succeed, but never hang and are never
 * executed twice.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
abstract class RestartBehaviours extends Behaviours {

	@Test
	@DisplayName("a call whose server is stopped in the middle ends, and was executed once")
	void stoppedInMidCall(@TempDir Path directory) throws Exception {
		endInMidCall(Ending.ORDERLY, directory.resolve("journal"));
	}

	@Test
	@DisplayName("a call whose server dies in the middle ends, and was executed once")
	void killedInMidCall(@TempDir Path directory) throws Exception {
		endInMidCall(Ending.ABRUPT, directory.resolve("journal"));
	}

	@Test
	@DisplayName("calls while the server is away fail as over HTTP and are not executed later")
	void serverAway(@TempDir Path directory) throws Exception {
		Path journal = directory.resolve("journal");
		TimingContract proxy = path(TimingContract.class);
		kit().environment().stopServer(Ending.ORDERLY);
		Outcome expected;
		Outcome actual;
		try {
			expected = kit().outcome(() -> write(http(TimingContract.class), journal));
			actual = kit().outcome(() -> write(proxy, journal));
		}
		finally {
			kit().environment().startServer();
		}
		expected.failure(ResourceAccessException.class);
		actual.failure(ResourceAccessException.class);
		path(TimingContract.class);
		assertThat(journal).doesNotExist();
	}

	@Test
	@DisplayName("a proxy survives a restart and finds back to the path")
	void callsAfterRestart() {
		VolumeContract proxy = path(VolumeContract.class);
		for (int i = 0; i < 2; i++) {
			kit().environment().stopServer(Ending.ORDERLY);
			kit().environment().startServer();
			assertThat(path(VolumeContract.class)).isSameAs(proxy);
			assertThat(same(VolumeContract.class, (client) -> client.sum(new Load(1, "after"))).returned()).isTrue();
		}
	}

	@Test
	@DisplayName("calls from several threads during a restart end, fail only with I/O, and are executed at most once")
	void callsDuringRestart(@TempDir Path directory) throws Exception {
		Path journal = directory.resolve("journal");
		Files.createFile(journal);
		TimingContract proxy = path(TimingContract.class);
		AtomicBoolean stop = new AtomicBoolean();
		CompletableFuture<?>[] callers = new CompletableFuture<?>[4];
		Set<String> answered = ConcurrentHashMap.newKeySet();
		CountDownLatch running = new CountDownLatch(callers.length);
		for (int i = 0; i < callers.length; i++) {
			callers[i] = CompletableFuture.runAsync(() -> {
				running.countDown();
				while (!stop.get()) {
					String gate = newGate();
					try {
						proxy.writeAndWaitAt(gate, journal.toString(), false);
						answered.add(gate);
					}
					catch (RestClientException ex) {
						Thread.onSpinWait();
					}
				}
			}, (task) -> new Thread(task, "kit-restart-caller").start());
		}
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		kit().environment().stopServer(Ending.ORDERLY);
		kit().environment().startServer();
		stop.set(true);
		CompletableFuture.allOf(callers).get(60, TimeUnit.SECONDS);
		assertThat(Files.readAllLines(journal)).doesNotHaveDuplicates().containsAll(answered);
		assertThat(path(TimingContract.class).ping()).isEqualTo("timing");
	}

	@Test
	@DisplayName("a proxy that is made while the server is away works when it comes back")
	void proxyMadeWhileServerIsAway() {
		kit().environment().stopServer(Ending.ORDERLY);
		VolumeContract proxy;
		try {
			proxy = kit().environment().onPath(VolumeContract.class, KitClient.BLOCKING);
			assertThat(kit().outcome(proxy::ping).returned()).isFalse();
		}
		finally {
			kit().environment().startServer();
		}
		kit().warm(VolumeContract.class.getName(), proxy::ping, kit().environment().expectedPath());
		assertThat(proxy.ping()).isEqualTo("volume");
	}

	private void endInMidCall(Ending ending, Path journal) throws Exception {
		TimingContract proxy = path(TimingContract.class);
		String gate = newGate();
		CompletableFuture<Outcome> call = CompletableFuture.supplyAsync(
				() -> kit().outcome(() -> proxy.writeAndWaitAt(gate, journal.toString(), true)),
				(task) -> new Thread(task, "kit-mid-call").start());
		assertThat(control().awaitArrival(gate)).isTrue();
		Outcome outcome;
		try {
			kit().environment().stopServer(ending);
			outcome = call.get(60, TimeUnit.SECONDS);
		}
		finally {
			kit().environment().startServer();
		}
		if (outcome.returned()) {
			assertThat(outcome.value()).isEqualTo("passed");
		}
		else {
			outcome.failure(RestClientException.class);
		}
		assertThat(path(TimingContract.class).ping()).isEqualTo("timing");
		assertThat(Files.readAllLines(journal)).containsExactly(gate);
	}

	private static String write(TimingContract client, Path journal) throws IOException {
		return client.writeAndWaitAt("away", journal.toString(), false);
	}

}
