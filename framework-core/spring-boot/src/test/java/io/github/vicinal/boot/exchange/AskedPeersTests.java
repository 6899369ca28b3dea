package io.github.vicinal.boot.exchange;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AskedPeersTests {

	@Test
	void thisMachineIsAsked() {
		AskedPeers peers = new AskedPeers(List.of(), () -> null);
		assertThat(peers.mayAsk("localhost", 8080)).isTrue();
		assertThat(peers.mayAsk("127.0.0.1", 8080)).isTrue();
		assertThat(peers.mayAsk("LOCALHOST", 80)).isTrue();
	}

	@Test
	void othersAreNotAsked() {
		AskedPeers peers = new AskedPeers(List.of(), () -> null);
		// For documentation, so that no machine has it.
		assertThat(peers.mayAsk("192.0.2.1", 80)).isFalse();
		assertThat(peers.mayAsk("2001:db8::1", 80)).isFalse();
		assertThat(peers.mayAsk("no-such-host.invalid", 80)).isFalse();
	}

	@Test
	void namedOnesAreAsked() {
		AskedPeers peers = new AskedPeers(List.of("192.0.2.1:8080", "Orders", "*.shop.invalid"), () -> null);
		assertThat(peers.mayAsk("192.0.2.1", 8080)).isTrue();
		assertThat(peers.mayAsk("192.0.2.1", 8081)).isFalse();
		assertThat(peers.mayAsk("orders", 1)).isTrue();
		assertThat(peers.mayAsk("a.shop.invalid", 1)).isTrue();
		assertThat(peers.mayAsk("a.b.shop.invalid", 1)).isTrue();
		assertThat(peers.mayAsk("shop.invalid", 1)).isFalse();
		assertThat(peers.mayAsk("eshop.invalid", 1)).isFalse();
	}

	@Test
	void anApplicationDoesNotAskItself() {
		AskedPeers peers = new AskedPeers(List.of("localhost"), () -> 8080);
		assertThat(peers.mayAsk("localhost", 8080)).isFalse();
		assertThat(peers.mayAsk("localhost", 8081)).isTrue();
	}

}
