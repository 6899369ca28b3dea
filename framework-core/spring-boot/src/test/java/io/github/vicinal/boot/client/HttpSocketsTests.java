package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.client.HttpSockets.HttpSocket;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

class HttpSocketsTests {

	private static final URI PEER = URI.create("http://127.0.0.1:8080/baskets");

	@TempDir
	private Path directory;

	private final Channel channel = new Channel(
			new ChannelSettings("baskets", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false, true),
			ExchangeContractReader.contract(Baskets.class), List.of(), Runnable::run, Clock.systemUTC());

	private PeerIdentity announce(Rendezvous rendezvous) throws IOException {
		PeerIdentity peer = PeerIdentity.create(rendezvous.hostId());
		Files.createFile(rendezvous.httpSocket(peer.instanceId()).orElseThrow());
		this.channel.peer("127.0.0.1:8080")
			.announced(new PeerAnnouncement(peer, Set.of("uds"), "0".repeat(16), "").withHttpSocket(8080, "127.0.0.1"),
					System.nanoTime());
		return peer;
	}

	@Test
	void aSocketThatRefusesSaysNothingOfTheInstanceThatCameSince() throws IOException {
		Rendezvous rendezvous = Rendezvous.open(this.directory.resolve("meet").toString());
		PeerIdentity self = PeerIdentity.create(rendezvous.hostId());
		HttpSockets sockets = new HttpSockets(() -> rendezvous, () -> self);
		PeerIdentity first = announce(rendezvous);
		HttpSocket old = sockets.find(this.channel, PEER);
		assertThat(old).isNotNull();
		assertThat(old.instanceId()).isEqualTo(first.instanceId());

		PeerIdentity second = announce(rendezvous);
		sockets.refused(this.channel, PEER, old, "refused");

		HttpSocket next = sockets.find(this.channel, PEER);
		assertThat(next).isNotNull();
		assertThat(next.instanceId()).isEqualTo(second.instanceId());
		sockets.refused(this.channel, PEER, next, "refused");
		assertThat(sockets.find(this.channel, PEER)).isNull();
	}

}
