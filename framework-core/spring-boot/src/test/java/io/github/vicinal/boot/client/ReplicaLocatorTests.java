package io.github.vicinal.boot.client;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.replica.Locality;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ReplicaLocatorTests {

	private static final String HERE = "a".repeat(32);

	private static final String THERE = "b".repeat(32);

	private final Channel channel = new Channel(
			new ChannelSettings("baskets", List.of(PathKind.HTTP), null, Duration.ofSeconds(1), false),
			ExchangeContractReader.contract(Baskets.class), List.of(), Runnable::run, Clock.systemUTC());

	private final ReplicaLocator locator = new ReplicaLocator(this.channel, () -> PeerIdentity.create(HERE), "z1",
			Runnable::run);

	private void announce(String address, String host) {
		this.channel.peer(address)
			.announced(new PeerAnnouncement(PeerIdentity.create(host), Set.of("uds"), "0".repeat(16), ""),
					System.nanoTime());
	}

	@ParameterizedTest
	@CsvSource({ "localhost:80, HOST", "127.0.0.1:80, HOST", "127.9.9.9:1, HOST", "198.51.100.1:80, ANY",
			"'[::1]:80', HOST", "no-such-host.invalid:80, ANY" })
	void anAddressOfThisMachineIsThisHost(String address, Locality locality) {
		this.locator.locate(address);
		assertThat(this.locator.locate(address).locality()).isEqualTo(locality);
	}

	@Test
	void announcementsCountForMoreThanAddresses() {
		announce("127.0.0.1:80", THERE);
		assertThat(this.locator.locate("127.0.0.1:80").locality()).isEqualTo(Locality.ANY);
		assertThat(this.locator.locate("127.0.0.1:80").why()).contains("another host");
		announce("198.51.100.1:80", HERE);
		assertThat(this.locator.locate("198.51.100.1:80").locality()).isEqualTo(Locality.HOST);
		announce("127.0.0.1:81", PeerIdentity.NO_HOST);
		assertThat(this.locator.locate("127.0.0.1:81").locality()).as("it could not say").isEqualTo(Locality.HOST);
	}

	@Test
	void zonesAreThoseOfTheInstances() {
		this.locator.zones(Map.of("198.51.100.1:80", "Z1", "198.51.100.2:80", "z2"));
		assertThat(this.locator.locate("198.51.100.1:80").locality()).isEqualTo(Locality.ZONE);
		assertThat(this.locator.locate("198.51.100.2:80").locality()).isEqualTo(Locality.ANY);
		assertThat(this.locator.locate("198.51.100.2:80").why()).contains("z2").contains("z1");
	}

}
