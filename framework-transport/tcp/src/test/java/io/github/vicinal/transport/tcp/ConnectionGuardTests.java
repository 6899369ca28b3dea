package io.github.vicinal.transport.tcp;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a guard does to its connection, in virtual time. */
class ConnectionGuardTests {

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	private static final Duration PING_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration FRAME_TIMEOUT = Duration.ofSeconds(8);

	private static final long PERIOD_MILLIS = FRAME_TIMEOUT.toMillis() / 4;

	private final TcpOptions options = TcpOptions.builder()
		.pings(INTERVAL, PING_TIMEOUT)
		.frameTimeout(FRAME_TIMEOUT)
		.build();

	private final FrameDecoder decoder = new FrameDecoder(this.options.limits());

	private final Connection connection = new Connection();

	private final ConnectionGuard guard = new ConnectionGuard(this.options, this.decoder, this.connection, true);

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final GuardTicker ticker = new GuardTicker(this.channel.eventLoop(),
			ConnectionGuard.periodNanos(this.options), ConnectionGuard.sleepNanos(this.options));

	/** Number of times at which the loop had to do something. */
	private int wakeUps;

	private void begin() {
		this.channel.freezeTime();
		this.channel.pipeline().addLast(this.guard, this.decoder);
		this.guard.begin(this.channel, this.ticker);
	}

	private static ByteBuf frame(FrameType type) {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		FrameDescriptor.end(out, FrameDescriptor.begin(out), type);
		return Unpooled.wrappedBuffer(out.array(), 0, out.size());
	}

	private void pass(Duration time) {
		for (long i = 0; i < time.toMillis(); i++) {
			long next = this.channel.runScheduledPendingTasks();
			this.wakeUps += (next == TimeUnit.MILLISECONDS.toNanos(1)) ? 1 : 0;
			this.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
		}
		this.channel.runScheduledPendingTasks();
	}

	private int pings() {
		int pings = 0;
		for (ByteBuf out = this.channel.readOutbound(); out != null; out = this.channel.readOutbound()) {
			pings++;
			out.release();
		}
		return pings;
	}

	@Test
	void anIdlePeerIsAskedAfterFourIntervalsAndHardlyWakesTheLoop() {
		begin();
		Duration time = INTERVAL.multipliedBy(ConnectionGuard.IDLE_INTERVALS);
		pass(time.minusMillis(1));
		assertThat(pings()).isZero();
		pass(Duration.ofMillis(2 * PERIOD_MILLIS));
		assertThat(pings()).isEqualTo(1);
		this.channel.writeInbound(frame(FrameType.PONG));
		pass(time.minusMillis(1));
		assertThat(pings()).isZero();
		pass(Duration.ofMillis(2 * PERIOD_MILLIS));
		assertThat(pings()).isEqualTo(1);
		assertThat(this.wakeUps).isLessThan(20);
		assertThat(this.connection.ends).isEmpty();
	}

	@Test
	void anIdlePeerThatDoesNotAnswerIsGone() {
		begin();
		pass(INTERVAL.multipliedBy(ConnectionGuard.IDLE_INTERVALS).plusMillis(2 * PERIOD_MILLIS));
		assertThat(pings()).isEqualTo(1);
		assertThat(this.connection.ends).isEmpty();
		pass(PING_TIMEOUT.plusMillis(PERIOD_MILLIS));
		assertThat(this.connection.ends).containsExactly("gone: did not answer a ping within 10000 ms");
	}

	@Test
	void aFrameThatBeginsWhileTheGuardSleepsHasItsDeadline() {
		begin();
		pass(INTERVAL.multipliedBy(2));
		ByteBuf frame = frame(FrameType.PONG);
		this.channel.writeInbound(frame.readRetainedSlice(1));
		pass(FRAME_TIMEOUT.minusMillis(1));
		assertThat(this.connection.ends).isEmpty();
		pass(Duration.ofMillis(PERIOD_MILLIS + 1));
		assertThat(this.connection.ends.get(0)).isEqualTo("stalled: the rest of a frame did not arrive within 8000 ms");
		frame.release();
	}

	@Test
	void aCallThatBeginsWhileTheGuardSleepsHasASilentPeerAskedWithinAPeriod() {
		begin();
		pass(INTERVAL.multipliedBy(3));
		this.connection.awaited = true;
		this.channel.writeOutbound(Unpooled.wrappedBuffer(new byte[1]));
		assertThat(pings()).as("the call").isEqualTo(1);
		pass(Duration.ofMillis(PERIOD_MILLIS));
		assertThat(pings()).isEqualTo(1);
		pass(PING_TIMEOUT.plusMillis(PERIOD_MILLIS));
		assertThat(this.connection.ends).containsExactly("gone: did not answer a ping within 10000 ms");
	}

	/** Time passes at once, as for a process that is suspended. */
	@Test
	void aProcessThatWasSuspendedGrantsDeadlinesAnew() {
		begin();
		pass(INTERVAL.multipliedBy(2));
		ByteBuf frame = frame(FrameType.PONG);
		this.channel.writeInbound(frame.readRetainedSlice(1));
		this.channel.advanceTimeBy(1, TimeUnit.HOURS);
		this.channel.runScheduledPendingTasks();
		assertThat(this.connection.ends).isEmpty();
		this.channel.writeInbound(frame);
		pass(INTERVAL);
		assertThat(this.connection.ends).isEmpty();
		this.channel.advanceTimeBy(1, TimeUnit.HOURS);
		pass(Duration.ofMillis(2 * PERIOD_MILLIS));
		assertThat(this.connection.ends).as("asked first").isEmpty();
		assertThat(pings()).isEqualTo(1);
	}

	@Test
	void aPeerThatIsPausedWhileTheGuardSleepsIsStillAsked() {
		begin();
		pass(INTERVAL.multipliedBy(2));
		this.guard.pause();
		pass(Duration.ofMillis(PERIOD_MILLIS));
		assertThat(pings()).isEqualTo(1);
		this.guard.resume();
		pass(INTERVAL.multipliedBy(2));
		assertThat(pings()).isZero();
		assertThat(this.connection.ends).isEmpty();
	}

	private final class Connection implements ConnectionGuard.Owner {

		private final List<String> ends = new ArrayList<>();

		private boolean awaited;

		@Override
		public boolean awaited() {
			return this.awaited;
		}

		@Override
		public void stalled(String text) {
			this.ends.add("stalled: " + text);
			ConnectionGuardTests.this.guard.end();
		}

		@Override
		public void gone(String text) {
			this.ends.add("gone: " + text);
			ConnectionGuardTests.this.guard.end();
		}

	}

}
