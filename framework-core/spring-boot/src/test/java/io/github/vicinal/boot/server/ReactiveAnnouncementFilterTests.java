package io.github.vicinal.boot.server;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;

import static org.assertj.core.api.Assertions.assertThat;

/** What clients that ask a reactive application learn. */
class ReactiveAnnouncementFilterTests {

	private final ReactiveAnnouncementFilter filter = new ReactiveAnnouncementFilter(() -> PeerIdentity.create(""));

	private @Nullable String announced(MockServerHttpRequest.BaseBuilder<?> request, HttpStatus status) {
		MockServerWebExchange exchange = MockServerWebExchange.from(request);
		this.filter.filter(exchange, (downstream) -> {
			downstream.getResponse().setStatusCode(status);
			return downstream.getResponse().setComplete();
		}).block();
		return exchange.getResponse().getHeaders().getFirst(PeerAnnouncement.HEADER);
	}

	private static MockServerHttpRequest.BaseBuilder<?> asking() {
		return MockServerHttpRequest.get("/orders").header(PeerAnnouncement.REQUEST_HEADER, "shop.Orders");
	}

	@Test
	void aClientThatAsksIsToldWhyThereAreNoPaths() throws Exception {
		String header = announced(asking(), HttpStatus.OK);
		assertThat(header).isNotNull();
		PeerAnnouncement announcement = PeerAnnouncement.parse(header);
		assertThat(announcement.paths()).isEmpty();
		assertThat(announcement.refusal()).contains("WebFlux");
	}

	@Test
	void othersAndThoseThatAreTurnedAwayLearnNothing() {
		assertThat(announced(MockServerHttpRequest.get("/orders"), HttpStatus.OK)).isNull();
		assertThat(announced(asking(), HttpStatus.UNAUTHORIZED)).isNull();
		assertThat(announced(asking(), HttpStatus.FORBIDDEN)).isNull();
	}

}
