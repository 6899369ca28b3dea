package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.multiplex.MultiplexedPath;
import io.github.vicinal.transport.tcp.TcpProperties.ClientAuth;
import io.github.vicinal.transport.wire.ClientBinding;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Further connections to a peer. Mostly the server has stopped to read from the first
 * one, so that a call which is answered has gone by another.
 */
@Timeout(60)
class PeerConnectionsTests extends TcpTestSupport {

	/** Deadline of calls that may take a connection which carries nothing any more. */
	private static final long SOON_MILLIS = 200;

	private static final byte[] ONE = { 1 };

	/** Long enough for a slow machine to answer what has filled a connection. */
	private static final Duration DRAIN = Duration.ofSeconds(40);

	/** Those that were made, the first one first. */
	private final List<ClientConnection> made = new CopyOnWriteArrayList<>();

	private final List<CompletableFuture<Reply>> waiting = new ArrayList<>();

	private final AtomicInteger generation = new AtomicInteger();

	/** Whether the next connection cannot be made. */
	private final AtomicBoolean fails = new AtomicBoolean();

	/** Whether connections that keep calls waiting say so; else the test does. */
	private boolean watched;

	private TcpPathServer server;

	private PeerConnections connections;

	private CallPath path;

	private void connect(TcpOptions.Builder serverOptions, TcpOptions.Builder clientOptions) throws Exception {
		connect(serverOptions, null, clientOptions, null);
	}

	/** A server that holds 2 MB of calls, and a client that sends more. */
	private void connect(TcpOptions.Builder serverOptions, @Nullable Tls accepting, TcpOptions.Builder clientOptions,
			@Nullable Tls connecting) throws Exception {
		this.server = server(serverOptions.maxFrameBytes(1 << 20).drainTimeout(DRAIN).build(), accepting);
		TcpOptions options = clientOptions.maxFrameBytes(32 << 20).drainTimeout(DRAIN).build();
		EventLoops loops = new EventLoops("test-tcp-client", options);
		this.closeables.push(loops::close);
		String address = this.server.address().orElseThrow();
		int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
		HandshakeCounters handshakes = new HandshakeCounters(LoggerFactory.getLogger(PeerConnectionsTests.class));
		InetSocketAddress target = new InetSocketAddress("127.0.0.1", port);
		Dialler dialler = new Dialler(loops, options, connecting);
		this.connections = new PeerConnections(target, (congested) -> {
			if (this.fails.getAndSet(false)) {
				throw new IllegalStateException("no connection can be made");
			}
			ClientConnection connection = new ClientConnection(this.peer.instanceId(), options, connecting, handshakes,
					0, () -> {
						if (this.watched) {
							congested.run();
						}
					});
			this.made.add(connection);
			return connection;
		}, (connection) -> connection.open(dialler, target, null), this.generation::get, options);
		this.closeables.push(this.connections::close);
		this.connections.open();
		this.path = MultiplexedPath.bind(TcpPathProvider.KIND, this.connections,
				new ClientBinding(this.connections.nextBinding(), this.contract, CODECS), new LongAdder(), () -> {
				});
	}

