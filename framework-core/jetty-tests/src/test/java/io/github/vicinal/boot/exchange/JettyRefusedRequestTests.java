package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that Jetty's parser refuses goes to it over HTTP, and everything else has the
 * status that it has over TCP.
 */
class JettyRefusedRequestTests extends RefusedRequestTests {

	private static final String[] SEGMENTS = { "text", "seen", "a", "%20", "%2e", "%2F", "%25", ".", "..", ";v=1", "%",
			"%zz", "a;b", "", "~", "@", "%c3%a9", "%c3", "%u0041", "*", "'", "$&", "a:b" };

	/** Whether the last request was left to HTTP. */
	private boolean left;

	/** Requests that Jetty might refuse are refused by Jetty. */
	@Override
	int leftToHttp(HttpRequiredException reason) {
		if (String.valueOf(reason.getMessage()).contains("is unusual")) {
			this.left = true;
			return REFUSED;
		}
		throw reason;
	}

	@Override
	Crafted requests(Gen gen) {
		return super.requests(gen);
	}

	/** Requests that are mostly right, with paths that may be read in several ways. */
	Crafted paths(Gen gen) {
		StringBuilder target = new StringBuilder(gen.bool() ? "/seen" : "");
		int segments = gen.integer(1, 4);
		for (int i = 0; i < segments; i++) {
			target.append('/').append(gen.one(SEGMENTS));
		}
		if (gen.integer(0, 3) == 0) {
			target.append("?a=").append(gen.one(SEGMENTS));
		}
		List<String> fields = new ArrayList<>(List.of("Host", gen.one("localhost", "LOCALHOST", "a.example:81",
				"localhost:80", "127.0.0.1", "[::1]:8080", "a_b", "-", "a..b", "a.", "1.2.3", "localhost:1")));
		if (gen.bool()) {
			fields.addAll(List.of(gen.one("accept", "ACCEPT", "X-A", "cookie", "Connection", "connection"),
					gen.one("*/*", "close", "keep-alive", "a=b; c=d", "", "x, y")));
		}
		return new Crafted("GET", target.toString(), fields);
	}

	@Property(tries = 1500)
	void executedRequestsHaveTheStatusOfTcp(@ForAll("requests") Crafted request) throws IOException {
		assertSameStatus(request);
	}

	@Property(tries = 1500)
	void pathsAreReadAsByTcp(@ForAll("paths") Crafted request) throws IOException {
		assertSameStatus(request);
	}

	private void assertSameStatus(Crafted request) throws IOException {
		this.left = false;
		int got = status(request.method(), request.target(), request.fields());
		if (!this.left) {
			assertThat(got).as("%s", request)
				.isEqualTo(statusByTcp(request.method(), request.target(), request.fields()));
		}
	}

	@Test
	void ordinaryRequestsAreExecuted() {
		this.left = false;
		assertThat(status("GET", "/seen/a%20b;c=1?x=%C3%A9&y=a+b",
				List.of("Host", "localhost:8080", "Accept", "application/json", "X-Trace", "a, b; c=\"d\"")))
			.isEqualTo(200);
		assertThat(this.left).isFalse();
	}

}
