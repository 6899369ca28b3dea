package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of the server about the connections of its clients. */
class ConnectionTicketsTests {

	private final ConnectionTickets tickets = new ConnectionTickets();

	private static ConnectionFacts facts(String host) {
		return new ConnectionFacts("http", "127.0.0.1", "127.0.0.1", "localhost", 8080, Set.of("accept"),
				Map.of("host", List.of(host)));
	}

	@Test
	void equalConnectionsHaveOneTicketAndOthersHaveAnother() {
		String ticket = this.tickets.ticket(facts("a:1"));
		assertThat(ticket).matches("[0-9a-f]{16}");
		assertThat(this.tickets.ticket(facts("a:1"))).isEqualTo(ticket);
		assertThat(this.tickets.ticket(facts("b:1"))).isNotEqualTo(ticket);
		assertThat(this.tickets.facts(ticket)).isEqualTo(facts("a:1"));
	}

	@Test
	void aMalformedTicketNamesNothing() {
		assertThat(this.tickets.facts(null)).isNull();
		assertThat(this.tickets.facts("0123456789abcdef")).isNull();
	}

	@Test
	void strangersCannotMakeTheServerRememberWithoutEnd() {
		String first = this.tickets.ticket(facts("first"));
		for (int i = 0; i < ConnectionTickets.MAX_TICKETS; i++) {
			this.tickets.ticket(facts("host-" + i));
		}
		assertThat(this.tickets.facts(first)).isNull();
		String renewed = this.tickets.ticket(facts("first"));
		assertThat(this.tickets.facts(renewed)).isEqualTo(facts("first"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			example.org        | example.org | 80
			example.org:8080   | example.org | 8080
			[::1]:8080         | [::1]       | 8080
			[::1]              | [::1]       | 80
			127.0.0.1:1        | 127.0.0.1   | 1
			""")
	void theHostHeaderNamesServerAndPort(String header, String name, int port) {
		assertThat(facts(header).serverName()).isEqualTo(name);
		assertThat(facts(header).serverPort()).isEqualTo(port);
	}

	@Test
	void headersOfTheClientItselfAreNoFactsOfItsConnection() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.addHeader("Host", "example.org");
		request.addHeader("User-Agent", "mine");
		request.addHeader("Connection", "Upgrade, HTTP2-Settings");
		ConnectionFacts facts = ConnectionFacts.of(request, Set.of("user-agent"));
		assertThat(facts).isNotNull();
		assertThat(facts.headers()).containsExactly(Map.entry("host", List.of("example.org")));
	}

	@Test
	void headersOfAnySizeAreNotKept() {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.addHeader("User-Agent", "x".repeat(3000));
		assertThat(ConnectionFacts.of(request, Set.of())).isNull();
	}

}
