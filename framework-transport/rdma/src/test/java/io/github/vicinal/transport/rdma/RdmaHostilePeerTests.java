package io.github.vicinal.transport.rdma;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.multiplex.Introduction;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Peers that write what they like where they may. */
@Timeout(60)
class RdmaHostilePeerTests extends RdmaTestSupport {

	private static final int RING = 64 << 10;

	private final MemoryFabric fabric = new MemoryFabric();

	@Override
	RdmaDevices devices() {
		return this.fabric.devices();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
	}

	private long refused(RdmaPathServer server, Refusal refusal) {
		return server.metrics().refusals().get(refusal.id()).sum();
	}

	/** A client that speaks verbs and nothing else. */
	private MemoryFabric.MemoryQueuePair raw(RdmaPathServer server) throws Exception {
		String address = server.address().orElseThrow();
		int colon = address.indexOf(':');
		return (MemoryFabric.MemoryQueuePair) this.fabric.verbs()
			.connect(new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
					RdmaConnection.resources(options()), Duration.ofSeconds(5));
	}

	private static final class Seen implements QueuePair.Completions {

		private int length = -1;

		private String failure = "";

		private final List<Integer> immediates = new ArrayList<>();

		@Override
		public void sent() {
			// The message or write has left.
		}

		@Override
		public void read() {
			// Nothing is read.
		}

		@Override
		public void received(int bytes) {
			this.length = bytes;
		}

		@Override
		public void written(int immediate) {
			this.immediates.add(immediate);
		}

		@Override
		public void failed(String status, boolean flushed) {
			this.failure = status;
		}

	}

	/** Says what a client says first, and returns where the server's ring is. */
	private static Setup setUp(MemoryFabric.MemoryQueuePair raw) throws Exception {
		return setUp(raw, new Setup(0, RING, 256, raw.inboundAddress(), raw.inboundKey(), 0));
	}

	private static Setup setUp(MemoryFabric.MemoryQueuePair raw, Setup said) throws Exception {
		said.write(raw.outbound(), 64);
		raw.send(64, Setup.BYTES);
		Seen seen = new Seen();
		soon().until(() -> raw.poll(8, seen) >= 0 && seen.length >= 0);
		return Setup.read(raw.outbound(), 0, seen.length);
	}

	@Test
	void aFirstMessageThatIsNoneIsRefused() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		Random random = new Random(3);
		for (int i = 0; i < 100; i++) {
			MemoryFabric.MemoryQueuePair raw = raw(server);
			byte[] bytes = new byte[1 + random.nextInt(Setup.BYTES)];
			random.nextBytes(bytes);
			if (i % 2 == 0) {
				ByteBuffer proper = ByteBuffer.allocate(Setup.BYTES);
				new Setup(0, random.nextInt(), random.nextInt(), random.nextLong(), 1, random.nextInt()).write(proper,
						0);
				bytes = proper.array();
			}
			raw.outbound().put(64, bytes);
			raw.send(64, bytes.length);
			Seen seen = new Seen();
			soon().until(() -> raw.poll(8, seen) >= 0 && (seen.length >= 0 || !seen.failure.isEmpty()));
			raw.close();
		}
		soon().until(() -> server.metrics().open().sum() == 1);
		assertThat(refused(server, Refusal.MALFORMED)).isPositive();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void anotherVersionIsRefusedWithTheReason() throws Exception {
		RdmaPathServer server = server(options());
		MemoryFabric.MemoryQueuePair raw = raw(server);
		new Setup(0, RING, 256, 0, 0, 0).write(raw.outbound(), 64);
		raw.outbound().putShort(68, (short) 99);
		raw.send(64, Setup.BYTES);
		Seen seen = new Seen();
		soon().until(() -> raw.poll(8, seen) >= 0 && seen.length >= 0);
		assertThat(Setup.read(raw.outbound(), 0, seen.length).refusal()).isEqualTo(Refusal.VERSION.number());
		raw.close();
		soon().until(() -> refused(server, Refusal.VERSION) == 1);
	}

	@Test
	void aClientThatSaysNothingIsSentAway() throws Exception {
		RdmaPathServer server = server(small().handshakeTimeout(Duration.ofMillis(200)).build());
		MemoryFabric.MemoryQueuePair raw = raw(server);
		soon().until(() -> refused(server, Refusal.STALLED) == 1);
		soon().until(() -> server.metrics().open().sum() == 0);
		MemoryFabric.MemoryQueuePair second = raw(server);
		setUp(second);
		soon().until(() -> refused(server, Refusal.STALLED) == 2);
		soon().until(() -> server.metrics().open().sum() == 0);
		raw.close();
		second.close();
	}

