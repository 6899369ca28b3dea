package io.github.vicinal.boot.exchange;

import java.util.List;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class AskedPeersTests {

	@Test
	void thisMachineIsAsked() {
		AskedPeers peers = new AskedPeers(List.of(), () -> null);
		assertThat(peers.mayAsk("localhost", 8080, false)).isTrue();
		assertThat(peers.mayAsk("127.0.0.1", 8080, false)).isTrue();
		assertThat(peers.mayAsk("LOCALHOST", 80, false)).isTrue();
	}

	@Test
	void othersAreNotAsked() {
		AskedPeers peers = new AskedPeers(List.of(), () -> null);
		// For documentation, so that no machine has it.
		assertThat(peers.mayAsk("192.0.2.1", 80, false)).isFalse();
		assertThat(peers.mayAsk("2001:db8::1", 80, false)).isFalse();
		assertThat(peers.mayAsk("no-such-host.invalid", 80, false)).isFalse();
	}

	@Test
	void namedOnesAreAsked() {
		AskedPeers peers = new AskedPeers(List.of("192.0.2.1:8080", "Orders", "*.shop.invalid"), () -> null);
		assertThat(peers.mayAsk("192.0.2.1", 8080, false)).isTrue();
		assertThat(peers.mayAsk("192.0.2.1", 8081, false)).isFalse();
		assertThat(peers.mayAsk("orders", 1, false)).isTrue();
		assertThat(peers.mayAsk("a.shop.invalid", 1, false)).isTrue();
		assertThat(peers.mayAsk("a.b.shop.invalid", 1, false)).isTrue();
		assertThat(peers.mayAsk("shop.invalid", 1, false)).isFalse();
		assertThat(peers.mayAsk("eshop.invalid", 1, false)).isFalse();
	}

	@Test
	void anApplicationDoesNotAskItself() {
		AskedPeers peers = new AskedPeers(List.of("localhost"), () -> 8080);
		assertThat(peers.mayAsk("localhost", 8080, false)).isFalse();
		assertThat(peers.mayAsk("localhost", 8081, false)).isTrue();
	}

	@Test
	void servicesAreAskedAtAddressesOfPrivateNetworksOnly() {
		AskedPeers asked = new AskedPeers(List.of(), () -> 8080);
		assertThat(asked.mayAsk("10.1.2.3", 80, true)).isTrue();
		assertThat(asked.mayAsk("192.168.7.7", 80, true)).isTrue();
		assertThat(asked.mayAsk("100.64.1.1", 80, true)).isTrue();
		assertThat(asked.mayAsk("[fd00::7]", 80, true)).isTrue();
		assertThat(asked.mayAsk("10.1.2.3", 80, false)).isFalse();
		assertThat(asked.mayAsk("8.8.8.8", 80, true)).isFalse();
		assertThat(asked.mayAsk("100.128.1.1", 80, true)).isFalse();
		assertThat(asked.mayAsk("[2001:db8::7]", 80, true)).isFalse();
		assertThat(asked.mayAsk("localhost", 8080, true)).isFalse();
	}

	@Test
	void addressesOfServicesAreAskedByEachClient() {
		AskedPeers asked = new AskedPeers(List.of(), () -> 8080);
		asked.service("10.1.2.3", 80);
		asked.service("8.8.8.8", 80);
		assertThat(asked.mayAsk("10.1.2.3", 80, false)).isTrue();
		assertThat(asked.mayAsk("10.1.2.3", 81, false)).isFalse();
		assertThat(asked.mayAsk("8.8.8.8", 80, false)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://orders:8080", "orders/api", "10.0.0.0/8", "orders:port", "orders:" })
	void whatIsNoHostIsRefused(String peer) {
		assertThatExceptionOfType(InvalidChannelException.class)
			.isThrownBy(() -> AskedPeers.verify(List.of("shop", peer)))
			.withMessage("The value '" + peer + "' of vicinal.http-exchanges.peers is not a host")
			.extracting(InvalidChannelException::action)
			.asString()
			.contains("such as orders, *.shop.svc.cluster.local or 10.0.0.7:8080");
	}

	@Test
	void hostsAreNotRefused() {
		assertThatNoException().isThrownBy(() -> AskedPeers.verify(List.of("orders", " Orders:8080 ",
				"*.shop.svc.cluster.local", "10.0.0.7:80", "[fd00::1]:80", "fd00::1", "")));
	}

}
