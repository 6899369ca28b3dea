package io.github.vicinal.transport.uds;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statement about a call's execution is true, even while servers come and go under
 * load.
 */
@Timeout(60)
class UdsExecutionTests {

	private static final int CALLERS = 8;

	private static final int RESTARTS = 40;

	private static final int CALLS_PER_SERVER = 200;

	@Test
	void callsAreExecutedOnceOrNotAtAll() throws Exception {
		Map<String, AtomicInteger> executions = new ConcurrentHashMap<>();
		AtomicLong executed = new AtomicLong();
		AtomicBoolean stop = new AtomicBoolean();
		try (UdsFixture uds = new UdsFixture()) {
			Service service = Contracts.service(uds.contract, (frame) -> {
				executions.computeIfAbsent((String) frame.arguments()[0], (key) -> new AtomicInteger())
					.incrementAndGet();
				executed.incrementAndGet();
				return Contracts.value("done");
			});
			// The same id for all, which real servers never have, makes the pool meet
			// as many closed connections as possible.
			PeerIdentity identity = uds.identity();
			UdsOptions options = UdsOptions.builder().drainTimeout(Duration.ofSeconds(20)).build();
			UdsPathServer server = uds.server(identity, options, service);
			CallPath path = uds.connect(uds.provider(UdsOptions.defaults()), identity);
			List<CompletableFuture<Integer>> callers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				int caller = i;
				callers.add(Async.call(() -> callUntil(stop, uds, path, caller, executions)));
			}
			for (int i = 0; i < RESTARTS; i++) {
				long before = executed.get();
				Async.await(() -> executed.get() > before + CALLS_PER_SERVER);
				server.close();
				server = uds.server(identity, options, service);
			}
			stop.set(true);
			int successes = 0;
			for (CompletableFuture<Integer> caller : callers) {
				successes += caller.get();
			}
			assertThat(successes).isEqualTo(executed.get()).isGreaterThan(RESTARTS * CALLS_PER_SERVER);
		}
	}

	/** Returns how many calls succeeded. */
	private static int callUntil(AtomicBoolean stop, UdsFixture uds, CallPath path, int caller,
			Map<String, AtomicInteger> executions) {
		int successes = 0;
		for (int call = 0; !stop.get(); call++) {
			String id = caller + ":" + call;
			boolean answered = false;
			try {
				path.call(uds.call("join", id, 1));
				answered = true;
				successes++;
			}
			catch (PathException ex) {
				if (ex.maybeExecuted()) {
					throw new AssertionError("Nothing may be open, as servers drain", ex);
				}
			}
			AtomicInteger executed = executions.get(id);
			int times = (executed != null) ? executed.get() : 0;
			if (times != (answered ? 1 : 0)) {
				throw new AssertionError("%s was executed %d times, answered: %s".formatted(id, times, answered));
			}
		}
		return successes;
	}

}
