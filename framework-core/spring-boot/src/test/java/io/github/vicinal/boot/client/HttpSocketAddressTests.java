package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

/** A socket stands for the address at which requests arrive at the peer, and no other. */
class HttpSocketAddressTests {

	private static final String OVER_SOCKET = "unix domain socket";

	@TempDir
	private Path directory;

	private final Channel channel = new Channel(
			new ChannelSettings("baskets", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false, true),
			ExchangeContractReader.contract(Baskets.class), List.of(), Runnable::run, Clock.systemUTC());

	private Rendezvous rendezvous;

	private PeerIdentity peer;

	private HttpSockets sockets;

	@BeforeEach
	void openSocket() throws IOException {
		this.rendezvous = Rendezvous.open(this.directory.resolve("meet").toString());
		this.peer = PeerIdentity.create(this.rendezvous.hostId());
		this.sockets = new HttpSockets(() -> this.rendezvous, () -> PeerIdentity.create(this.rendezvous.hostId()));
		Files.createFile(this.rendezvous.httpSocket(this.peer.instanceId()).orElseThrow());
	}

	private String transport(String uri, String announcedAddress) {
		URI to = URI.create(uri);
		this.channel.peer(HttpAddress.of(to))
			.announced(
					new PeerAnnouncement(this.peer, Set.of(), "", "http only").withHttpSocket(8080, announcedAddress),
					System.nanoTime());
		this.sockets.find(this.channel, to);
		return this.channel.report()
			.peers()
			.stream()
			.filter((report) -> report.address().equals(HttpAddress.of(to)))
			.map((report) -> String.valueOf(report.paths()
				.stream()
				.filter((path) -> path.path().equals("http"))
				.findFirst()
				.orElseThrow()
				.details()
				.get("transport")))
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.1, 127.0.0.1", "[::1], 0:0:0:0:0:0:0:1", "[fe80::1], fe80:0:0:0:0:0:0:1" })
	void anAddressIsItself(String host, String announced) {
		assertThat(transport("http://" + host + ":8080/x", announced)).isEqualTo(OVER_SOCKET);
	}

	@Test
	void aNameIsAnyOfItsAddresses() throws IOException {
		for (InetAddress address : InetAddress.getAllByName("localhost")) {
			assertThat(transport("http://localhost:8080/x", address.getHostAddress())).isEqualTo(OVER_SOCKET);
		}
	}

	@ParameterizedTest
	@CsvSource({ "127.0.0.2, 127.0.0.1", "localhost, 10.0.0.7", "[::1], 127.0.0.1" })
	void whatForwardsIsNotBypassed(String host, String announced) {
		assertThat(transport("http://" + host + ":8080/x", announced)).startsWith("tcp: ")
			.contains("something between them forwards", announced);
	}

	@Test
	void anAnnouncementThatDoesNotSayItIsNoReasonForASocket() {
		assertThat(transport("http://127.0.0.1:8080/x", "")).startsWith("tcp: ").contains("does not say");
	}

	@Test
	void answersOverTheSocketNeedNotSayIt() {
		transport("http://127.0.0.1:8080/x", "127.0.0.1");
		assertThat(transport("http://127.0.0.1:8080/x", "")).isEqualTo(OVER_SOCKET);
		assertThat(transport("http://127.0.0.1:8080/x", "10.0.0.7")).as("something was put between them")
			.startsWith("tcp: ");
		assertThat(transport("http://127.0.0.1:8080/x", "")).startsWith("tcp: ");
	}

	@Test
	void aHostThatIsNotKnownIsAskedByTcp() {
		assertThat(transport("http://no-such-host.invalid:8080/x", "127.0.0.1")).startsWith("tcp: ")
			.contains("no-such-host.invalid");
	}

}
