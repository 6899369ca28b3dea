package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Large calls that the receiver reads from the memory of the sender. */
@Timeout(60)
class RdmaRendezvousTests extends RdmaFabricTestSupport {

	private static final int PIECE = RendezvousSender.PIECE_BYTES;

	private static final int RING = 64 << 10;

	/** Calls whose replies fit into a ring and a send queue. */
	private static final int SMALL = 80;

	/** Pieces of each side. */
	private static final int PIECES = 4;

	private static ConditionFactory soon() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(Duration.ofSeconds(20));
	}

	/** Returns the server's end of the first connection. */
	private MemoryFabric.MemoryQueuePair serverEnd() {
		return this.fabric.all().get(1);
	}

	private static byte[] body(int size) {
		byte[] body = new byte[size];
		new Random(size).nextBytes(body);
		return body;
	}

	private static Object get(CompletableFuture<Reply> call) throws Exception {
		return value(call.get(20, TimeUnit.SECONDS));
	}

	private static long pieces(RdmaPathServer server) {
		return (long) server.clients().get(0).get("rendezvousPieces");
	}

	private static long outstanding(RdmaPathServer server) {
		return (long) server.clients().get(0).get("outstandingBytes");
	}

	/** Neither side posted more than its peer had receives for, or devices do. */
	private void assertNothingWaitedAtADevice() {
		assertThat(this.fabric.notReady).hasValue(0);
		assertThat(this.fabric.stalled).hasValue(0);
		assertThat(this.fabric.mostPosted.get()).isLessThanOrEqualTo(128);
	}

	private void assertAllIsFree() {
		soon().until(() -> this.fabric.all().stream().allMatch(MemoryFabric.MemoryQueuePair::isClosed));
	}

	@ParameterizedTest
	@ValueSource(ints = { PIECE, PIECE + 1, 2 * PIECE - 1000, 2 * PIECE, 1 << 20, (1 << 20) + 1, 4 << 20, 7_999_999 })
	void largeBodiesAreReadInBothDirections(int size) throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		byte[] body = body(size);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(get(later(path, bytes(body)))).isEqualTo(body);
		// A frame is a little longer than its body.
		int each = size / PIECE + 1;
		assertThat(this.fabric.reads).hasValue(4 * each);
		assertThat(pieces(server)).isEqualTo(2 * each);
		assertNothingWaitedAtADevice();
	}

	@Test
	void framesFrom256KilobytesAreReadAndShorterOnesAreNot() throws Exception {
		CallPath path = connect(server(options()));
		List<Integer> read = new ArrayList<>();
		for (int size = PIECE - 200; size <= PIECE; size++) {
			int before = this.fabric.reads.get();
			byte[] body = body(size);
			assertThat(value(path.call(bytes(body)))).isEqualTo(body);
			// The call and its reply have headers of their own.
			read.add(this.fabric.reads.get() - before);
		}
		assertThat(read).isSorted().startsWith(0).endsWith(4);
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void largeAndSmallCallsAtTheSameTimeArriveIntact(CompletionMode mode) throws Exception {
		// A thread may still be busy when its answer has arrived.
		CallPath path = connect(provider(small().completionMode(mode).build()), server(small().maxThreads(64).build()));
		Random random = new Random(5);
		for (int round = 0; round < 12; round++) {
			List<byte[]> bodies = new ArrayList<>();
			List<CompletableFuture<Reply>> replies = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				byte[] body = new byte[random.nextInt((i % 4 == 0) ? 1_500_000 : (i % 4 == 1) ? 60_000 : 900)];
				random.nextBytes(body);
				bodies.add(body);
				replies.add(later(path, bytes(body)));
			}
			for (int i = 0; i < bodies.size(); i++) {
				assertThat(get(replies.get(i))).isEqualTo(bodies.get(i));
			}
		}
		assertThat(this.fabric.reads).hasPositiveValue();
		assertNothingWaitedAtADevice();
	}

	@Test
	void smallCallsGoOnWhileALargeCallIsRead() throws Exception {
		CallPath path = connect(server(options()));
		serverEnd().holdReads();
		byte[] large = body(4 << 20);
		CompletableFuture<Reply> call = later(path, bytes(large));
		soon().until(() -> serverEnd().unservedReads() > 0);
		for (int i = 0; i < SMALL; i++) {
			byte[] body = body(1 + i);
			assertThat(get(later(path, bytes(body)))).isEqualTo(body);
		}
		assertThat(call).isNotDone();
		serverEnd().releaseReads();
		assertThat(get(call)).isEqualTo(large);
		assertNothingWaitedAtADevice();
	}

	@Test
	void smallCallsGoOnWhileALargeReplyIsRead() throws Exception {
		CallPath path = connect(server(options()));
		client().holdReads();
		byte[] large = body(4 << 20);
		CompletableFuture<Reply> call = later(path, bytes(large));
		soon().until(() -> client().unservedReads() > 0);
		for (int i = 0; i < SMALL; i++) {
			byte[] body = body(1 + i);
			assertThat(get(later(path, bytes(body)))).isEqualTo(body);
		}
		assertThat(call).isNotDone();
		client().releaseReads();
		assertThat(get(call)).isEqualTo(large);
		assertNothingWaitedAtADevice();
	}

	@Test
	void aLargeCallThatFindsAllMemoryInUseTravelsThroughTheRing() throws Exception {
		CallPath path = connect(server(options()));
		serverEnd().holdReads();
		byte[] first = body(4 << 20);
		CompletableFuture<Reply> held = later(path, bytes(first));
		soon().until(() -> serverEnd().unservedReads() > 0);
		byte[] second = body(1 << 20);
		CompletableFuture<Reply> through = later(path, bytes(second));
		assertThat(get(through)).isEqualTo(second);
		assertThat(held).isNotDone();
		serverEnd().releaseReads();
		assertThat(get(held)).isEqualTo(first);
	}

	/** As a peer that knows nothing of rendezvous. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aSideThatReadsNothingGetsItThroughTheRing(boolean server) throws Exception {
		RdmaOptions none = small().rendezvousBytes(0).build();
		RdmaPathServer offered = server(server ? none : options());
		CallPath path = connect(provider(server ? options() : none), offered);
		byte[] body = body(3 << 20);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(this.fabric.reads).hasValue(0);
		assertThat(offered.lockedBytes()).isEqualTo(4096 + 2 * RING + (server ? 0 : 2 << 20));
	}

	@Test
	void memoryThatCannotBeLockedIsDoneWithout() throws Exception {
		this.fabric.rendezvous = false;
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		byte[] body = body(3 << 20);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(this.fabric.reads).hasValue(0);
		assertThat(server.lockedBytes()).isEqualTo(4096 + 2 * RING);
	}

	@Test
	void sidesWithDifferentMemoryUseThatOfTheSmallerOne() throws Exception {
		CallPath path = connect(provider(small().rendezvousBytes(PIECE).build()), server(options()));
		byte[] body = body(3 << 20);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(this.fabric.reads).hasValue(2 * 13);
		assertNothingWaitedAtADevice();
	}

	@Test
	void aLargeRingDoesNotKeepFramesFromBeingRead() throws Exception {
		RdmaOptions large = small().ringBytes(8 << 20).build();
		CallPath path = connect(provider(large), server(large));
		byte[] body = body(600_000);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(this.fabric.reads).hasValue(2 * 3);
	}

	@Test
	void memoryOfACallThatIsGivenUpWhileItIsReadIsUsedAgain() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		serverEnd().holdReads();
		CallFrame frame = call("slow", "x".repeat(4 << 20), CallFrame.NO_DEADLINE);
		CompletableFuture<Reply> call = later(path, frame);
		soon().until(() -> serverEnd().unservedReads() > 0);
		frame.abandon();
		assertThat(failure(call)).returns(Reason.INTERRUPTED, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		serverEnd().releaseReads();
		// Its cancellation comes after all of it: it never runs, or is abandoned.
		soon().until(() -> server.metrics().bytes().sum() > 4 << 20 || this.executed.isNextAbandoned());
		this.released.countDown();
		soon().until(() -> outstanding(server) == 0 && server.metrics().inFlight().sum() == 0);
		int before = this.fabric.reads.get();
		byte[] body = body(4 << 20);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(this.fabric.reads.get() - before).isEqualTo(2 * 17);
	}

	@Test
	void aDeadlineThatPassesWhileACallIsReadEndsThatCallOnly() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		serverEnd().holdReads();
		byte[] body = body(1 << 20);
		CompletableFuture<Reply> call = later(path,
				call("bytes", body, System.nanoTime() + TimeUnit.SECONDS.toNanos(1)));
		assertThat(failure(call)).returns(Reason.TIMEOUT, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		assertThat(value(path.call(bytes(new byte[] { 3 })))).isEqualTo(new byte[] { 3 });
		serverEnd().releaseReads();
		soon().until(() -> outstanding(server) == 0 && server.metrics().inFlight().sum() == 0);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
	}

	@Test
	void aClientThatDiesWhileItsCallIsReadLeavesNothingBehind() throws Exception {
		RdmaPathServer server = server(options());
		RdmaPathProvider client = provider(options());
		CallPath path = connect(client, server);
		serverEnd().holdReads();
		CompletableFuture<Reply> call = later(path, bytes(body(4 << 20)));
		soon().until(() -> serverEnd().unservedReads() > 0);
		client.close();
		assertThat(failure(call).maybeExecuted()).isTrue();
		soon().until(() -> server.metrics().open().sum() == 0 && server.metrics().inFlight().sum() == 0);
		assertAllIsFree();
		assertThat(this.executed.size()).isZero();
	}

	@Test
	void aServerThatDiesWhileItReadsFailsTheCall() throws Exception {
		RdmaPathServer server = server(small().drainTimeout(Duration.ZERO).build());
		CallPath path = connect(server);
		serverEnd().holdReads();
		CompletableFuture<Reply> call = later(path, bytes(body(4 << 20)));
		soon().until(() -> serverEnd().unservedReads() > 0);
		server.close();
		assertThat(failure(call).reason()).isEqualTo(Reason.PEER_GONE);
		assertThat(path.isOpen()).isFalse();
		assertThat(this.executed.size()).isZero();
		assertAllIsFree();
	}

	@Test
	void aReadThatFailsEndsTheConnectionAndSaysWhy() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		CompletableFuture<Reply> slow = later(path, call("slow", "x".repeat(1 << 20), CallFrame.NO_DEADLINE));
		this.arrived.await();
		client().failReads("remote operation error");
		this.released.countDown();
		assertThat(failure(slow)).hasMessageContaining("remote operation error")
			.returns(true, PathException::maybeExecuted);
		soon().until(() -> server.metrics().open().sum() == 0 && server.metrics().inFlight().sum() == 0);
		assertAllIsFree();
	}

	@Test
	void aDeviceThatIsRemovedWhileCallsAreReadFreesEverything() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		serverEnd().holdReads();
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		calls.add(later(path, bytes(body(3 << 20))));
		soon().until(() -> serverEnd().unservedReads() > 0);
		client().hold();
		for (int i = 1; i < 4; i++) {
			calls.add(later(path, bytes(body(3 << 20))));
		}
		this.fabric.removeDevice();
		for (CompletableFuture<Reply> call : calls) {
			assertThat(failure(call)).hasMessageContaining("the device was removed");
		}
		// Two of them had begun.
		assertThat(failure(calls.get(0)).maybeExecuted()).isTrue();
		assertThat(failure(calls.get(3)).maybeExecuted()).isFalse();
		soon().until(() -> server.metrics().open().sum() == 0 && server.metrics().inFlight().sum() == 0);
		assertAllIsFree();
	}

	/** An answer that is announced has not arrived. */
	@Test
	void aServerThatClosesWaitsUntilItsAnswersAreRead() throws Exception {
		RdmaPathServer server = server(small().drainTimeout(Duration.ofSeconds(30)).build());
		CallPath path = connect(server);
		client().holdReads();
		byte[] body = body(700_000);
		CompletableFuture<Reply> call = later(path, bytes(body));
		soon().until(() -> client().unservedReads() > 0);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
		soon().until(() -> server.unavailable().isPresent() && !path.isOpen());
		assertThat(closed).isNotDone();
		client().releaseReads();
		assertThat(get(call)).isEqualTo(body);
		closed.get(20, TimeUnit.SECONDS);
		assertAllIsFree();
	}

	@Test
	void aClientThatReadsNoAnswersIsClosed() throws Exception {
		RdmaPathServer server = server(small().frameTimeout(Duration.ofSeconds(2)).build());
		CallPath path = connect(server);
		CallPath other = connect(server);
		client().holdReads();
		assertThat(failure(later(path, bytes(body(1 << 20)))).reason()).isEqualTo(Reason.PEER_GONE);
		soon().until(() -> server.metrics().inFlight().sum() == 0 && serverEnd().isClosed());
		assertThat(value(other.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	// Peers that announce what they like.

	/** A client that speaks the ring protocol, and says what it likes in it. */
	private final class Hostile implements QueuePair.Completions {

		final MemoryFabric.MemoryQueuePair queuePair;

		private final OutboundRing ring;

		private int setupLength = -1;

		Hostile(RdmaPathServer server, boolean introduced) throws Exception {
			String address = server.address().orElseThrow();
			int colon = address.indexOf(':');
			InetSocketAddress target = new InetSocketAddress(address.substring(0, colon),
					Integer.parseInt(address.substring(colon + 1)));
			MemoryFabric.MemoryQueuePair raw = (MemoryFabric.MemoryQueuePair) RdmaRendezvousTests.this.fabric.verbs()
				.connect(target, RdmaConnection.resources(options()), Duration.ofSeconds(5));
			this.queuePair = raw;
			new Setup(0, RING, 256, raw.inboundAddress(), raw.inboundKey(), PIECES).write(raw.outbound(), 64);
			raw.send(64, Setup.BYTES);
			soon().until(() -> raw.poll(8, this) >= 0 && this.setupLength >= 0);
			Setup peer = Setup.read(raw.outbound(), 0, this.setupLength);
			assertThat(peer.pieces()).isEqualTo(PIECES);
			this.ring = new OutboundRing(raw, RdmaConnection.HEAD_BYTES, RING, peer, 100);
			if (introduced) {
				EncodeBuffer hello = Introduction.to(RdmaRendezvousTests.this.peer.instanceId(), target, 8 << 20, false)
					.hello();
				say(RingRecord.WHOLE, 0, hello.size(), hello.array(), hello.size());
			}
		}

		void say(byte kind, int stream, int total, byte[] body, int length) throws VerbsException {
			this.ring.append(kind, stream, total, body, 0, length);
			this.ring.publish();
		}

		/** Announces a piece of the memory that the server may read. */
		void announce(byte kind, int total, long offset, int keyOffset, int length, int generation)
				throws VerbsException {
			byte[] announcement = new byte[RendezvousSender.ANNOUNCEMENT_BYTES];
			ByteBuffer.wrap(announcement)
				.putLong(RendezvousSender.ADDRESS, this.queuePair.readableAddress() + offset)
				.putInt(RendezvousSender.KEY, this.queuePair.readableKey() + keyOffset)
				.putInt(RendezvousSender.LENGTH, length)
				.putInt(RendezvousSender.GENERATION, generation);
			say(kind, 0, total, announcement, announcement.length);
		}

		void first(int total, long offset, int keyOffset, int length, int generation) throws VerbsException {
			announce(RingRecord.READ_FIRST, total, offset, keyOffset, length, generation);
		}

		void more(long offset, int length, int generation) throws VerbsException {
			announce(RingRecord.READ_MORE, 0, offset, 0, length, generation);
		}

		@Override
		public void sent() {
			// The message has left.
		}

		@Override
		public void read() {
			// It reads nothing.
		}

		@Override
		public void received(int length) {
			this.setupLength = length;
		}

		@Override
		public void written(int immediate) {
			// It does not listen.
		}

		@Override
		public void failed(String status, boolean flushed) {
			// The server has refused it.
		}

	}

	private interface Attack {

		void run(Hostile hostile) throws Exception;

	}

	private void assertRefused(String what, boolean introduced, Refusal refusal, Attack attack) throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		long before = server.metrics().refusals().get(refusal.id()).sum();
		Hostile hostile = new Hostile(server, introduced);
		attack.run(hostile);
		soon().alias(what).until(() -> server.metrics().refusals().get(refusal.id()).sum() == before + 1);
		soon().alias(what).until(() -> server.metrics().open().sum() == 1);
		hostile.queuePair.close();
		assertThat(value(path.call(bytes(new byte[1])))).as(what).isEqualTo(new byte[1]);
		byte[] body = body(600_000);
		assertThat(value(path.call(bytes(body)))).as(what).isEqualTo(body);
		path.close();
		server.close();
	}

	private void assertMalformed(String what, Attack attack) throws Exception {
		assertRefused(what, true, Refusal.MALFORMED, attack);
	}

	@Test
	void announcementsOfMemoryThatIsNotThereEndThatConnectionOnly() throws Exception {
		int total = 3 * PIECE;
		assertMalformed("another key", (hostile) -> hostile.first(total, 0, 1, PIECE, 0));
		assertMalformed("key of the ring", (hostile) -> hostile.first(total, 0,
				hostile.queuePair.inboundKey() - hostile.queuePair.readableKey(), PIECE, 0));
		for (long offset : new long[] { -1, 1 << 20, (1 << 20) - PIECE + 1, Long.MIN_VALUE, 1L << 40 }) {
			assertMalformed("offset " + offset, (hostile) -> hostile.first(total, offset, 0, PIECE, 0));
		}
		assertMalformed("end of all memory",
				(hostile) -> hostile.first(total, -5 - hostile.queuePair.readableAddress(), 0, PIECE, 0));
	}

	@Test
	void announcementsOfAnotherLengthThanPossibleAreRefused() throws Exception {
		int total = 3 * PIECE;
		for (int length : new int[] { 0, -1, Integer.MIN_VALUE, PIECE + 1, Integer.MAX_VALUE }) {
			assertMalformed("length " + length, (hostile) -> hostile.first(total, 0, 0, length, 0));
		}
		assertMalformed("more than the frame", (hostile) -> {
			hostile.first(PIECE + 100, 0, 0, PIECE, 0);
			hostile.more(PIECE, 101, 1);
		});
		assertMalformed("too short a frame", (hostile) -> hostile.first(PIECE - 1, 0, 0, PIECE - 1, 0));
		assertMalformed("a short record", (hostile) -> hostile.say(RingRecord.READ_FIRST, 0, total, new byte[19], 19));
		assertMalformed("a long record", (hostile) -> hostile.say(RingRecord.READ_FIRST, 0, total, new byte[24], 24));
		assertRefused("longer than allowed", true, Refusal.TOO_LARGE,
				(hostile) -> hostile.first((8 << 20) + (1 << 20), 0, 0, PIECE, 0));
		assertRefused("before HELLO", false, Refusal.TOO_LARGE, (hostile) -> hostile.first(total, 0, 0, PIECE, 0));
	}

	@Test
	void announcementsInAnotherOrderThanPossibleAreRefused() throws Exception {
		int total = 8 * PIECE;
		assertMalformed("a later piece", (hostile) -> hostile.first(total, 0, 0, PIECE, 1));
		assertMalformed("a piece again", (hostile) -> {
			hostile.first(total, 0, 0, PIECE, 0);
			hostile.more(PIECE, PIECE, 0);
		});
		assertMalformed("nothing has begun", (hostile) -> hostile.more(0, PIECE, 0));
		assertMalformed("through the ring in between", (hostile) -> {
			hostile.first(total, 0, 0, PIECE, 0);
			hostile.say(RingRecord.MORE, 0, 0, new byte[100], 100);
		});
		assertMalformed("read in between", (hostile) -> {
			hostile.say(RingRecord.FIRST, 0, total, new byte[100], 100);
			hostile.more(0, PIECE, 0);
		});
		assertMalformed("begun twice", (hostile) -> {
			hostile.first(total, 0, 0, PIECE, 0);
			hostile.first(total, PIECE, 0, PIECE, 1);
		});
		assertMalformed("more than the server reads at a time", (hostile) -> {
			this.fabric.all().get(this.fabric.all().size() - 1).holdReads();
			hostile.first(total, 0, 0, PIECE, 0);
			for (int i = 1; i <= PIECES; i++) {
				hostile.more(0, PIECE, i);
			}
		});
		assertMalformed("an acknowledgement of nothing", (hostile) -> hostile.queuePair.write(0, 0, 0, 0,
				QueuePair.IMMEDIATE, Immediate.of(Immediate.PONG, Immediate.UNIT)));
	}

	@Test
	void aClientWhoseMemoryIsNeverThereInTimeIsClosed() throws Exception {
		RdmaPathServer server = server(small().frameTimeout(Duration.ofMillis(200)).build());
		CallPath path = connect(server);
		Hostile hostile = new Hostile(server, true);
		this.fabric.all().get(this.fabric.all().size() - 1).holdReads();
		hostile.first(2 * PIECE, 0, 0, PIECE, 0);
		soon().until(() -> server.metrics().refusals().get(Refusal.STALLED.id()).sum() == 1
				&& server.metrics().open().sum() == 1);
		hostile.queuePair.close();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void noiseInAnnouncementsEndsThatConnectionOnly() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		Random random = new Random(2020);
		for (int i = 0; i < 150; i++) {
			Hostile hostile = new Hostile(server, true);
			try {
				for (int generation = 0; generation < 1 + random.nextInt(8); generation++) {
					boolean near = random.nextInt(4) != 0;
					hostile.announce((random.nextInt(3) == 0) ? RingRecord.READ_FIRST : RingRecord.READ_MORE,
							near ? PIECE * (1 + random.nextInt(6)) : random.nextInt(),
							near ? random.nextInt(1 << 20) : random.nextLong(), random.nextInt(12) / 11,
							near ? random.nextInt(PIECE + 2) : random.nextInt(),
							(random.nextInt(8) != 0) ? generation : random.nextInt());
				}
			}
			catch (VerbsException | IllegalStateException ex) {
				// The server has closed the connection.
			}
			hostile.queuePair.close();
		}
		soon().until(() -> server.metrics().open().sum() == 1 && server.metrics().inFlight().sum() == 0);
		assertThat(server.metrics().refusals().get(Refusal.MALFORMED.id()).sum()).isPositive();
		byte[] body = body(600_000);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
	}

	@Test
	void anAnnouncementThatIsRefusedIsExplained() throws Exception {
		MemoryFabric.MemoryQueuePair queuePair = this.fabric.pair(RdmaConnection.resources(options())).get(0);
		Map<String, ByteBuffer> refused = Map.of("piece 7 to read, but the next one is 0", announcement(0, 1, 7),
				"a piece to read of 0 bytes is not from 1 to 262144 bytes long", announcement(0, 0, 0),
				"a piece to read of 4294967295 bytes is not from 1 to 262144 bytes long", announcement(0, -1, 0),
				"a piece to read of 16 bytes at fffffffffffffff8, which is beyond all memory", announcement(-8, 16, 0));
		for (Map.Entry<String, ByteBuffer> entry : refused.entrySet()) {
			RendezvousReceiver receiver = new RendezvousReceiver(queuePair);
			assertThatExceptionOfType(WireException.class).isThrownBy(() -> receiver.announced(entry.getValue(), 0, 0))
				.returns(Refusal.MALFORMED, WireException::refusal)
				.returns(entry.getKey(), WireException::text);
			assertThat(receiver.canPost()).isFalse();
		}
		RendezvousReceiver full = new RendezvousReceiver(queuePair);
		for (int i = 0; i < PIECES; i++) {
			assertThat(full.announced(announcement(4096, 100, i), 0, 0)).isEqualTo(100);
		}
		assertThatExceptionOfType(WireException.class)
			.isThrownBy(() -> full.announced(announcement(0, 1, PIECES), 0, 0))
			.returns("a piece to read beside 4 others, but this side reads 4 at a time", WireException::text);
	}

	private static ByteBuffer announcement(long address, int length, int generation) {
		return ByteBuffer.allocate(RendezvousSender.ANNOUNCEMENT_BYTES)
			.putLong(RendezvousSender.ADDRESS, address)
			.putInt(RendezvousSender.LENGTH, length)
			.putInt(RendezvousSender.GENERATION, generation);
	}

}
