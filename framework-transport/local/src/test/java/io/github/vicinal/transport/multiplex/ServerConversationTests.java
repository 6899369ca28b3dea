package io.github.vicinal.transport.multiplex;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.WireLimits;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls of a client that is gone, at the server. */
class ServerConversationTests {

	private static final int CALLS = 200;

	private final WireLimits limits = new WireLimits(1 << 20, 10, 1000);

	private final ServerMetrics metrics = new ServerMetrics(LoggerFactory.getLogger(ServerConversationTests.class));

	private final ServerConversation conversation = new ServerConversation(
			new ServerCalls(new ServiceRegistry(), this.limits, this.metrics::refused), this.metrics, this.limits);

	/** Tasks that take a thread of the server each. */
	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private ArrivedFrame arrived(long correlation) {
		FrameHeader header = new FrameHeader();
		header.type = FrameType.CALL;
		header.correlation = correlation;
		return this.conversation.arrived(new ReceivedFrame(header, new byte[0]));
	}

	private static CallFrame call() {
		Contract contract = Contracts.of(EchoContract.class);
		return new CallFrame(contract, contract.methods().get(0), new Object[0], CallFrame.NO_DEADLINE, Map.of());
	}

	/** The threads are needed for calls of other clients. */
	@Test
	void oneThreadTellsTheHandlersOfAllCallsThatTheirClientIsGone() {
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		List<ArrivedFrame> frames = new ArrayList<>();
		List<CallFrame> calls = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			ArrivedFrame arrived = arrived(i);
			frames.add(arrived);
			if (i % 2 == 0) {
				CallFrame call = call();
				call.whenAbandoned(() -> threads.add(Thread.currentThread()));
				arrived.decoded(call);
				calls.add(call);
			}
		}
		this.conversation.ended(frames.get(0));
		this.conversation.clientGone(this.tasks::add);
		assertThat(this.tasks).hasSize(1);
		assertThat(calls).noneMatch(CallFrame::isAbandoned);
		this.tasks.remove().run();
		assertThat(this.tasks).isEmpty();
		assertThat(threads).containsExactly(Thread.currentThread());
		assertThat(calls.get(0).isAbandoned()).as("a call whose answer has left").isFalse();
		assertThat(calls.subList(1, calls.size())).allMatch(CallFrame::isAbandoned);
		// Those that are not decoded are not executed.
		assertThat(frames.subList(1, frames.size())).allMatch(ArrivedFrame::isCancelled);
		CallFrame late = call();
		frames.get(1).decoded(late);
		assertThat(late.isAbandoned()).isTrue();
	}

	@Test
	void aClientThatLeavesNoCallBehindTakesNoThread() {
		this.conversation.ended(arrived(1));
		this.conversation.clientGone(this.tasks::add);
		assertThat(this.tasks).isEmpty();
	}

}
