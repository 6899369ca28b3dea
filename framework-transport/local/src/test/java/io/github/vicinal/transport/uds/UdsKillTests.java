package io.github.vicinal.transport.uds;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.SocketFile;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The server's process dies. */
@Timeout(60)
@Tag("deep")
class UdsKillTests {

	@RepeatedTest(6)
	void killedPeerEndsItsCallsAtOnce() throws Exception {
		try (UdsFixture uds = new UdsFixture(); ChildServer child = ChildServer.start(uds.directory, uds.identity())) {
			CallPath path = uds.connect(uds.provider(UdsOptions.defaults()), child.identity());
			CompletableFuture<PathException> failure = new CompletableFuture<>();
			Thread caller = new Thread(() -> failure
				.complete(catchThrowableOfType(PathException.class, () -> path.call(uds.call("join", "hang", 1)))));
			caller.start();
			child.await("called");
			child.process().destroyForcibly();
			PathException ex = failure.get(20, TimeUnit.SECONDS);
			assertThat(ex.reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(ex.maybeExecuted()).isTrue();
			child.process().waitFor();
			PathException next = catchThrowableOfType(PathException.class, () -> path.call(uds.call("join", "a", 1)));
			assertThat(next.reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(next.maybeExecuted()).isFalse();
			assertThat(path.isOpen()).isFalse();
		}
	}

	@Test
	void idleConnectionOfAKilledPeerSaysThatNothingWasExecuted() throws Exception {
		try (UdsFixture uds = new UdsFixture(); ChildServer child = ChildServer.start(uds.directory, uds.identity())) {
			CallPath path = uds.connect(uds.provider(UdsOptions.defaults()), child.identity());
			assertThat(UdsFixture.value(path, uds.call("join", "a", 1))).isEqualTo("a");
			child.process().destroyForcibly().waitFor();
			PathException next = catchThrowableOfType(PathException.class, () -> path.call(uds.call("join", "a", 1)));
			assertThat(next.reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(next.maybeExecuted()).isFalse();
			assertThat(path.isOpen()).isFalse();
			// The next server sweeps the leftovers of the dead process.
			assertThat(SocketFile.of(uds.directory, child.identity().instanceId(), SocketFile.CALLS)).exists();
			// Its end waits for the sweep, which runs in the background.
			uds.server(uds.identity(), UdsOptions.defaults()).close();
			assertThat(SocketFile.of(uds.directory, child.identity().instanceId(), SocketFile.CALLS)).doesNotExist();
		}
	}

}
