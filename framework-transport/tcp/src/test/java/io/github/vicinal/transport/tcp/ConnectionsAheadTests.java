package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.tcp.HandshakeFailure.Kind;
import io.github.vicinal.transport.tcp.TcpProperties.ClientAuth;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Connections to where a service registry says that a peer listens. */
@Timeout(60)
class ConnectionsAheadTests extends TcpTestSupport {

	private static final String LOCAL = "127.0.0.1";

	private static final byte[] ONE = { 1 };

	/** Long enough for a slow machine. */
	private static final TcpOptions PATIENT = options(Duration.ofSeconds(40), Duration.ofSeconds(5));

	private static Certificates certificates;

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		certificates = new Certificates(directory).authority("ca")
			.authority("other")
			.signed("server", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("client", "ca")
			.signed("renewed", "ca")
			.signed("stranger", "other", "-ext", "san=ip:127.0.0.1");
	}

	private static Tls clientTls() throws Exception {
		return Tls.client(certificates.material("client", "ca"), true);
	}

	private TcpPathServer server(TcpOptions options, String key) throws Exception {
		return server(options, Tls.server(certificates.material(key, "ca"), ClientAuth.NEED));
	}

	private static String address(TcpPathServer server) {
		return server.address().orElseThrow();
	}

	/** Waits until TLS has begun on a connection on which nobody has spoken. */
	private static void awaitSubject(TcpPathServer server, String subject) {
		await().untilAsserted(() -> assertThat(server.clients()).singleElement()
			.satisfies((client) -> assertThat(client).containsEntry("subject", subject)));
	}

