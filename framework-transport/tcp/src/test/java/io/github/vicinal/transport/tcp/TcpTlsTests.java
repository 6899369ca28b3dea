package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.tcp.HandshakeFailure.Kind;
import io.github.vicinal.transport.tcp.TcpProperties.ClientAuth;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * TLS with certificates of authorities that nobody else knows. Alerts and messages differ
 * by the release of the JDK.
 */
@Tag("every-jdk")
@Timeout(60)
class TcpTlsTests extends TcpTestSupport {

	private static final String[] LOOPBACK = { "-ext", "san=ip:127.0.0.1" };

	private static final String[] EXPIRED = { "-ext", "san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5" };

	private static Certificates certificates;

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		certificates = new Certificates(directory).authority("ca")
			.authority("other")
			.signed("server", "ca", LOOPBACK)
			.signed("client", "ca")
			.signed("elsewhere", "ca", "-ext", "san=ip:192.0.2.7,dns:localhost")
			.signed("expired", "ca", EXPIRED)
			.signed("stranger", "other", LOOPBACK);
	}

	private static TlsMaterial material(@Nullable String key, String... trusted) throws Exception {
		return certificates.material(key, trusted);
	}

	private static Tls serverTls(String key, String... trusted) throws Exception {
		return Tls.server(material(key, trusted), ClientAuth.NEED);
	}

	private static Tls clientTls(@Nullable String key, String... trusted) throws Exception {
		return Tls.client(material(key, trusted), true);
	}

	private static byte[] one() {
		return new byte[] { 1 };
	}

	private String refusal(TcpPathProvider provider, TcpPathServer server) {
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		assertThat(attempt).isInstanceOf(PathProvider.Unavailable.class);
		PathProvider.Unavailable unavailable = (PathProvider.Unavailable) attempt;
		assertThat(unavailable.retryable()).isTrue();
		return unavailable.reason();
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.3", "TLSv1.2" })
	void bothSidesSeeTheCertificateOfTheOther(String protocol) throws Exception {
		TcpPathServer server = server(options(),
				Tls.server(certificates.material(protocol, "server", "ca"), ClientAuth.NEED));
		CallPath path = connect(provider(Tls.client(certificates.material(protocol, "client", "ca"), true)), server);
		byte[] body = new byte[1_000_003];
		body[1_000_000] = 7;
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(path.details()).containsEntry("tls", protocol).containsEntry("subject", "CN=server,O=Test");
		assertThat(server.clients()).singleElement()
			.satisfies((client) -> assertThat(client).containsEntry("tls", protocol)
				.containsEntry("subject", "CN=client,O=Test"));
	}

	@Test
	void otherVersionsThan13AreSpokenOnlyIfTheBundleNamesThem() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		TcpPathProvider provider = provider(Tls.client(certificates.material("TLSv1.2", "client", "ca"), true));
		assertThat(refusal(provider, server)).contains("the TLS handshake with").contains("protocol_version");
		assertThat(provider.handshakes().sum(Kind.OTHER)).isEqualTo(1);
		await().until(() -> server.handshakes().sum(Kind.OTHER) == 1);
	}

	@Test
	void metersCountBytesAndFailedHandshakesOfBothSides() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		List<PathMeter> meters = TcpMeters.of(() -> server, () -> provider);
		List<PathMeter> nobody = TcpMeters.of(() -> null, () -> null);
		assertThat(nobody).allSatisfy((meter) -> assertThat(meter.value().getAsDouble()).isZero());
		CallPath path = connect(provider, server);
		assertThat(value(path.call(bytes(new byte[1000])))).isEqualTo(new byte[1000]);
		assertThat(meter(meters, "vicinal.tcp.connections", Map.of())).isEqualTo(1);
		double carried = meter(meters, "vicinal.tcp.bytes", Map.of("side", "client"));
		assertThat(carried).isGreaterThan(2000).isEqualTo(path.bytesCarried());
		// The server counts the frames of the binding, too.
		assertThat(meter(meters, "vicinal.tcp.bytes", Map.of("side", "server"))).isGreaterThan(carried);
		TcpPathProvider refused = provider(clientTls(null, "ca"));
		refusal(refused, server);
		Map<String, String> missing = Map.of("side", "server", "reason", "certificate-missing");
		await().until(() -> meter(meters, "vicinal.tcp.handshakes.refused", missing) == 1);
		assertThat(meter(TcpMeters.of(() -> null, () -> refused), "vicinal.tcp.handshakes.refused",
				Map.of("side", "client", "reason", "certificate-missing")))
			.isEqualTo(1);
		assertThat(meter(meters, "vicinal.tcp.refusals", Map.of("reason", "stranger"))).isZero();
	}

	private static double meter(List<PathMeter> meters, String name, Map<String, String> tags) {
		return meters.stream()
			.filter((meter) -> meter.name().equals(name) && meter.tags().equals(tags))
			.findFirst()
			.orElseThrow()
			.value()
			.getAsDouble();
	}

	@Test
	void withoutTlsTheDetailsSaySo() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		assertThat(path.details()).containsEntry("tls", "no").containsEntry("subject", "");
		assertThat(server.clients()).singleElement()
			.satisfies((client) -> assertThat(client).containsEntry("tls", "no"));
	}

	@Test
	void nothingIsReadableOnTheWire() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		try (Relay relay = new Relay(server.address().orElseThrow())) {
			// The proof names the address, so a relay ends the connection; by then both
			// have spoken.
			String reason = ((PathProvider.Unavailable) attempt(provider(clientTls("client", "ca")), this.peer,
					relay.address()))
				.reason();
			assertThat(reason).contains("wrong-instance");
			assertThat(relay.seen()).isNotEmpty().doesNotContain("Vcnl").doesNotContain(this.peer.instanceId());
		}
	}

	@Test
	void aClientWithoutACertificateIsRefused() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		TcpPathProvider provider = provider(clientTls(null, "ca"));
		assertThat(refusal(provider, server)).contains("asks for a certificate")
			.contains("the SSL bundle 'mesh' has none")
			.contains("vicinal.tcp.ssl.client-auth=want");
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_MISSING)).isEqualTo(1);
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_MISSING) == 1);
		await().until(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void aClientWithoutACertificateIsRefusedByTls12() throws Exception {
		TcpPathServer server = server(options(),
				Tls.server(certificates.material("TLSv1.2", "server", "ca"), ClientAuth.NEED));
		TcpPathProvider provider = provider(Tls.client(certificates.material("TLSv1.2", null, "ca"), true));
		// Newer JDKs send another alert, which does not say that a certificate is
		// missing.
		assertThat(refusal(provider, server)).containsAnyOf("asks for a certificate", "see the log of the other side");
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_MISSING) == 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "NONE", "WANT" })
	void aCertificateOfTheClientIsOptional(ClientAuth auth) throws Exception {
		TcpPathServer server = server(options(), Tls.server(material("server", "ca"), auth));
		CallPath path = connect(provider(clientTls(null, "ca")), server);
		assertThat(value(path.call(bytes(one())))).isEqualTo(one());
		assertThat(server.clients().get(0)).containsEntry("subject", "");
	}

	@Test
	void aWrongCertificateIsRefusedWhereNoneIsNeeded() throws Exception {
		TcpPathServer server = server(options(), Tls.server(material("server", "ca"), ClientAuth.WANT));
		TcpPathProvider provider = provider(clientTls("stranger", "ca"));
		// The JDK's client sends no certificate of an authority that the server did not
		// name, so this one connects as nobody.
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		if (attempt instanceof PathProvider.Connected) {
			assertThat(server.clients().get(0)).containsEntry("subject", "");
		}
		else {
			assertThat(server.handshakes().sum(Kind.CERTIFICATE_UNTRUSTED)).isEqualTo(1);
		}
	}

	@Test
	void aServerOfAnUnknownAuthorityIsRefused() throws Exception {
		TcpPathServer server = server(options(), serverTls("stranger", "ca"));
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		assertThat(refusal(provider, server)).contains("no authority that the SSL bundle 'mesh' trusts")
			.contains(server.address().orElseThrow())
			.contains("add its authority to the trust store");
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_UNTRUSTED)).isEqualTo(1);
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_REFUSED) == 1);
	}

	@Test
	void anExpiredCertificateOfTheServerIsRefused() throws Exception {
		TcpPathServer server = server(options(), serverTls("expired", "ca"));
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		assertThat(refusal(provider, server)).contains("outside its dates").contains("NotAfter").contains("renew it");
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_EXPIRED)).isEqualTo(1);
		// Newer JDKs say why they refuse.
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_REFUSED)
				+ server.handshakes().sum(Kind.CERTIFICATE_EXPIRED) == 1);
	}

	@Test
	void anExpiredCertificateOfTheClientIsRefused() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		TcpPathProvider provider = provider(clientTls("expired", "ca"));
		assertThat(refusal(provider, server)).contains("refused the certificate of the SSL bundle 'mesh'")
			.contains("renew it");
		assertThat(server.handshakes().sum(Kind.CERTIFICATE_EXPIRED)).isEqualTo(1);
	}

	@Test
	void anExpiredCertificateIsRefusedEvenWhereItIsTrustedItself() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca", "expired"));
		TcpPathProvider provider = provider(clientTls("expired", "ca"));
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		assertThat(((PathProvider.Unavailable) attempt).reason())
			.contains("the certificate of the client is outside its dates; renew it");
		assertThat(server.handshakes().sum(Kind.CERTIFICATE_EXPIRED)).isEqualTo(1);
		TcpPathServer expired = server(options(), serverTls("expired", "ca"));
		assertThat(refusal(provider(clientTls("client", "ca", "expired")), expired)).contains("outside its dates");
	}

	/**
	 * As when the files of a bundle were swapped, and only one of them is the new one. No
	 * handshake would succeed.
	 */
	@Test
	void aKeyThatDoesNotBelongToItsCertificateCannotBeUsed() throws Exception {
		String why = "the SSL bundle 'mesh' cannot be used: a key does not belong to its certificate";
		Tls client = Tls.client(swapped("client"), true);
		assertThat(client.unusable().orElseThrow()).startsWith(why).contains("CN=client");
		TcpPathServer wrong = server(options(), Tls.server(swapped("server"), ClientAuth.NEED));
		assertThat(wrong.unavailable().orElseThrow()).startsWith(why).contains("CN=server");
	}

	@Test
	void aReloadWithAKeyThatDoesNotBelongToItsCertificateChangesNothing() throws Exception {
		Tls tls = serverTls("server", "ca");
		TcpPathServer server = server(options(), tls);
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		CallPath path = connect(provider, server);
		TlsMaterial swapped = swapped("server");
		tls.replace(() -> swapped);
		assertThat(path.isOpen()).isTrue();
		path.close();
		assertThat(value(connect(provider, server).call(bytes(one())))).isEqualTo(one());
		assertThat(failed(server.handshakes())).isZero();
	}

	private static TlsMaterial swapped(String certificate) throws Exception {
		return certificates.material(certificates.keys("stranger", certificate), true, "ca");
	}

	private static long failed(HandshakeCounters handshakes) {
		return Arrays.stream(Kind.values()).mapToLong(handshakes::sum).sum();
	}

	/** The certificate alone does not make it a client. */
	@Test
	void aClientWithACertificateThatSaysNoHelloIsSentAway() throws Exception {
		TcpPathServer server = server(options(Duration.ofMillis(500), Duration.ZERO), serverTls("server", "ca"));
		TcpPathProvider provider = provider(
				small().handshakeTimeout(Duration.ofSeconds(40)).drainTimeout(Duration.ZERO).build(),
				clientTls("client", "ca"));
		provider.prepare("127.0.0.1", server.address().orElseThrow());
		await().until(() -> server.metrics().refusals().get("stalled").sum() == 1);
		await().until(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void theCertificateMustBeForTheAddress() throws Exception {
		TcpPathServer server = server(options(), serverTls("elsewhere", "ca"));
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		assertThat(refusal(provider, server)).contains("is not for that address")
			.contains("127.0.0.1")
			.contains("vicinal.tcp.ssl.verify-hostname=false");
		assertThat(provider.handshakes().sum(Kind.CERTIFICATE_ADDRESS)).isEqualTo(1);
		CallPath path = connect(provider(Tls.client(material("client", "ca"), false)), server);
		assertThat(value(path.call(bytes(one())))).isEqualTo(one());
	}

	@Test
	void aPlaintextClientLearnsThatThePortSpeaksTls() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		PathProvider.Attempt attempt = attempt(provider(null), this.peer, server.address().orElseThrow());
		assertThat(((PathProvider.Unavailable) attempt).reason())
			.contains("this port speaks TLS only; set vicinal.tcp.ssl.bundle at the client");
		assertThat(server.handshakes().sum(Kind.PLAINTEXT)).isEqualTo(1);
		await().until(() -> server.metrics().open().sum() == 0);
	}

	/** It was refused before TLS, and not because the server has none. */
	@Test
	void aClientBeyondTheLimitOfConnectionsLearnsThat() throws Exception {
		TcpPathServer server = server(small().maxConnections(1).build(), serverTls("server", "ca"));
		CallPath path = connect(provider(clientTls("client", "ca")), server);
		TcpPathProvider refused = provider(clientTls("client", "ca"));
		assertThat(refusal(refused, server)).contains("all 1 connections of the server are in use")
			.doesNotContain("without TLS");
		assertThat(server.metrics().refusals().get("connections").sum()).isEqualTo(1);
		assertThat(failed(server.handshakes())).isZero();
		assertThat(value(path.call(bytes(one())))).isEqualTo(one());
	}

	/** The thread that connects is late, as it may be under load. */
	@Test
	void aHandshakeThatFailsBeforeTheClientLooksIsExplained() throws Exception {
		TcpPathServer plaintext = server(options());
		TcpPathServer stranger = server(options(), serverTls("stranger", "ca"));
		TcpPathServer full = server(small().maxConnections(1).build(), serverTls("server", "ca"));
		connect(provider(clientTls("client", "ca")), full);
		assertThat(lateFailure(plaintext)).hasMessageContaining("answers without TLS");
		assertThat(lateFailure(stranger)).hasMessageContaining("no authority that the SSL bundle 'mesh' trusts");
		assertThat(lateFailure(full)).hasMessageContaining("all 1 connections of the server are in use");
	}

	private ConnectionException lateFailure(TcpPathServer server) throws Exception {
		Tls tls = clientTls("client", "ca");
		EventLoops loops = new EventLoops("late", options());
		this.closeables.push(loops::close);
		Dialler late = new Dialler(loops, options(), tls) {

			@Override
			ChannelFuture dial(InetSocketAddress address, ChannelHandler... handlers) {
				ChannelFuture connected = super.dial(address, handlers);
				await().until(() -> connected.isDone() && !connected.channel().isRegistered()
						&& connected.channel().pipeline().get(SslHandler.class) == null);
				return connected;
			}

		};
		ClientConnection connection = new ClientConnection(this.peer.instanceId(), options(), tls,
				new HandshakeCounters(LoggerFactory.getLogger(TcpTlsTests.class)), 0, () -> {
				});
		String[] address = server.address().orElseThrow().split(":");
		return catchThrowableOfType(ConnectionException.class,
				() -> connection.open(late, new InetSocketAddress(address[0], Integer.parseInt(address[1])), null));
	}

	@Test
	void anEncryptingClientDoesNotFallBackToPlaintext() throws Exception {
		TcpPathServer server = server(options());
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		assertThat(refusal(provider, server)).contains("answers without TLS").contains("vicinal.tcp.ssl.bundle=mesh");
		assertThat(provider.handshakes().sum(Kind.PLAINTEXT)).isEqualTo(1);
	}

	@Test
	void aClientThatSaysNothingInTlsIsSentAway() throws Exception {
		TcpPathServer server = server(options(Duration.ofMillis(100), Duration.ZERO), serverTls("server", "ca"));
		try (Socket socket = socket(server)) {
			// The beginning of a TLS record that never ends.
			socket.getOutputStream().write(new byte[] { 22, 3, 1, 1, 0, 1 });
			assertThat(socket.getInputStream().readAllBytes()).isEmpty();
		}
		await().until(() -> server.handshakes().sum(Kind.TIMEOUT) == 1);
		await().until(() -> server.metrics().open().sum() == 0);
		try (Socket socket = socket(server)) {
			assertThat(socket.getInputStream().readAllBytes()).isEmpty();
		}
		await().until(() -> server.handshakes().sum(Kind.TIMEOUT) == 2);
	}

	/** Each byte is progress, and still it takes too long. */
	@Test
	void aClientThatSpeaksTlsByteByByteIsSentAwayAndOthersGoOn() throws Exception {
		TcpPathServer server = server(options(Duration.ofMillis(500), Duration.ZERO), serverTls("server", "ca"));
		CallPath path = connect(provider(clientTls("client", "ca")), server);
		// A TLS record of 16 KB: a ClientHello that does not end.
		byte[] hello = new byte[16_000];
		System.arraycopy(new byte[] { 22, 3, 1, 0x3e, 0, 1, 0, 0x3d, (byte) 0xfc, 3, 3 }, 0, hello, 0, 11);
		try (Socket socket = socket(server)) {
			socket.setTcpNoDelay(true);
			int sent = 0;
			while (server.handshakes().sum(Kind.TIMEOUT) == 0) {
				assertThat(sent).isLessThan(hello.length);
				socket.getOutputStream().write(hello, sent++, 1);
				assertThat(value(path.call(bytes(one())))).isEqualTo(one());
			}
		}
		catch (SocketException ex) {
			assertThat(ex).hasMessageMatching("(?i).*(reset|broken pipe).*");
		}
		await().until(() -> server.metrics().open().sum() == 1);
		assertThat(server.handshakes().sum(Kind.TIMEOUT)).isOne();
	}

	@Test
	void aClientWhoseBundleIsSwappedForThatOfAStrangerIsRefusedAndOthersGoOn() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		TcpPathProvider steady = provider(clientTls("client", "ca"));
		CallPath other = connect(steady, server);
		Tls tls = clientTls("client", "ca");
		TcpPathProvider provider = provider(tls);
		CallPath path = connect(provider, server);
		tls.replace(() -> reloaded("stranger", "ca"));
		assertThat(path.isOpen()).isFalse();
		path.close();
		refusal(provider, server);
		// The JDK shows no certificate of an authority that the server does not name.
		await().until(() -> server.handshakes().sum(Kind.CERTIFICATE_MISSING)
				+ server.handshakes().sum(Kind.CERTIFICATE_UNTRUSTED) == 1);
		assertThat(value(other.call(bytes(one())))).isEqualTo(one());
		tls.replace(() -> reloaded("client", "ca"));
		assertThat(value(connect(provider, server).call(bytes(one())))).isEqualTo(one());
		assertThat(other.isOpen()).isTrue();
	}

	@Test
	void aServerThatSaysNothingInTlsIsLeft() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			TcpPathProvider provider = new TcpPathProvider(PeerIdentity.create(HOST), CODECS,
					options(Duration.ofMillis(200), Duration.ZERO), clientTls("client", "ca"));
			this.closeables.push(provider);
			PathProvider.Attempt attempt = attempt(provider, this.peer, "127.0.0.1:" + silent.getLocalPort());
			assertThat(((PathProvider.Unavailable) attempt).reason())
				.contains("did not complete the TLS handshake in time");
			assertThat(provider.handshakes().sum(Kind.TIMEOUT)).isEqualTo(1);
		}
	}

	@Test
	void bytesAfterTheBeginningOfTlsHurtNobody() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca"));
		CallPath path = connect(provider(clientTls("client", "ca")), server);
		Random random = new Random(42);
		for (int i = 0; i < 100; i++) {
			byte[] hostile = new byte[5 + random.nextInt(400)];
			random.nextBytes(hostile);
			hostile[0] = (byte) (20 + random.nextInt(4));
			hostile[1] = 3;
			hostile[2] = (byte) random.nextInt(5);
			try (Socket socket = socket(server)) {
				socket.getOutputStream().write(hostile);
				socket.shutdownOutput();
				socket.getInputStream().readAllBytes();
			}
			catch (SocketException ex) {
				assertThat(ex).hasMessageMatching("(?i).*(reset|broken pipe).*");
			}
		}
		assertThat(value(path.call(bytes(one())))).isEqualTo(one());
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void aServerNeedsAKeyAndATrustStore() throws Exception {
		TcpPathServer keyless = server(options(), Tls.server(material(null, "ca"), ClientAuth.NEED));
		assertThat(keyless.unavailable().orElseThrow()).isEqualTo(
				"the SSL bundle 'mesh' cannot be used: it has no key, which a server needs; add a key store or a private key");
		assertThat(keyless.address()).isEmpty();
		TcpPathServer trusting = server(options(), Tls.server(material("server"), ClientAuth.NEED));
		assertThat(trusting.unavailable().orElseThrow())
			.contains("every client with a certificate of a public authority");
		assertThat(server(options(), Tls.server(material("server"), ClientAuth.NONE)).unavailable()).isEmpty();
	}

	@Test
	void aReloadOfTheServerReplacesConnections() throws Exception {
		Tls tls = serverTls("server", "ca");
		TcpPathServer server = server(options(), tls);
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		CallPath path = connect(provider, server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		tls.replace(() -> reloaded("server", "other"));
		await().until(() -> !path.isOpen());
		path.close();
		assertThat(slow).isNotDone();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 0);
		// The authority of the client is no longer trusted.
		refusal(provider, server);
		tls.replace(() -> reloaded("server", "ca"));
		assertThat(value(connect(provider, server).call(bytes(one())))).isEqualTo(one());
	}

	@Test
	void aReloadOfTheClientReplacesConnections() throws Exception {
		TcpPathServer server = server(options(), serverTls("server", "ca", "other"));
		Tls tls = clientTls("client", "ca");
		TcpPathProvider provider = provider(tls);
		CallPath path = connect(provider, server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		tls.replace(() -> reloaded("stranger", "ca"));
		assertThat(path.isOpen()).isFalse();
		CallPath next = connect(provider, server);
		assertThat(value(next.call(bytes(one())))).isEqualTo(one());
		assertThat(server.clients()).extracting((client) -> client.get("subject"))
			.containsExactlyInAnyOrder("CN=client,O=Test", "CN=stranger,O=Test");
		path.close();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 1);
		assertThat(value(next.call(bytes(one())))).isEqualTo(one());
	}

	@Test
	void aConnectionWhoseClientStaysIsClosedAfterTheDrainTimeout() throws Exception {
		Tls tls = serverTls("server", "ca");
		TcpPathServer server = server(options(Duration.ofSeconds(5), Duration.ofMillis(50)), tls);
		CallPath path = connect(provider(clientTls("client", "ca")), server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		tls.replace(() -> reloaded("server", "ca"));
		assertThat(failure(slow).maybeExecuted()).isTrue();
	}

	@Test
	void aReloadThatCannotBeUsedChangesNothing() throws Exception {
		Tls tls = serverTls("server", "ca");
		TcpPathServer server = server(options(), tls);
		TcpPathProvider provider = provider(clientTls("client", "ca"));
		CallPath path = connect(provider, server);
		tls.replace(() -> reloaded(null, "ca"));
		tls.replace(() -> {
			throw new IllegalStateException("the file is damaged");
		});
		assertThat(path.isOpen()).isTrue();
		assertThat(value(path.call(bytes(one())))).isEqualTo(one());
		path.close();
		assertThat(value(connect(provider, server).call(bytes(one())))).isEqualTo(one());
	}

	private static TlsMaterial reloaded(@Nullable String key, String trusted) {
		try {
			return material(key, trusted);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void aPeerOfAnotherHostIsDialledAtItsAddress() throws Exception {
		Optional<InetAddress> address = NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((known) -> !known.isLoopbackAddress() && !known.isLinkLocalAddress())
			.filter((known) -> known.getAddress().length == 4)
			.findFirst();
		assumeThat(address).as("this host has no address but the loopback address").isPresent();
		String host = address.orElseThrow().getHostAddress();
		TcpPathServer server = server(small().listeningOn("0.0.0.0", 0).announcedAddress(host).build(),
				serverTls("server", "ca"));
		assertThat(server.address().orElseThrow()).startsWith(host + ":");
		PeerIdentity elsewhere = new PeerIdentity(this.peer.instanceId(), "f".repeat(32));
		TcpPathProvider strict = provider(clientTls("client", "ca"));
		assertThat(((PathProvider.Unavailable) attempt(strict, elsewhere, server.address().orElseThrow())).reason())
			.contains("is not for that address");
		PathProvider.Attempt attempt = attempt(provider(Tls.client(material("client", "ca"), false)), elsewhere,
				server.address().orElseThrow());
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		assertThat(value(((PathProvider.Connected) attempt).path().call(bytes(one())))).isEqualTo(one());
	}

	@Test
	void aLoopbackAddressOfAnotherHostIsNotDialled() throws Exception {
		assertThat(attempt(provider(clientTls("client", "ca")), PeerIdentity.create("f".repeat(32)), "127.0.0.1:1"))
			.isEqualTo(new PathProvider.Unavailable("the peer is on another host, and listens on its loopback address "
					+ "127.0.0.1:1 only; set vicinal.tcp.address there", false));
	}

	/** Passes bytes on and keeps them. */
	private static final class Relay implements AutoCloseable {

		private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));

		private final StringBuffer seen = new StringBuffer();

		Relay(String target) throws Exception {
			int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
			Thread thread = new Thread(() -> {
				try (Socket client = this.listener.accept(); Socket server = new Socket("127.0.0.1", port)) {
					Thread back = new Thread(() -> copy(server, client));
					back.start();
					copy(client, server);
					back.join();
				}
				catch (Exception ex) {
					this.seen.append(ex);
				}
			});
			thread.setDaemon(true);
			thread.start();
		}

		private void copy(Socket from, Socket to) {
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				byte[] buffer = new byte[4096];
				for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
					this.seen.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
					out.write(buffer, 0, count);
				}
				to.shutdownOutput();
			}
			catch (IOException ex) {
				// One side has ended.
			}
		}

		String address() {
			return "127.0.0.1:" + this.listener.getLocalPort();
		}

		String seen() {
			return this.seen.toString();
		}

		@Override
		public void close() throws Exception {
			this.listener.close();
		}

	}

}
