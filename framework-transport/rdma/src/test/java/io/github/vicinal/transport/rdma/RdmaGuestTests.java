package io.github.vicinal.transport.rdma;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.zip.CRC32;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.tcp.TcpOptions;
import io.github.vicinal.transport.tcp.TcpPathProvider;
import io.github.vicinal.transport.tcp.TcpPathServer;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Calls over a real device: run by {@code guest/run} in a virtual machine with an
 * emulated one, and on a host that has one. The default build leaves them out.
 */
@Tag("guest")
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RdmaGuestTests extends RdmaTestSupport {

	private static final int SOAK = 5000;

	private static final int SOAK_IN_FLIGHT = 16;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/** Times are generous: the device is emulated on an emulated processor. */
	static RdmaOptions.Builder patient() {
		return small().handshakeTimeout(TIMEOUT).pings(TIMEOUT, TIMEOUT);
	}

	@Override
	RdmaDevices devices() {
		RdmaDevices devices = new RdmaDevices(patient().build());
		this.closeables.push(devices);
		return devices;
	}

	@Test
	@Order(1)
	void theDeviceIsFound() {
		assertThat(devices().support()).isInstanceOfSatisfying(RdmaSupport.Available.class, (available) -> {
			assertThat(available.verbs().name()).isEqualTo("ffm");
			assertThat(available.noAddress()).isEmpty();
		});
		assertThat(new RdmaHost(Path.of("/")).interfaces()).isNotEmpty();
	}

	@ParameterizedTest
	@Order(2)
	@EnumSource(value = CompletionMode.class, names = { "ADAPTIVE", "EVENT" })
	void bodiesFrom16BytesTo4MegabytesArriveIntact(CompletionMode mode) throws Exception {
		RdmaOptions options = patient().completionMode(mode).build();
		CallPath path = connect(provider(options), server(options));
		for (int size : new int[] { 16, 100, 204, 205, 1024, 8_000, 102_400, 1 << 20, 4 << 20 }) {
			byte[] body = new byte[size];
			new Random(size).nextBytes(body);
			assertThat(checksum((byte[]) value(path.call(bytes(body))))).isEqualTo(checksum(body));
			assertThat(value(later(path, bytes(body)).get(120, TimeUnit.SECONDS))).isEqualTo(body);
		}
		// Two calls each of 1 MB, in 5 pieces, and of 4 MB, in 17.
		assertThat(path.details()).containsEntry("rendezvousPieces", 44L);
	}

	@Test
	@Order(2)
	void bodiesThatAreNotReadTravelThroughTheRing() throws Exception {
		CallPath path = connect(provider(patient().rendezvousBytes(0).build()), server(patient().build()));
		byte[] body = new byte[1 << 20];
		new Random(2).nextBytes(body);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(path.details()).containsEntry("rendezvousPieces", 0L);
	}

	@Test
	@Order(6)
	void smallCallsAreAnsweredWhileLargeOnesAreRead() throws Exception {
		CallPath path = connect(provider(patient().build()), server(patient().build()));
		List<CompletableFuture<Reply>> large = new ArrayList<>();
		byte[] body = new byte[2 << 20];
		new Random(6).nextBytes(body);
		for (int i = 0; i < 3; i++) {
			large.add(later(path, bytes(body)));
		}
		for (int i = 0; i < 50; i++) {
			assertThat(value(path.call(bytes(new byte[] { (byte) i })))).isEqualTo(new byte[] { (byte) i });
		}
		for (CompletableFuture<Reply> call : large) {
			assertThat(checksum((byte[]) value(call.get(120, TimeUnit.SECONDS)))).isEqualTo(checksum(body));
		}
	}

	private static long checksum(byte[] bytes) {
		CRC32 sum = new CRC32();
		sum.update(bytes);
		return sum.getValue() << 32 | bytes.length;
	}

	@Test
	@Order(3)
	void aPortWhereNobodyListensIsRefused() {
		RdmaPathServer server = server(patient().build());
		String address = server.address().orElseThrow();
		server.close();
		assertThat(attempt(provider(patient().build()), this.peer, address))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("no server listens there");
				assertThat(unavailable.retryable()).isTrue();
			});
	}

	@Test
	@Order(4)
	void anAddressWithoutAHostTimesOut() {
		RdmaPathServer server = server(patient().build());
		String address = server.address().orElseThrow();
		String nobody = address.substring(0, address.lastIndexOf('.')) + ".77:7";
		RdmaPathProvider provider = provider(patient().handshakeTimeout(Duration.ofSeconds(2)).build());
		long start = System.nanoTime();
		assertThat(attempt(provider, this.peer, nobody)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.reason()).contains("cannot connect to"));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
	}

	@Test
	@Order(5)
	void anotherInstanceIsRefused() {
		RdmaPathServer server = server(patient().build());
		assertThat(attempt(provider(patient().build()), PeerIdentity.create(HOST), server.address().orElseThrow()))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class,
					(unavailable) -> assertThat(unavailable.reason()).contains("wrong-instance"));
	}

	@Test
	@Order(6)
	void aRingWrapsThousandsOfTimesWithoutAnError() throws Exception {
		// A thread may still be busy when its answer has arrived.
		CallPath path = connect(provider(patient().build()), server(patient().maxThreads(64).build()));
		Random random = new Random(11);
		List<byte[]> bodies = new ArrayList<>();
		List<CompletableFuture<Reply>> replies = new ArrayList<>();
		for (int sent = 0; sent < SOAK; sent += SOAK_IN_FLIGHT) {
			for (int i = 0; i < SOAK_IN_FLIGHT; i++) {
				byte[] body = new byte[random.nextInt((i == 0) ? 20_000 : 1500)];
				random.nextBytes(body);
				bodies.add(body);
				replies.add(later(path, bytes(body)));
			}
			for (int i = 0; i < SOAK_IN_FLIGHT; i++) {
				byte[] reply = (byte[]) value(replies.get(i).get(120, TimeUnit.SECONDS));
				assertThat(checksum(reply)).isEqualTo(checksum(bodies.get(i)));
			}
			bodies.clear();
			replies.clear();
		}
		assertThat(path.bytesCarried()).isGreaterThan(SOAK * 1000L);
	}

	@Test
	@Order(7)
	void callsWaitForRoomAndThenGoOn() throws Exception {
		CallPath path = connect(provider(patient().build()), server(patient().build()));
		List<CompletableFuture<Reply>> replies = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			byte[] body = new byte[200_000];
			Arrays.fill(body, (byte) i);
			replies.add(later(path, bytes(body)));
		}
		for (int i = 0; i < replies.size(); i++) {
			assertThat((byte[]) value(replies.get(i).get(120, TimeUnit.SECONDS))).hasSize(200_000).contains((byte) i);
		}
	}

	@Test
	@Order(8)
	void callsToAProcessThatIsKilledFail() throws Exception {
		Process child = child(List.of("serve", this.peer.instanceId()));
		try {
			String address = line(child);
			PathProvider.Attempt attempt = attempt(provider(patient().build()), this.peer, address);
			assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
			CallPath path = ((PathProvider.Connected) attempt).path();
			byte[] body = new byte[300_000];
			new Random(8).nextBytes(body);
			assertThat(value(path.call(bytes(body)))).isEqualTo(body);
			CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
			assertThat(value(path.call(bytes(new byte[] { 1 })))).isEqualTo(new byte[] { 1 });
			CompletableFuture<Reply> read = later(path, call("slow", "x".repeat(4 << 20), CallFrame.NO_DEADLINE));
			child.destroyForcibly();
			assertThat(failure(read).reason()).isEqualTo(PathException.Reason.PEER_GONE);
			PathException failure = failure(slow);
			assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
			assertThat(failure.maybeExecuted()).isTrue();
			assertThat(path.isOpen()).isFalse();
		}
		finally {
			child.destroyForcibly();
		}
	}

	/** Starts a JVM with the classes of this one. */
	private static Process child(List<String> arguments) throws Exception {
		return child("exec", arguments);
	}

	private static Process child(String prefix, List<String> arguments) throws Exception {
		String command = "%s %s/bin/java --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -cp %s %s %s"
			.formatted(prefix, System.getProperty("java.home"), System.getProperty("java.class.path"),
					RdmaGuestChild.class.getName(), String.join(" ", arguments));
		return new ProcessBuilder("/bin/sh", "-c", command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	private static String line(Process child) throws Exception {
		BufferedReader out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
		String line = out.readLine();
		assertThat(line).as("what the child says").isNotNull();
		return line;
	}

	@Test
	@Order(9)
	void aProcessThatMayLockTooLittleMemorySaysSo() throws Exception {
		Process child = child("ulimit -l 64; exec /bin/setpriv --reuid=65534 --regid=65534 --clear-groups",
				List.of("support"));
		assertThat(line(child)).contains("the process may lock 64 KB of memory, but one connection locks 132 KB")
			.contains("vicinal.rdma.ring-size");
		assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	@Order(10)
	void anAddressThatIsNotOnTheDeviceIsNamed() {
		RdmaDevices devices = new RdmaDevices(patient().listeningOn("127.0.0.9", 0).build());
		assertThat(devices.support()).isInstanceOfSatisfying(RdmaSupport.Available.class,
				(available) -> assertThat(available.noAddress())
					.startsWith("the address 127.0.0.9 is not on an RDMA interface"));
	}

	@Test
	@Order(11)
	void aDeviceThatIsRemovedInMidTrafficFailsCallsAtOnceAndOthersGoOnByTcp() throws Exception {
		RdmaPathServer server = server(patient().build());
		RdmaPathProvider provider = provider(patient().build());
		CallPath path = connect(provider, server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		Traffic traffic = traffic(provider, server);
		await().atMost(TIMEOUT).until(() -> traffic.answers("rdma") > 100);
		long start = System.nanoTime();
		Process removal = new ProcessBuilder("rdma", "link", "delete", "rxe0").inheritIO().start();
		PathException failure = failure(slow);
		long noticed = System.nanoTime();
		assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
		await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(5)).until(() -> traffic.answers("tcp") > 0);
		Duration fallback = Duration.ofNanos(traffic.firstAnswerByTcp() - noticed);
		System.out.printf(
				"in-flight call failed %d ms after the removal began, and tcp answered %d ms after that: %s%n",
				TimeUnit.NANOSECONDS.toMillis(noticed - start), fallback.toMillis(), failure.getMessage());
		assertThat(fallback).isLessThan(Duration.ofSeconds(1));
		await().atMost(TIMEOUT).until(() -> traffic.answers("tcp") > 100);
		traffic.stop();
		await().atMost(TIMEOUT).until(() -> server.unavailable().isPresent());
		assertThat(server.unavailable().orElseThrow()).contains("the RDMA device was lost");
		path.close();
		// The connection manager's library keeps the device open, and the kernel keeps
		// an emulated device for it, so that it can be added again after this process.
		System.out.printf("the kernel has %s the device%n",
				removal.waitFor(5, TimeUnit.SECONDS) ? "removed" : "not yet removed");
	}

	/** Calls one after the other, by whichever path the channel chooses. */
	private Traffic traffic(RdmaPathProvider provider, RdmaPathServer server) {
		ServiceRegistry registry = new ServiceRegistry();
		registry.register(service(this::echo));
		TcpPathServer tcpServer = new TcpPathServer(this.peer, registry, TcpOptions.builder().build());
		this.closeables.push(tcpServer);
		tcpServer.start();
		TcpPathProvider tcp = new TcpPathProvider(PeerIdentity.create(HOST), CODECS, TcpOptions.builder().build());
		this.closeables.push(tcp);
		ExecutorService connector = Executors.newCachedThreadPool();
		this.closeables.push(connector::shutdownNow);
		Channel channel = new Channel(
				new ChannelSettings("echo", List.of(RdmaPathProvider.KIND, TcpPathProvider.KIND), null,
						Duration.ofMillis(200), false),
				this.contract, List.of(provider, tcp), connector, Clock.systemUTC());
		this.closeables.push(channel);
		channel.peer("peer:80")
			.announced(
					new PeerAnnouncement(this.peer, Set.of("rdma", "tcp"), this.contract.hash(), "").withAddresses(
							Map.of("rdma", server.address().orElseThrow(), "tcp", tcpServer.address().orElseThrow())),
					System.nanoTime());
		return new Traffic(channel, () -> bytes(new byte[] { 7 }));
	}

	/** A caller, and what was answered. */
	private static final class Traffic {

		private final Map<String, AtomicLong> answers = new ConcurrentHashMap<>();

		private volatile long firstByTcp;

		private volatile boolean stopped;

		Traffic(Channel channel, Supplier<CallFrame> frames) {
			Thread thread = new Thread(() -> {
				while (!this.stopped) {
					call(channel, frames.get());
				}
			}, "traffic");
			thread.setDaemon(true);
			thread.start();
		}

		private void call(Channel channel, CallFrame frame) {
			Peer peer = channel.peer("peer:80");
			CallPath path = peer.path(frame.method(), frame.arguments());
			if (path == null) {
				Thread.onSpinWait();
				return;
			}
			try {
				peer.calls().call(path, frame);
				if (path.kind().equals(TcpPathProvider.KIND) && this.firstByTcp == 0) {
					this.firstByTcp = System.nanoTime();
				}
				this.answers.computeIfAbsent(path.kind().id(), (id) -> new AtomicLong()).incrementAndGet();
			}
			catch (PathException ex) {
				// The next call takes another path.
			}
		}

		long answers(String path) {
			return this.answers.getOrDefault(path, new AtomicLong()).get();
		}

		long firstAnswerByTcp() {
			return this.firstByTcp;
		}

		void stop() {
			this.stopped = true;
		}

	}

}
