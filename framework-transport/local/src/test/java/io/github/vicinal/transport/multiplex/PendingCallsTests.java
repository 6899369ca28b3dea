package io.github.vicinal.transport.multiplex;

import io.github.vicinal.codec.EncodeBuffer;
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

}
