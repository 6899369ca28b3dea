package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutionException;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.boot.client.LibraryAdditions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests for {@link LibraryFailures}. */
class LibraryFailuresTests {

	@Test
	void aRedirectWithoutALocationFailsAsTheJdkSaysIt() throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> exchange.sendResponseHeaders(302, -1));
		server.start();
		try {
			URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
			HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
			String message = LibraryFailures.noLocation(LibraryAdditions.ofUrlConnection()).getMessage();
			assertThat(message).isNotBlank();
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(
						() -> client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).get())
				.havingRootCause()
				.isInstanceOf(IOException.class)
				.withMessage(message);
		}
		finally {
			server.stop(0);
		}
	}

}