	@Test
	void aPathTakesTheConnectionThatWasOpenedAhead() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		TcpPathProvider provider = provider(PATIENT, clientTls());
		provider.prepare(LOCAL, address(server));
		awaitSubject(server, "CN=client,O=Test");
		provider.prepare(LOCAL, address(server));
		CallPath path = connect(provider, server);
		assertThat(value(path.call(bytes(new byte[100_000])))).isEqualTo(new byte[100_000]);
		assertThat(path.details()).containsEntry("subject", "CN=server,O=Test");
		// There is one already.
		provider.prepare(LOCAL, address(server));
		CallPath other = connect(provider, server);
		assertThat(value(other.call(bytes(ONE)))).isEqualTo(ONE);
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	@Test
	void aConnectionThatIsStillBeingOpenedIsTaken() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		TcpPathProvider provider = provider(PATIENT, clientTls());
		for (int i = 0; i < 20; i++) {
			provider.prepare(LOCAL, address(server));
			CallPath path = connect(provider, server);
			assertThat(value(path.call(bytes(ONE)))).isEqualTo(ONE);
			path.close();
		}
		assertThat(server.metrics().accepted().sum()).isEqualTo(20);
	}

	@Test
	void anotherInstanceAtTheAddressIsNotUsed() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		TcpPathProvider provider = provider(PATIENT, clientTls());
		provider.prepare(LOCAL, address(server));
		awaitSubject(server, "CN=client,O=Test");
		assertThat(attempt(provider, PeerIdentity.create(HOST), address(server))).isInstanceOfSatisfying(
				PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.reason()).contains("wrong-instance"));
		await().until(() -> server.metrics().open().sum() == 0);
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	@Test
	void aConnectionThatIsNotTakenIsClosedBeforeTheServerMissesTheHello() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		TcpPathProvider provider = provider(options(Duration.ofSeconds(3), Duration.ZERO), clientTls());
		provider.prepare(LOCAL, address(server));
		await().until(() -> server.metrics().accepted().sum() == 1 && server.metrics().open().sum() == 0);
		assertThat(server.metrics().refusals().values()).allSatisfy((count) -> assertThat(count.sum()).isZero());
		assertThat(server.metrics().calls().sum()).isZero();
	}

	@Test
	void aConnectionThatTheServerHasClosedIsNotTaken() throws Exception {
		TcpPathServer server = server(options(Duration.ofMillis(500), Duration.ZERO), "server");
		TcpPathProvider provider = provider(PATIENT, clientTls());
		provider.prepare(LOCAL, address(server));
		await().until(() -> server.metrics().accepted().sum() == 1 && server.metrics().open().sum() == 0);
		await().untilAsserted(() -> {
			PathProvider.Attempt attempt = attempt(provider, this.peer, address(server));
			assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
			assertThat(value(((PathProvider.Connected) attempt).path().call(bytes(ONE)))).isEqualTo(ONE);
		});
	}

	@Test
	void aConnectionWithTheFormerContentOfTheBundleIsNotTaken() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		Tls tls = clientTls();
		TcpPathProvider provider = provider(PATIENT, tls);
		provider.prepare(LOCAL, address(server));
		awaitSubject(server, "CN=client,O=Test");
		tls.replace(() -> renewed());
		assertThat(value(connect(provider, server).call(bytes(ONE)))).isEqualTo(ONE);
		awaitSubject(server, "CN=renewed,O=Test");
	}

	private static TlsMaterial renewed() {
		try {
			return certificates.material("renewed", "ca");
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aServerThatIsNotTrustedIsExplainedByThePathThatNeedsIt() throws Exception {
		TcpPathServer server = server(PATIENT, "stranger");
		TcpPathProvider provider = provider(PATIENT, clientTls());
		provider.prepare(LOCAL, address(server));
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_REFUSED) == 1);
		await().until(() -> server.metrics().open().sum() == 0);
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_UNTRUSTED)).isZero();
		PathProvider.Attempt attempt = attempt(provider, this.peer, address(server));
		assertThat(((PathProvider.Unavailable) attempt).reason())
			.contains("no authority that the SSL bundle 'mesh' trusts");
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_UNTRUSTED)).isOne();
	}

	/**
	 * An address that is not dialled cannot be observed, so one that is dialled follows
	 * it.
	 */
	@Test
	void onlyTheHostThatRequestsGoToIsDialled() throws Exception {
		try (ServerSocket any = listener()) {
			int port = any.getLocalPort();
			TcpPathProvider provider = provider(PATIENT, clientTls());
			provider.prepare("127.0.0.2", LOCAL + ":" + port);
			provider.prepare("", LOCAL + ":" + port);
			for (String address : List.of("localhost:" + port, LOCAL, ":" + port, LOCAL + ":0", LOCAL + ":99999", "",
					"0.0.0.0:" + port, LOCAL + ":" + port + ",127.0.0.3:" + port, "1".repeat(1 << 20) + ":" + port)) {
				provider.prepare(LOCAL, address);
			}
			provider(PATIENT, null).prepare(LOCAL, LOCAL + ":" + port);
			provider(small().connectsAhead(false).build(), clientTls()).prepare(LOCAL, LOCAL + ":" + port);
			provider.prepare("127.0.0.9", "127.0.0.9:" + port);
			try (Socket dialled = any.accept()) {
				assertThat(dialled.getLocalAddress().getHostAddress()).isEqualTo("127.0.0.9");
				assertThat(dialled.getInputStream().read()).as("a TLS handshake").isEqualTo(22);
			}
			isSilent(any);
		}
	}

	@Test
	void fewConnectionsWaitAtATime() throws Exception {
		List<Socket> dialled = new ArrayList<>();
		try (ServerSocket any = listener()) {
			TcpPathProvider provider = provider(PATIENT, clientTls());
			for (int i = 1; i <= 2 * ConnectionsAhead.MAX_WAITING; i++) {
				provider.prepare("127.0.1." + i, "127.0.1." + i + ":" + any.getLocalPort());
			}
			for (int i = 0; i < ConnectionsAhead.MAX_WAITING; i++) {
				dialled.add(any.accept());
			}
			isSilent(any);
			provider.close();
			for (Socket socket : dialled) {
				assertThat(socket.getInputStream().readAllBytes()).as("what came before the end").isNotEmpty();
			}
		}
		finally {
			for (Socket socket : dialled) {
				socket.close();
			}
		}
	}

	@Test
	void whatCannotBeDialledTakesNoRoom() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		EventLoops loops = new EventLoops("test-tcp-client", PATIENT);
		this.closeables.push(loops::close);
		Tls tls = clientTls();
		Dialler none = new Dialler(loops, PATIENT, tls) {

			@Override
			ChannelFuture dial(InetSocketAddress address, ChannelHandler... handlers) {
				return address.getHostString().equals(LOCAL) ? super.dial(address, handlers)
						: withoutDescriptor(loops, address);
			}

		};
		ConnectionsAhead ahead = new ConnectionsAhead(none, PATIENT);
		for (int i = 1; i <= ConnectionsAhead.MAX_WAITING; i++) {
			ahead.open(new InetSocketAddress("127.0.1." + i, 1));
		}
		InetSocketAddress target = target(server);
		ahead.open(target);
		assertThat(ahead.take(target)).isNotNull();
	}

	/** The future that Netty returns while the process has no file descriptor left. */
	private static ChannelFuture withoutDescriptor(EventLoops loops, InetSocketAddress address) {
		ChannelFuture failed = new Bootstrap().group(loops.group()).channelFactory(() -> {
			throw new ChannelException("too many open files");
		}).handler(new ChannelInboundHandlerAdapter()).connect(address);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> failed.channel().eventLoop());
		return failed;
	}

	private static InetSocketAddress target(TcpPathServer server) {
		String address = address(server);
		return new InetSocketAddress(LOCAL, Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
	}

	@Test
	void aConnectionThatEndsBeforeItIsHandedOverIsReplacedByANewOne() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		opensAnew(server, (dialler) -> {
			ConnectionsAhead ahead = new ConnectionsAhead(dialler, PATIENT);
			ahead.open(target(server));
			ChannelFuture taken = Objects.requireNonNull(ahead.take(target(server)));
			taken.syncUninterruptibly().channel().close().syncUninterruptibly();
			return taken;
		});
	}

	@Test
	void aConnectionThatCannotBeOpenedAheadIsReplacedByANewOne() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		InetSocketAddress closed;
		try (ServerSocket any = listener()) {
			closed = new InetSocketAddress(LOCAL, any.getLocalPort());
		}
		opensAnew(server, (dialler) -> dialler.dial(closed));
	}

	private void opensAnew(TcpPathServer server, Function<Dialler, ChannelFuture> ahead) throws Exception {
		EventLoops loops = new EventLoops("test-tcp-client", PATIENT);
		this.closeables.push(loops::close);
		Tls tls = clientTls();
		Dialler dialler = new Dialler(loops, PATIENT, tls);
		ClientConnection connection = new ClientConnection(this.peer.instanceId(), PATIENT, tls,
				new HandshakeCounters(LoggerFactory.getLogger(ConnectionsAheadTests.class)), 0, () -> {
				});
		connection.open(dialler, target(server), ahead.apply(dialler));
		assertThat(connection.isOpen()).isTrue();
		assertThat(connection.details()).containsEntry("subject", "CN=server,O=Test");
	}

	/** As HTTP connects anew: nothing was asked of the server yet. */
	@Test
	void aConnectionThatEndsAfterItWasHandedOverIsReplacedByANewOne() throws Exception {
		TcpPathServer server = server(PATIENT);
		EventLoops loops = new EventLoops("test-tcp-client", PATIENT);
		this.closeables.push(loops::close);
		Dialler dialler = new Dialler(loops, PATIENT, null);
		ConnectionsAhead ahead = new ConnectionsAhead(dialler, PATIENT);
		try (ServerSocket leaving = listener()) {
			InetSocketAddress address = new InetSocketAddress(LOCAL, leaving.getLocalPort());
			ahead.open(address);
			CompletableFuture<Integer> hello = CompletableFuture.supplyAsync(() -> firstByte(leaving));
			PeerConnections connections = new PeerConnections(target(server),
					(congested) -> new ClientConnection(this.peer.instanceId(), PATIENT, null,
							new HandshakeCounters(LoggerFactory.getLogger(ConnectionsAheadTests.class)), 0, congested),
					(connection) -> connection.open(dialler, target(server), ahead.take(address)), () -> 0, PATIENT);
			connections.open();
			assertThat(hello.get(20, TimeUnit.SECONDS)).isEqualTo((int) 'V');
			assertThat(connections.isOpen()).isTrue();
			assertThat(server.metrics().accepted().sum()).isOne();
			connections.close();
		}
	}

	/** Returns the first byte that a client sends, and leaves it. */
	private static int firstByte(ServerSocket listener) {
		try (Socket client = listener.accept()) {
			return client.getInputStream().read();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void aNameThatIsNotAnsweredForHoldsNobodyUp() throws Exception {
		TcpPathServer server = server(PATIENT, "server");
		CountDownLatch answered = new CountDownLatch(1);
		this.closeables.push(answered::countDown);
		TcpPathProvider provider = new TcpPathProvider(PeerIdentity.create(HOST), CODECS, PATIENT, clientTls(),
				(host) -> {
					if (host.equals("hang.example")) {
						hang(answered);
					}
					return InetAddress.getAllByName(host.equals("elsewhere.example") ? "127.0.0.2" : LOCAL);
				});
		this.closeables.push(provider);
		provider.prepare("hang.example", address(server));
		provider.prepare("elsewhere.example", address(server));
		provider.prepare("service.example", address(server));
		awaitSubject(server, "CN=client,O=Test");
		assertThat(value(connect(provider, server).call(bytes(ONE)))).isEqualTo(ONE);
		answered.countDown();
		provider.prepare("hang.example", address(server));
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	private static void hang(CountDownLatch answered) {
		try {
			answered.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void aServerThatSpeaksFirstIsLeft() throws Exception {
		try (ServerSocket any = listener()) {
			provider(PATIENT, clientTls()).prepare(LOCAL, LOCAL + ":" + any.getLocalPort());
			try (Socket dialled = any.accept()) {
				dialled.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8));
				dialled.setSoTimeout(20_000);
				assertThat(dialled.getInputStream().readAllBytes()).as("what came before the end").isNotEmpty();
			}
		}
	}

	private static ServerSocket listener() throws IOException {
		ServerSocket any = new ServerSocket(0, 200, InetAddress.getByName("0.0.0.0"));
		any.setSoTimeout(20_000);
		return any;
	}

	private static void isSilent(ServerSocket listener) throws IOException {
		listener.setSoTimeout(200);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> closed(listener.accept()));
		listener.setSoTimeout(20_000);
	}

	private static @Nullable Object closed(Socket socket) throws IOException {
		socket.close();
		return null;
	}

}