	/**
	 * Sends calls by the first connection until the server reads no more of them, and the
	 * kernel takes no more. Its buffers may still grow by a few megabytes.
	 */
	private void fill() throws Exception {
		String text = "x".repeat(900_000);
		while (this.made.get(0).unsentBytes() < 16 << 20) {
			this.waiting.add(later(this.path, call("slow", text, CallFrame.NO_DEADLINE)));
			CountDownLatch written = new CountDownLatch(1);
			this.made.get(0).later(written::countDown, 0);
			assertThat(written.await(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	private long open() {
		return this.server.metrics().open().sum();
	}

	/** Fills the first connection, opens a further one, and waits until calls take it. */
	private void further() throws Exception {
		fill();
		this.connections.congested();
		await().until(() -> open() == 2);
		await().ignoreExceptionsInstanceOf(PathException.class).untilAsserted(() -> isAnswered(SOON_MILLIS));
	}

	private void isAnswered() throws PathException {
		isAnswered(TimeUnit.SECONDS.toMillis(20));
	}

	private void isAnswered(long millis) throws PathException {
		CallFrame soon = call("bytes", ONE, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
		assertThat(value(this.path.call(soon))).isEqualTo(ONE);
	}

	/** Lets handlers end, and waits for the calls that filled the first connection. */
	private void release() throws Exception {
		this.released.countDown();
		for (CompletableFuture<Reply> call : this.waiting) {
			assertThat(value(call.get(20, TimeUnit.SECONDS))).isInstanceOf(String.class);
		}
	}

	@Test
	void callsGoByAFurtherConnectionWhileTheFirstHasABacklog() throws Exception {
		connect(small(), small());
		further();
		assertThat(this.path.details()).containsEntry("connections", 2).containsEntry("inFlight", this.waiting.size());
		for (int i = 0; i < 100; i++) {
			isAnswered();
		}
		assertThat(value(later(this.path, bytes(ONE)).get(20, TimeUnit.SECONDS))).isEqualTo(ONE);
		assertThat(this.waiting).noneMatch(CompletableFuture::isDone);
		release();
	}

	@Test
	void callsGoByTheFirstConnectionWhileItHasNoBacklog() throws Exception {
		connect(small(), small());
		this.connections.congested();
		await().until(() -> this.path.details().get("connections").equals(2));
		assertThat(this.connections.further((connection) -> true)).isNull();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		assertThat(this.made.get(0).inFlight()).isOne();
		assertThat(this.made.get(1).isIdle()).isTrue();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
	}

	@Test
	void anotherContractIsBoundOnAFurtherConnectionBeforeItsFirstCallThere() throws Exception {
		connect(small(), small());
		CallPath other = MultiplexedPath.bind(TcpPathProvider.KIND, this.connections,
				new ClientBinding(this.connections.nextBinding(), this.contract, CODECS), new LongAdder(), () -> {
				});
		further();
		await().ignoreExceptionsInstanceOf(PathException.class).untilAsserted(() -> {
			CallFrame soon = call("bytes", ONE, System.nanoTime() + 200_000_000);
			assertThat(value(other.call(soon))).isEqualTo(ONE);
		});
		assertThat(this.server.metrics().refusals().values()).allSatisfy((count) -> assertThat(count.sum()).isZero());
	}

	@Test
	void aDeadlineEndsACallOnAFurtherConnection() throws Exception {
		connect(small(), small());
		further();
		assertThatExceptionOfType(PathException.class)
			.isThrownBy(() -> this.path.call(slow(System.nanoTime() + 50_000_000)))
			.returns(PathException.Reason.TIMEOUT, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		assertThat(failure(later(this.path, slow(System.nanoTime() + 50_000_000))).reason())
			.isEqualTo(PathException.Reason.TIMEOUT);
		assertThat(this.made.get(1).isIdle()).isTrue();
		isAnswered();
		release();
		// Late answers end no connection.
		assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
		assertThat(this.made.get(1).isOpen()).isTrue();
	}

	@Test
	void anInterruptEndsACallOnAFurtherConnection() throws Exception {
		connect(small(), small());
		further();
		AtomicBoolean interrupted = new AtomicBoolean();
		Thread caller = new Thread(() -> {
			try {
				this.path.call(slow(CallFrame.NO_DEADLINE));
			}
			catch (PathException ex) {
				interrupted.set(ex.reason() == PathException.Reason.INTERRUPTED && ex.maybeExecuted());
			}
		});
		caller.start();
		await().until(() -> this.made.get(1).inFlight() == 1);
		caller.interrupt();
		caller.join(20_000);
		assertThat(interrupted).isTrue();
		assertThat(this.made.get(1).isIdle()).isTrue();
		isAnswered();
	}

	@Test
	void aServerThatStopsAnswersWhatItHasBegunOnFurtherConnections() throws Exception {
		connect(small(), small());
		further();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		isAnswered();
		this.server.stopAccepting();
		await().until(() -> !this.path.isOpen());
		this.connections.leave();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> open() == 0);
	}

	@Test
	void whenTheFirstConnectionBreaksCallsOnFurtherOnesAreAnswered() throws Exception {
		connect(small(), small());
		further();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		this.made.get(0).close();
		assertThat(this.path.isOpen()).isFalse();
		for (CompletableFuture<Reply> call : this.waiting) {
			assertThat(failure(call).reason()).isEqualTo(PathException.Reason.PEER_GONE);
		}
		this.connections.leave();
		assertThat(slow).isNotDone();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> open() == 0);
	}

	@Test
	void whenAFurtherConnectionBreaksThePathGoesOn() throws Exception {
		connect(small(), small());
		further();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		this.made.get(1).close();
		PathException failure = failure(slow);
		assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThat(this.path.isOpen()).isTrue();
		release();
		assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
	}

	@Test
	void connectionsThatAreReplacedAnswerTheirCallsFirst() throws Exception {
		connect(small(), small());
		further();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		this.connections.renew("the SSL bundle was reloaded");
		assertThat(this.path.isOpen()).isFalse();
		this.connections.congested();
		release();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> open() == 0);
		assertThat(this.made).hasSize(2);
	}

	@Test
	void aReloadOfTheServerReplacesAllConnectionsWithTls(@TempDir Path directory) throws Exception {
		Certificates certificates = new Certificates(directory).authority("ca")
			.signed("server", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("client", "ca");
		Tls accepting = Tls.server(certificates.material("server", "ca"), ClientAuth.NEED);
		connect(small(), accepting, small(), Tls.client(certificates.material("client", "ca"), true));
		further();
		assertThat(this.server.clients()).hasSize(2)
			.allSatisfy((client) -> assertThat(client).containsEntry("tls", "TLSv1.3")
				.containsEntry("subject", "CN=client,O=Test"));
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		TlsMaterial reloaded = certificates.material("server", "ca");
		accepting.replace(() -> reloaded);
		await().until(() -> this.made.stream().noneMatch(ClientConnection::isOpen));
		assertThat(this.path.isOpen()).isFalse();
		assertThat(this.path.reasonToRenew()).isEqualTo("the peer asks for a new connection");
		this.connections.leave();
		release();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> open() == 0);
	}

	@Test
	void aConnectionWithTheFormerContentOfTheBundleIsNotUsed() throws Exception {
		connect(small(), small());
		// Reloaded since the first connection was made, as if while this one is opened.
		this.generation.incrementAndGet();
		this.connections.congested();
		await().until(() -> this.made.size() == 2);
		await().until(() -> this.server.metrics().accepted().sum() == 2 && open() == 1);
		assertThat(this.path.details()).containsEntry("connections", 1);
		assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
	}

	@Test
	void whenThePathIsLeftCallsOnAllConnectionsAreAnswered() throws Exception {
		connect(small(), small());
		further();
		CompletableFuture<Reply> slow = later(this.path, slow(CallFrame.NO_DEADLINE));
		await().until(() -> this.made.get(1).inFlight() == 1);
		this.connections.leave();
		assertThat(this.path.isOpen()).isFalse();
		assertThat(slow).isNotDone();
		release();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> open() == 0);
	}

	@Test
	void aConnectionThatWasLeftClosesWhenItsCallsAreGivenUp() throws Exception {
		connect(small(), small());
		CompletableFuture<Reply> slow = later(this.path, slow(System.nanoTime() + 200_000_000));
		await().until(() -> this.made.get(0).inFlight() == 1);
		this.connections.leave();
		assertThat(failure(slow).reason()).isEqualTo(PathException.Reason.TIMEOUT);
		await().until(() -> open() == 0);
	}

	@Test
	void aFurtherConnectionThatIsNotNeededIsClosed() throws Exception {
		connect(small(), small().idleTimeout(Duration.ofMillis(200)));
		fill();
		// On a busy machine a further connection may be closed before it gets a call.
		await().atMost(Duration.ofSeconds(40)).until(() -> {
			ClientConnection busy = busy();
			if (busy == null) {
				this.connections.congested();
				if (this.connections.further((connection) -> true) != null) {
					this.waiting.add(later(this.path, slow(CallFrame.NO_DEADLINE)));
				}
				return false;
			}
			long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(600);
			await().until(() -> System.nanoTime() - until > 0);
			return busy.isOpen() && busy.inFlight() > 0;
		});
		release();
		await().until(() -> open() == 1);
		assertThat(this.path.details()).containsEntry("connections", 1);
		assertThat(this.made.get(0).isOpen()).isTrue();
		assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
	}

	/** Returns a further connection that is open and has a call in flight. */
	private @Nullable ClientConnection busy() {
		return this.made.stream()
			.skip(1)
			.filter((connection) -> connection.isOpen() && connection.inFlight() > 0)
			.findFirst()
			.orElse(null);
	}

	@Test
	void aFurtherConnectionWhereAContractIsNotBoundKeepsCallsFromNoOther() throws Exception {
		connect(small(), small().maxConnectionsPerPeer(3));
		fill();
		this.connections.congested();
		await().until(() -> this.path.details().get("connections").equals(2));
		await().until(() -> {
			this.connections.congested();
			return this.path.details().get("connections").equals(3);
		});
		for (int i = 1; i < 3; i++) {
			ClientConnection bound = this.made.get(i);
			assertThat(this.connections.further(bound::equals)).isSameAs(bound);
		}
	}

	@Test
	void aFurtherConnectionThatNoCallMayTakeIsClosed() throws Exception {
		connect(small(), small().idleTimeout(Duration.ofMillis(200)));
		fill();
		this.connections.congested();
		await().until(() -> open() == 2);
		await().until(() -> {
			assertThat(this.connections.further((connection) -> false)).isNull();
			return open() == 1;
		});
	}

	@Test
	void aFurtherConnectionThatHasEndedMakesRoomForAnother() throws Exception {
		connect(small(), small().maxConnectionsPerPeer(2).idleTimeout(Duration.ofMinutes(5)));
		this.connections.congested();
		await().until(() -> this.path.details().get("connections").equals(2));
		this.made.get(1).close();
		await().until(() -> {
			this.connections.congested();
			return this.made.size() == 3;
		});
		await().until(() -> this.path.details().get("connections").equals(2));
	}

	@Test
	void whenAFurtherConnectionCannotBeMadeAnotherIsTriedLater() throws Exception {
		connect(small(), small());
		this.fails.set(true);
		this.connections.congested();
		await().until(() -> !this.fails.get());
		// When it is open, nothing is under way when the server stops.
		await().atMost(Duration.ofSeconds(50)).until(() -> {
			this.connections.congested();
			return this.path.details().get("connections").equals(2);
		});
	}

	@Test
	void aServerWithoutRoomForFurtherConnectionsHurtsNoCall() throws Exception {
		connect(small().maxConnections(1), small());
		this.connections.congested();
		await().until(() -> this.server.metrics().refusals().get("connections").sum() == 1);
		await().until(() -> !this.made.get(1).isOpen());
		assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
		assertThat(this.path.details()).containsEntry("connections", 1);
	}

	@Test
	void thereAreNoMoreConnectionsThanAllowed() throws Exception {
		connect(small(), small().maxConnectionsPerPeer(3));
		await().until(() -> {
			this.connections.congested();
			return this.path.details().get("connections").equals(3);
		});
		for (int i = 0; i < 100; i++) {
			this.connections.congested();
			assertThat(value(this.path.call(bytes(ONE)))).isEqualTo(ONE);
		}
		assertThat(this.made).hasSize(3);
		assertThat(open()).isEqualTo(3);
	}

	@Test
	void callersThatWaitForEachOtherGetFurtherConnections() throws Exception {
		this.watched = true;
		connect(small().maxThreads(64), small());
		load(this.path, () -> open() > 1);
		assertThat(open()).isGreaterThan(1);
	}

	@Test
	void oneCallerNeedsNoFurtherConnection() throws Exception {
		this.watched = true;
		connect(small(), small());
		byte[] body = new byte[256 << 10];
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
		while (System.nanoTime() - until < 0) {
			assertThat(value(this.path.call(bytes(body)))).isEqualTo(body);
		}
		assertThat(this.server.metrics().accepted().sum()).isOne();
	}

}
