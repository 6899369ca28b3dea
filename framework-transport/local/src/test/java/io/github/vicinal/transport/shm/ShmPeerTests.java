package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.LaneClient;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The thread that listens to a peer. */
@Timeout(60)
class ShmPeerTests {

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	private final Watchdog watchdog = new Watchdog("test-watchdog");

	private final ControlLoop loop = new ControlLoop("test-control");

	@AfterEach
	void close() throws Exception {
		this.loop.close();
		this.watchdog.close();
		this.shm.close();
	}

	@Test
	void errorOfTheListeningThreadEndsThePairAndItsWaitingCallers() throws Exception {
		ShmOptions options = ShmOptions.builder().lanes(4).maxLanes(4).build();
		ShmPeer peer = new ShmPeer(this.server.instanceId(), options, Contracts.codecs(), (rule, text) -> {
			throw new NoClassDefFoundError("for a test");
		});
		try (FakeServer wrong = new FakeServer(this.shm.directory, this.server.instanceId())) {
			wrong.change = (type, bytes) -> (type == FrameType.BOUND) ? boundToNothing() : bytes;
			peer.connect(this.shm.clientIdentity.instanceId(), new MemoryFiles(this.shm.directory),
					PeerCheck.sameUser(this.shm.rendezvous), this.watchdog, this.loop, BellSupport.detect());
			long before = System.nanoTime();
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> peer.bind(peer.binding(this.shm.contract)));
			assertThat(System.nanoTime() - before).isLessThan(options.handshakeTimeout().toNanos());
			Async.await(() -> peer.lanes().whyEnded() != null);
			assertThat(peer.lanes().whyEnded().text()).contains("NoClassDefFoundError");
		}
		finally {
			peer.close("the test ends");
		}
	}

	/** Any thread may notice it, such as a caller that cannot read an answer. */
	@Test
	void endOfThePairEndsTheWaitForAContract() throws Exception {
		ShmPeer peer = new ShmPeer(this.server.instanceId(),
				ShmOptions.builder().lanes(4).maxLanes(4).handshakeTimeout(Duration.ofMinutes(5)).build(),
				Contracts.codecs(), (rule, text) -> {
				});
		try (FakeServer mute = new FakeServer(this.shm.directory, this.server.instanceId())) {
			peer.connect(this.shm.clientIdentity.instanceId(), new MemoryFiles(this.shm.directory),
					PeerCheck.sameUser(this.shm.rendezvous), this.watchdog, this.loop, BellSupport.detect());
			mute.silent = true;
			CompletableFuture<Throwable> bound = Async
				.call(() -> catchThrowable(() -> peer.bind(peer.binding(this.shm.contract))));
			Async.await(() -> Async.isSomebodyIn("ShmPeer.bind", "CompletableFuture.get"));
			peer.lanes().end(LaneClient.End.of("for a test"));
			assertThat(bound.get(20, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
		}
		finally {
			peer.close("the test ends");
		}
	}

	/** A cleaner may have been faster than this side. */
	@Test
	void arenaThatIsGoneIsSaidAndThePairGoesOn() throws Exception {
		try (FakeServer unlucky = new FakeServer(this.shm.directory, this.server.instanceId())) {
			unlucky.afterBound = FakePeer.frame(FrameType.ARENA, 0,
					(out) -> new Payload.Arena(0, 4096, Segment.newName()).write(out));
			ShmPeer peer = new ShmPeer(this.server.instanceId(), ShmOptions.builder().lanes(4).maxLanes(4).build(),
					Contracts.codecs(), (rule, text) -> {
					});
			peer.connect(this.shm.clientIdentity.instanceId(), new MemoryFiles(this.shm.directory),
					PeerCheck.sameUser(this.shm.rendezvous), this.watchdog, this.loop, BellSupport.detect());
			peer.bind(peer.binding(this.shm.contract));
			assertThat(unlucky.mapped.get(20, TimeUnit.SECONDS)).isEqualTo(-1);
			assertThat(peer.lanes().whyEnded()).isNull();
			peer.close("the test ends");
		}
	}

	/**
	 * A call finds memory once the other side can read it, or goes elsewhere in time.
	 * Until then nobody knows whether that will ever be.
	 */
	@Test
	void callForWhichThePeerMapsNoMemoryEndsAtItsDeadlineAndWasNotExecuted() throws Exception {
		try (FakeServer busy = new FakeServer(this.shm.directory, this.server.instanceId())) {
			CallPath path = this.shm.connect(this.shm.provider(ShmOptions.builder().lanes(4).maxLanes(4).build()),
					this.server);
			PathException failure = catchThrowableOfType(PathException.class,
					() -> path.call(Contracts.callBefore(this.shm.contract, "bytes",
							System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50), (Object) new byte[20_000])));
			assertThat(failure.reason()).isEqualTo(Reason.EXHAUSTED);
			assertThat(failure.maybeExecuted()).isFalse();
			assertThat(busy.connected.getCount()).isZero();
		}
	}

	/** Else many attempts could fill a small file system before anybody collects. */
	@Test
	void memoryOfAHandshakeThatFailedIsKnownToBeUnused() throws Exception {
		MemoryFiles files = new MemoryFiles(this.shm.directory);
		try (FakeServer refusing = new FakeServer(this.shm.directory, this.server.instanceId())) {
			refusing.change = (type, bytes) -> (type == FrameType.ATTACHED) ? boundToNothing() : bytes;
			for (int i = 1; i <= 3; i++) {
				ShmPeer peer = new ShmPeer(this.server.instanceId(), ShmOptions.builder().lanes(4).maxLanes(4).build(),
						Contracts.codecs(), (rule, text) -> {
						});
				assertThatExceptionOfType(WireException.class)
					.isThrownBy(() -> peer.connect(this.shm.clientIdentity.instanceId(), files,
							PeerCheck.sameUser(this.shm.rendezvous), this.watchdog, this.loop, BellSupport.detect()));
				assertThat(SegmentAccess.endedBytes(files)).isEqualTo((long) i * new SegmentLayout(4, 2048).bytes());
			}
		}
	}

	private static byte[] boundToNothing() {
		try {
			return FakePeer.frame(FrameType.BOUND, 1, 0,
					(out) -> new Payload.Bound("nonsense", "for a test", Set.of("jackson")).write(out));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