	/** As if its host had lost the network. */
	@Test
	void aClientThatDoesNotAnswerPingsIsClosed() throws Exception {
		Duration shortTime = Duration.ofMillis(100);
		RdmaPathServer server = server(
				small().pings(shortTime, shortTime).handshakeTimeout(Duration.ofMinutes(1)).build());
		MemoryFabric.MemoryQueuePair raw = raw(server);
		setUp(raw);
		Seen seen = new Seen();
		soon().until(() -> raw.poll(8, seen) >= 0 && server.metrics().open().sum() == 0);
		assertThat(seen.immediates).extracting(Immediate::kind).contains(Immediate.PING);
		raw.close();
	}

	@Test
	void aFloodOfConnectionsTakesNoMemoryBeyondTheLimit() throws Exception {
		RdmaPathServer server = server(small().maxConnections(3).build());
		CallPath path = connect(server);
		List<MemoryFabric.MemoryQueuePair> flood = new ArrayList<>();
		assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> {
			for (int i = 0; i < 50; i++) {
				flood.add(raw(server));
			}
		}).withMessage("the peer rejected the connection");
		assertThat(flood).hasSizeLessThan(10);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		flood.forEach(MemoryFabric.MemoryQueuePair::close);
		soon().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void noisePublishedInTheRingEndsThatConnectionOnly() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		Random random = new Random(4711);
		for (int i = 0; i < 300; i++) {
			MemoryFabric.MemoryQueuePair raw = raw(server);
			Setup ring = setUp(raw);
			byte[] noise = new byte[16 * (1 + random.nextInt(8))];
			random.nextBytes(noise);
			if (i % 3 != 0) {
				// A record that is nearly right.
				ByteBuffer record = ByteBuffer.wrap(noise);
				record.putInt(RingRecord.LENGTH, random.nextInt(noise.length + 8));
				record.put(RingRecord.KIND, (byte) random.nextInt(6));
				record.put(RingRecord.STREAM, (byte) (random.nextInt(5) - 1));
				record.putInt(RingRecord.TOTAL, random.nextInt(200));
				record.putInt(RingRecord.POSITION, 0);
			}
			raw.outbound().put(4096, noise);
			raw.write(4096, noise.length, ring.address(), ring.key(), QueuePair.IMMEDIATE,
					(i % 5 == 0) ? random.nextInt() : Immediate.of(Immediate.DATA, noise.length));
			Seen seen = new Seen();
			raw.poll(8, seen);
			raw.close();
		}
		soon().until(() -> server.metrics().open().sum() == 1 && server.metrics().inFlight().sum() == 0);
		assertThat(refused(server, Refusal.MALFORMED)).isPositive();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aWriteBesideTheRingFailsAtTheDevice() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		for (long offset : new long[] { -16, RING, Long.MIN_VALUE, 1L << 40 }) {
			MemoryFabric.MemoryQueuePair raw = raw(server);
			Setup ring = setUp(raw);
			raw.write(4096, 16, ring.address() + offset, ring.key(), QueuePair.IMMEDIATE, 1);
			Seen seen = new Seen();
			soon().until(() -> raw.poll(8, seen) >= 0 && !seen.failure.isEmpty());
			assertThat(seen.failure).isEqualTo("remote access error");
			raw.close();
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	/** The address of the ring, its key, or both are those of other memory. */
	@ParameterizedTest
	@CsvSource({ "0, 1", "65536, 0", "-65536, 0", "9223372036854775807, 0", "4294967296, -1" })
	void aRingThatTheClientDoesNotHaveEndsItsOwnConnectionOnly(long offset, int keyOffset) throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		MemoryFabric.MemoryQueuePair raw = raw(server);
		Setup ring = setUp(raw,
				new Setup(0, RING, 256, raw.inboundAddress() + offset, raw.inboundKey() + keyOffset, 0));
		// The server has to answer, and there is nowhere to write.
		String[] address = server.address().orElseThrow().split(":");
		EncodeBuffer hello = Introduction
			.to(this.peer.instanceId(), new InetSocketAddress(address[0], Integer.parseInt(address[1])), 1 << 20, false)
			.hello();
		publish(raw, ring, record(RingRecord.WHOLE, Arrays.copyOf(hello.array(), hello.size()), hello.size()));
		soon().until(() -> server.metrics().open().sum() == 1);
		assertThat(refused(server, Refusal.MALFORMED)).isOne();
		raw.close();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void theRestOfAFrameThatDoesNotComeEndsThatConnectionOnly() throws Exception {
		RdmaPathServer server = server(small().frameTimeout(Duration.ofMillis(100)).build());
		CallPath path = connect(server);
		MemoryFabric.MemoryQueuePair raw = raw(server);
		Setup ring = setUp(raw);
		publish(raw, ring, record(RingRecord.FIRST, new byte[64], 400));
		soon().until(() -> refused(server, Refusal.STALLED) == 1 && server.metrics().open().sum() == 1);
		raw.close();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	private static byte[] record(byte kind, byte[] body, int total) {
		ByteBuffer record = ByteBuffer.allocate(RingRecord.size(body.length));
		record.putInt(RingRecord.LENGTH, body.length);
		record.put(RingRecord.KIND, kind);
		record.putInt(RingRecord.TOTAL, total);
		record.put(RingRecord.HEADER_BYTES, body);
		return record.array();
	}

	private static void publish(MemoryFabric.MemoryQueuePair raw, Setup ring, byte[] record) throws VerbsException {
		raw.outbound().put(4096, record);
		raw.write(4096, record.length, ring.address(), ring.key(), QueuePair.IMMEDIATE,
				Immediate.of(Immediate.DATA, record.length));
	}

	/** A server that speaks verbs and nothing else. */
	@ParameterizedTest
	@CsvSource({ "99, 65536, 256, 0, 'this side speaks version 1 of the ring protocol, the other 99'",
			"1, 536870912, 256, 0, 'a power of two of bytes from 64 KB to 256 MB, but this one 536870912'",
			"1, 65537, 256, 0, 'but this one 65537'", "1, -2147483648, 256, 0, 'but this one -2147483648'",
			"1, 65536, 1000000, 0, 'a ring receives from 8 to 16384 messages, but this one 1000000'",
			"1, 65536, 256, 1000, 'a side reads from 0 to 64 pieces at a time, but this one 1000'" })
	void aServerWhoseFirstMessageIsUnacceptableIsExplained(short version, int ringBytes, int messages, int pieces,
			String reason) throws Exception {
		try (Verbs.Listener listener = this.fabric.verbs().listen(new InetSocketAddress("127.0.0.1", 0), 1)) {
			RdmaPathProvider provider = provider(options());
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(provider, this.peer, "127.0.0.1:" + listener.address().getPort()));
			MemoryFabric.MemoryQueuePair raw = accept(listener);
			new Setup(0, ringBytes, messages, raw.inboundAddress(), raw.inboundKey(), pieces).write(raw.outbound(), 64);
			raw.outbound().putShort(68, version);
			raw.send(64, Setup.BYTES);
			assertThat(attempt.get(20, TimeUnit.SECONDS)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
					(unavailable) -> {
						assertThat(unavailable.reason()).contains(reason);
						assertThat(unavailable.retryable()).isFalse();
					});
			raw.close();
		}
	}

	@Test
	void noiseOfAServerEndsThatConnectionOnly() throws Exception {
		// A frame that does not come as a whole is waited for.
		RdmaPathProvider provider = provider(small().handshakeTimeout(Duration.ofMillis(500)).build());
		CallPath path = connect(provider, server(options()));
		Random random = new Random(20);
		try (Verbs.Listener listener = this.fabric.verbs().listen(new InetSocketAddress("127.0.0.1", 0), 1)) {
			for (int i = 0; i < 100; i++) {
				CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture.supplyAsync(() -> attempt(provider,
						PeerIdentity.create(HOST), "127.0.0.1:" + listener.address().getPort()));
				MemoryFabric.MemoryQueuePair raw = accept(listener);
				Seen seen = new Seen();
				soon().until(() -> raw.poll(8, seen) >= 0 && seen.length >= 0);
				Setup ring = Setup.read(raw.outbound(), 0, seen.length);
				new Setup(0, RING, 256, raw.inboundAddress(), raw.inboundKey(), 0).write(raw.outbound(), 64);
				raw.send(64, Setup.BYTES);
				byte[] body = new byte[random.nextInt(200)];
				random.nextBytes(body);
				byte[] noise = record((byte) random.nextInt(6), body,
						random.nextBoolean() ? body.length : random.nextInt(300));
				publish(raw, ring, noise);
				assertThat(attempt.get(20, TimeUnit.SECONDS)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
						(unavailable) -> assertThat(unavailable.reason()).doesNotContain("bug"));
				raw.close();
			}
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	private static MemoryFabric.MemoryQueuePair accept(Verbs.Listener listener) throws VerbsException {
		QueuePair accepted = listener.accept(() -> RdmaConnection.resources(options()));
		assertThat(accepted).isNotNull();
		return (MemoryFabric.MemoryQueuePair) accepted;
	}

	@Test
	void roomThatWasNeverTakenCannotBeReturned() throws Exception {
		RdmaPathServer server = server(options());
		MemoryFabric.MemoryQueuePair raw = raw(server);
		setUp(raw);
		raw.write(0, 0, 0, 0, QueuePair.IMMEDIATE, Immediate.of(Immediate.CREDIT, 16));
		soon().until(() -> refused(server, Refusal.MALFORMED) == 1);
		soon().until(() -> server.metrics().open().sum() == 0);
		raw.close();
	}

	@Test
	void pingsAreAnsweredBeforeAnyFrame() throws Exception {
		RdmaPathServer server = server(options());
		MemoryFabric.MemoryQueuePair raw = raw(server);
		setUp(raw);
		raw.write(0, 0, 0, 0, QueuePair.IMMEDIATE, Immediate.of(Immediate.PING, 0));
		Seen seen = new Seen();
		soon().until(() -> raw.poll(8, seen) >= 0 && !seen.immediates.isEmpty());
		assertThat(Immediate.kind(seen.immediates.get(0))).isEqualTo(Immediate.PONG);
		raw.close();
	}

	@Test
	void anInboundRingTrustsNoNumber() {
		Random random = new Random(99);
		int refusals = 0;
		RendezvousReceiver rendezvous = new RendezvousReceiver(
				this.fabric.pair(RdmaConnection.resources(options())).get(0));
		for (int i = 0; i < 20_000; i++) {
			ByteBuffer memory = ByteBuffer.allocate(1 << 10);
			byte[] noise = new byte[memory.capacity()];
			random.nextBytes(noise);
			memory.put(0, noise);
			InboundRing ring = new InboundRing(memory, memory.capacity(), 8, 300, rendezvous);
			try {
				for (int message = 0; message < 12; message++) {
					ring.published(Immediate.of(Immediate.DATA, random.nextInt(3) * 512L));
					while (ring.hasRecords()) {
						byte[] frame = ring.next(0);
						assertThat(frame == null || frame.length <= 340).isTrue();
					}
				}
			}
			catch (WireException ex) {
				refusals++;
			}
		}
		assertThat(refusals).isEqualTo(20_000);
	}

	@Test
	void setupMessagesAreChecked() throws Exception {
		ByteBuffer message = ByteBuffer.allocate(64);
		Setup setup = new Setup(0, 1 << 20, 256, 0x1234_5678_9abc_def0L, 77, 4);
		setup.write(message, 8);
		assertThat(Setup.read(message, 8, Setup.BYTES)).isEqualTo(setup);
		for (Setup bad : List.of(new Setup(0, 1 << 15, 256, 0, 0, 0), new Setup(0, 1 << 30, 256, 0, 0, 0),
				new Setup(0, 100_000, 256, 0, 0, 0), new Setup(0, -1, 256, 0, 0, 0), new Setup(0, 1 << 20, 0, 0, 0, 0),
				new Setup(0, 1 << 20, 1 << 20, 0, 0, 0), new Setup(0, 1 << 20, 256, 0, 0, -1),
				new Setup(0, 1 << 20, 256, 0, 0, 65))) {
			bad.write(message, 8);
			assertThatExceptionOfType(WireException.class).isThrownBy(() -> Setup.read(message, 8, Setup.BYTES))
				.returns(Refusal.MALFORMED, WireException::refusal);
		}
		setup.write(message, 8);
		assertThatExceptionOfType(WireException.class).isThrownBy(() -> Setup.read(message, 8, Setup.BYTES - 1));
	}

}
