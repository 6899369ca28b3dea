package io.github.vicinal.boot.server;

import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/** Why a request that asks for paths gets none. */
class AnnouncementFilterTests {

	private static String refusal(@Nullable String header, String known) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/orders");
		request.addHeader(PeerAnnouncement.REQUEST_HEADER, "shop.Orders");
		request.addHeader(PeerAnnouncement.SENT_HEADERS_HEADER, known);
		if (header != null) {
			request.addHeader(header, "a=b");
		}
		new AnnouncementFilter().doFilter(request, new MockHttpServletResponse(), new MockFilterChain());
		Object inquiry = request.getAttribute(Inquiry.ATTRIBUTE);
		assertThat(inquiry).isInstanceOf(Inquiry.class);
		return ((Inquiry) inquiry).refusal();
	}

	@Test
	void headersThatTheClientDoesNotKnowOfComeFromSomethingInBetween() throws Exception {
		assertThat(refusal("Forwarded", "")).contains("something between client and server").contains("forwarded");
	}

	@Test
	void aCookieMayComeFromTheClientsOwnStore() throws Exception {
		assertThat(refusal("Cookie", "")).contains("cookie store").contains("something between client and server");
	}

	@Test
	void knownHeadersAreNoReason() throws Exception {
		assertThat(refusal(null, "")).isEmpty();
		assertThat(refusal("Cookie", "cookie")).isEmpty();
	}

}
