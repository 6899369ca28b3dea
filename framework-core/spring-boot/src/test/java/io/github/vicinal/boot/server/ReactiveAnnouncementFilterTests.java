package io.github.vicinal.boot.server;

import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/** Announcements of a reactive application to clients that ask. */
class ReactiveAnnouncementFilterTests {

	private final ReactiveAnnouncementFilter filter = new ReactiveAnnouncementFilter(() -> PeerIdentity.create(""),
			true);

	private @Nullable String announced(MockServerHttpRequest.BaseBuilder<?> request, HttpStatus status) {
		return answered(request, status).getFirst(PeerAnnouncement.HEADER);
	}

	private HttpHeaders answered(MockServerHttpRequest.BaseBuilder<?> request, HttpStatus status) {
		MockServerWebExchange exchange = MockServerWebExchange.from(request);
		this.filter.filter(exchange, (downstream) -> {
			downstream.getResponse().setStatusCode(status);
			return downstream.getResponse().setComplete();
		}).block();
		return exchange.getResponse().getHeaders();
	}

	private static MockServerHttpRequest.BaseBuilder<?> asking() {
		return MockServerHttpRequest.get("/orders").header(PeerAnnouncement.REQUEST_HEADER, "shop.Orders");
	}

	@Test
	void aClientThatAsksLearnsWhyThereAreNoPaths() throws Exception {
		String header = announced(asking(), HttpStatus.OK);
		assertThat(header).isNotNull();
		PeerAnnouncement announcement = PeerAnnouncement.parse(header);
		assertThat(announcement.paths()).isEmpty();
		assertThat(announcement.refusal()).contains("WebFlux");
	}

	@Test
	void onlyAnAcceptedConfirmationEndsItsConnection() {
		MockServerHttpRequest.BaseBuilder<?> confirming = MockServerHttpRequest.get("/orders")
			.header(PeerAnnouncement.REQUEST_HEADER, new ContractInquiry("shop.Orders", true, false).format());
		assertThat(answered(confirming, HttpStatus.OK).getConnection()).containsExactly("close");
		assertThat(answered(confirming, HttpStatus.FORBIDDEN).getConnection()).isEmpty();
		assertThat(answered(asking(), HttpStatus.OK).getConnection()).isEmpty();
	}

	@Test
	void aResponseWithLargeHeadersAnnouncesNothing() {
		assertThat(withHeaderOf(3000).headerNames()).contains(PeerAnnouncement.HEADER);
		assertThat(withHeaderOf(5000).headerNames()).containsExactly("X-Large");
	}

	private HttpHeaders withHeaderOf(int chars) {
		MockServerWebExchange exchange = MockServerWebExchange.from(asking());
		this.filter.filter(exchange, (downstream) -> {
			downstream.getResponse().getHeaders().set("X-Large", "x".repeat(chars));
			return downstream.getResponse().setComplete();
		}).block();
		return exchange.getResponse().getHeaders();
	}

	@Test
	void othersAndThoseThatAreTurnedAwayLearnNothing() {
		assertThat(announced(MockServerHttpRequest.get("/orders"), HttpStatus.OK)).isNull();
		assertThat(announced(asking(), HttpStatus.UNAUTHORIZED)).isNull();
		assertThat(announced(asking(), HttpStatus.FORBIDDEN)).isNull();
	}

}
