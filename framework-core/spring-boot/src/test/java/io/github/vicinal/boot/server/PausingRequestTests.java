package io.github.vicinal.boot.server;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

class PausingRequestTests {

	@ParameterizedTest
	@CsvSource(nullValues = "none",
			value = { "HTTP/1.1, none, none, false", "HTTP/1.1, 0, none, false", "HTTP/1.1, 5, none, true",
					"HTTP/1.1, none, chunked, true", "HTTP/2.0, 0, none, false", "HTTP/2.0, none, none, true" })
	void knowsWhichRequestsMayHaveABody(String protocol, Integer length, String encoding, boolean body) {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");
		request.setProtocol(protocol);
		if (length != null) {
			request.setContent(new byte[length]);
		}
		if (encoding != null) {
			request.addHeader("Transfer-Encoding", encoding);
		}
		assertThat(PausingRequest.mayHaveBody(request)).isEqualTo(body);
	}

}
