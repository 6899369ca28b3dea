package io.github.vicinal.transport.wire;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AddressLiteralTests {

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "10.0.0.255", "0.0.0.0", "::1", "fe80::1", "FE80::1", "::ffff:10.0.0.7" })
	void addresses(String text) throws Exception {
		assertThat(AddressLiteral.parse(text)).isEqualTo(InetAddress.getByName(text));
	}

	/** The JDK asks a name server for some of these. */
	@ParameterizedTest
	@ValueSource(strings = { "", "localhost", "256.1.1.1", "999.999.999.999", "1.2.3", "1.2.3.4.5", "127.1", "1", ".:1",
			"[::1]", "::1%lo", "g::1", "a.b:c", "example.org", "127.0.0.1 " })
	void names(String text) {
		assertThat(AddressLiteral.parse(text)).isNull();
	}

	@Test
	void aLongTextIsNotLookedAt() {
		assertThat(AddressLiteral.parse("0:".repeat(40))).isNull();
	}

	@Test
	void addressesWithPorts() throws Exception {
		assertThat(announced("10.0.0.7:4711"))
			.isEqualTo(new InetSocketAddress(InetAddress.getByAddress(new byte[] { 10, 0, 0, 7 }), 4711));
		assertThat(announced("::1:4711")).isEqualTo(new InetSocketAddress(InetAddress.getByName("::1"), 4711));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":", "10.0.0.7", "10.0.0.7:", "10.0.0.7:0", "10.0.0.7:-1", "10.0.0.7:65536",
			"10.0.0.7:x", "host:4711" })
	void nothingToConnectTo(String text) {
		assertThat(announced(text)).isNull();
	}

	private static InetSocketAddress announced(String text) {
		return AddressLiteral.announced(text, AddressLiteral::parse);
	}

}
