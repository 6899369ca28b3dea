package io.github.vicinal.transport.multiplex;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PendingCallsTests {

	private static final WireLimits LIMITS = new WireLimits(1 << 20, 10, 1000);

	private final PendingCalls calls = new PendingCalls("the peer");

	private final PendingCall call = this.calls.add(() -> true);

	private static ReceivedFrame frame(FrameType type, long correlation, byte... body) throws WireException {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(body, 0, body.length);
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.end(out, start, type);
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(out.array(), out.size(), header, LIMITS);
		return new ReceivedFrame(header, out.array());
	}

	/** Otherwise it would wait for ever. */
	@Test
	void aCallWhoseRefusalCannotBeReadFailsWithTheConnection() throws WireException {
		ReceivedFrame refused = frame(FrameType.REFUSED, this.call.correlation(), (byte) 0x7f, (byte) 0xff);
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> this.calls.answered(refused));
		assertThat(this.calls.isEmpty()).isFalse();
		this.calls.failAll(Refusal.MALFORMED, "an answer that is none");
		assertThat(this.call.answer()).isCompletedExceptionally();
		assertThat(this.calls.isEmpty()).isTrue();
	}

	@Test
	void anAnswerToACallThatThereIsNotIsRefused() throws WireException {
		for (long correlation : new long[] { 0, -1, 2, Long.MAX_VALUE }) {
			ReceivedFrame answer = frame(FrameType.REPLY_VALUE, correlation);
			assertThatExceptionOfType(WireException.class).isThrownBy(() -> this.calls.answered(answer));
		}
		assertThat(this.call.answer()).isNotDone();
	}

	@Test
	void aLateAnswerIsIgnored() throws WireException {
		this.calls.expire(this.call);
		assertThat(this.calls.answered(frame(FrameType.REPLY_VALUE, this.call.correlation()))).isNull();
		assertThat(this.call.answer()).isCompletedExceptionally();
	}

	@Test
	void whoeverGivesUpSaysSoOnce() throws Exception {
		List<PendingCall> givenUp = new ArrayList<>();
		PendingCall abandoned = this.calls.add(() -> true, givenUp::add);
		PendingCall expired = this.calls.add(() -> true, givenUp::add);
		PendingCall answered = this.calls.add(() -> true, givenUp::add);
		PendingCall failed = this.calls.add(() -> true, givenUp::add);
		PendingCall waited = this.calls.add(() -> true, givenUp::add);
		PendingCall interrupted = this.calls.add(() -> true, givenUp::add);
		this.calls.abandon(abandoned);
		this.calls.abandon(abandoned);
		this.calls.expire(expired);
		this.calls.answered(frame(FrameType.REPLY_VALUE, answered.correlation()));
		assertThatExceptionOfType(ConnectionException.class)
			.isThrownBy(() -> this.calls.await(waited, System.nanoTime()))
			.returns(Reason.TIMEOUT, ConnectionException::reason);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(ConnectionException.class)
			.isThrownBy(() -> this.calls.await(interrupted, CallFrame.NO_DEADLINE))
			.returns(Reason.INTERRUPTED, ConnectionException::reason);
		assertThat(Thread.interrupted()).isTrue();
		this.calls.peerGone("is gone");
		for (PendingCall call : List.of(abandoned, expired, answered, failed)) {
			this.calls.abandon(call);
			this.calls.expire(call);
		}
		assertThat(givenUp).containsExactly(abandoned, expired, waited, interrupted);
	}

	@Test
	void aCallThatIsTakenBackWasNotExecuted() {
		AtomicBoolean begun = new AtomicBoolean(true);
		PendingCall withdrawn = this.calls.add(begun::get, (call) -> begun.set(false));
		this.calls.abandon(withdrawn);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> withdrawn.answer().get())
			.withCauseInstanceOf(ConnectionException.class)
			.satisfies((ex) -> assertThat(((ConnectionException) ex.getCause()).maybeExecuted()).isFalse());
	}

	/**
	 * A client can then repeat all calls that are on their way, not only idempotent ones.
	 */
	@Test
	void theLastFrameSaysWhichCallsMayHaveBeenExecuted() throws Exception {
		PendingCall read = this.calls.add(() -> true);
		PendingCall bind = this.calls.add(() -> false);
		ByteBuffer named = ByteBuffer.allocate(24)
			.putLong(read.correlation())
			.putLong(bind.correlation())
			.putLong(Long.MIN_VALUE);
		this.calls.closed(frame(FrameType.GOODBYE, 0, named.array()), "closed the connection");
		assertThat(this.calls.isEmpty()).isTrue();
		assertThat(executed(read)).isTrue();
		assertThat(executed(this.call)).isFalse();
		assertThat(executed(bind)).isFalse();
	}

	private static boolean executed(PendingCall call) throws Exception {
		try {
			throw new AssertionError(call.answer().get());
		}
		catch (ExecutionException ex) {
			ConnectionException failure = (ConnectionException) ex.getCause();
			assertThat(failure.reason()).isEqualTo(Reason.PEER_GONE);
			return failure.maybeExecuted();
		}
	}

	@Test
	void aLastFrameThatCannotBeReadNamesNothing() throws Exception {
		ReceivedFrame broken = frame(FrameType.GOODBYE, 0, new byte[9]);
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> this.calls.closed(broken, "closed"));
		assertThat(this.call.answer()).isNotDone();
	}

}
