package io.github.vicinal.transport.shm;

import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A server's own lack or fault is not counted as a client's, and leftovers of a client
 * are noted.
 */
@Timeout(60)
class ShmConnectionTests {

	private static final ShmOptions OPTIONS = ShmOptions.builder().lanes(4).maxLanes(4).build();

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	/** A cleaner may have been faster than the server. */
	@Test
	void segmentThatIsGoneMayBeTriedAgain() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		try (FakePeer client = FakePeer.connect(this.shm.directory, this.server.instanceId())) {
			client.write(FakePeer.frame(FrameType.HELLO, 0,
					(out) -> new Payload.Hello(this.shm.clientIdentity.instanceId(), this.server.instanceId(), 1 << 20)
						.write(out)));
			assertThat(client.read().type).isEqualTo(FrameType.WELCOME);
			SegmentLayout layout = new SegmentLayout(4, 2048);
			client.write(FakePeer.frame(FrameType.ATTACH, 0, (out) -> new Payload.Attach(Segment.newName(), 4, 2048,
					layout.hash(), 1, 1 << 20, BellSupport.detect().kinds())
				.write(out)));
			FrameHeader answer = client.read();
			assertThat(answer.type).isEqualTo(FrameType.REFUSED);
			assertThat(Refusal.of(answer.code).retryable()).isTrue();
		}
		assertThat(running.metrics().refusals().get("malformed").sum()).isZero();
	}

	@Test
	void arenaThatIsGoneIsSaidAndThePairGoesOn() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		try (FakePeer client = FakePeer.connect(this.shm.directory, this.server.instanceId());
				FileChannel segment = client.attach(this.shm.directory, this.shm.clientIdentity.instanceId(),
						this.server.instanceId())) {
			assertThat(client.read().type).isEqualTo(FrameType.ATTACHED);
			assertThat(segment.size()).isPositive();
			client.write(FakePeer.frame(FrameType.ARENA, 0,
					(out) -> new Payload.Arena(0, 4096, Segment.newName()).write(out)));
			FrameHeader answer = client.read();
			assertThat(answer.type).isEqualTo(FrameType.MAPPED);
			assertThat(Payload.Mapped.read(client.payload()).number()).isEqualTo(-1);
			assertThat(running.metrics().open().sum()).isOne();
		}
		assertThat(running.metrics().refusals().get("malformed").sum()).isZero();
	}

	/** Else many attempts could fill a small file system before anybody collects. */
	@Test
	void memoryOfAHandshakeThatFailedIsKnownToBeUnused() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		for (int i = 1; i <= 3; i++) {
			try (FakePeer client = FakePeer.connect(this.shm.directory, this.server.instanceId());
					FileChannel segment = client.attach(this.shm.directory, this.shm.clientIdentity.instanceId(),
							this.server.instanceId(), Set.of("gong"))) {
				assertThat(client.read().type).isEqualTo(FrameType.REFUSED);
				assertThat(segment.size()).isPositive();
			}
			long ended = (long) i * new SegmentLayout(4, 2048).bytes();
			Async.await(() -> SegmentAccess.endedBytes(running.files()) == ended);
		}
	}

	/** It asks without an end, and its answers wait for room. */
	@Test
	void clientThatReadsNothingDoesNotHoldUpTheEndOfTheServer() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		LongAdder refused = running.metrics().refusals().get("unknown-contract");
		try (FakePeer client = FakePeer.connect(this.shm.directory, this.server.instanceId());
				FileChannel segment = client.attach(this.shm.directory, this.shm.clientIdentity.instanceId(),
						this.server.instanceId())) {
			assertThat(client.read().type).isEqualTo(FrameType.ATTACHED);
			assertThat(segment.size()).isPositive();
			byte[] question = FakePeer.frame(FrameType.BIND, 0,
					(out) -> new Payload.Bind("unknown", "0", Set.of()).write(out));
			CompletableFuture<Boolean> asking = Async.call(() -> {
				boolean taken = true;
				while (taken) {
					taken = client.write(question);
				}
				return taken;
			});
			AtomicLong before = new AtomicLong();
			AtomicInteger unchanged = new AtomicInteger();
			Async.await(() -> {
				boolean waits = Async.isSomebodyIn("ShmConnection.bind", "ControlChannel.write");
				boolean same = before.getAndSet(refused.sum()) == refused.sum();
				return (waits && same) ? unchanged.incrementAndGet() > 20 : unchanged.getAndSet(0) < 0;
			});
			Async.call(() -> {
				running.close();
				return null;
			}).get(20, TimeUnit.SECONDS);
			assertThat(asking.get(20, TimeUnit.SECONDS)).isFalse();
		}
	}

	/** A call without an answer goes elsewhere, regardless of other calls. */
	@Test
	void clientWithoutCallsLearnsThatNoneIsExecutedWhileTheCallOfAnotherIsCutOff() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		ShmPathServer running = this.shm.server(this.server, OPTIONS.toBuilder().drainTimeout(Duration.ZERO).build(),
				Contracts.service(this.shm.contract, (frame) -> {
					called.countDown();
					try {
						release.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
					return Contracts.value("late");
				}));
		CallPath busy = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		CallPath idle = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		CompletableFuture<PathException> cutOff = Async
			.call(() -> catchThrowableOfType(PathException.class, () -> busy.call(this.shm.call("join", "a", 1))));
		called.await();
		running.close();
		assertThat(cutOff.get(20, TimeUnit.SECONDS).maybeExecuted()).isTrue();
		Async.await(() -> !idle.isOpen());
		assertThat(((ShmPath) idle).lanes().whyEnded().nothingExecuted()).isTrue();
		release.countDown();
	}

	@Test
	void receiverThatFailsIsTheServersFault() throws Exception {
		try (ShmPathServer running = RawLanes.serve(this.shm.directory, this.server, OPTIONS, true, (lane, batch) -> {
			throw new IllegalStateException("for a test");
		}); RawLanes.Client client = RawLanes.connect(this.shm.directory, this.server.instanceId(), OPTIONS, true)) {
			ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
			PathException failure = catchThrowableOfType(PathException.class,
					() -> lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE));
			client.lanes().release(lane);
			assertThat(failure.reason()).isEqualTo(Reason.PEER_GONE);
			Async.await(() -> running.metrics().open().sum() == 0);
			assertThat(running.metrics().refusals().get("failed").sum()).isOne();
			assertThat(running.metrics().refusals().get("malformed").sum()).isZero();
		}
	}

}
