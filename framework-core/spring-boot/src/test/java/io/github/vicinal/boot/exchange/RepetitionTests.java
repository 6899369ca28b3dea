package io.github.vicinal.boot.exchange;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import feign.Client;
import feign.Request;
import io.github.vicinal.boot.client.RouteRules;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.channel.PeerCalls;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.HttpMethod;
import org.springframework.http.StreamingHttpOutputMessage;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Requests that are sent again after their connection was lost: a server reads them,
 * closes the connection, which has served a request before, and counts.
 */
@Timeout(60)
class RepetitionTests {

	private static final String[] REQUESTS = { "GET", "HEAD", "OPTIONS", "PUT body", "PUT", "DELETE", "POST body" };

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Map<String, Integer> lost = new ConcurrentHashMap<>();

	private ServerSocket server;

	@BeforeEach
	void start() throws IOException {
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		this.threads.execute(() -> {
			try {
				while (true) {
					Socket socket = this.server.accept();
					this.threads.execute(() -> serve(socket));
				}
			}
			catch (IOException ex) {
				// Closed at the end of the test.
			}
		});
	}

	@AfterEach
	void stop() throws IOException {
		this.server.close();
		this.threads.shutdownNow();
	}

	private void serve(Socket socket) {
		try (socket) {
			InputStream in = new BufferedInputStream(socket.getInputStream());
			String line = line(in);
			while (!line.isEmpty()) {
				read(in);
				String target = line.split(" ", -1)[1];
				if (target.startsWith("/lost")) {
					this.lost.merge(target, 1, Integer::sum);
					return;
				}
				socket.getOutputStream()
					.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
				line = line(in);
			}
		}
		catch (IOException ex) {
			// The client has gone.
		}
	}

	private static void read(InputStream in) throws IOException {
		int length = 0;
		boolean chunked = false;
		for (String field = line(in); !field.isEmpty(); field = line(in)) {
			String lower = field.toLowerCase(Locale.ROOT);
			length = lower.startsWith("content-length:") ? Integer.parseInt(field.substring(15).strip()) : length;
			chunked |= lower.startsWith("transfer-encoding:");
		}
		in.skipNBytes(length);
		int chunk = chunked ? Integer.parseInt(line(in), 16) : 0;
		while (chunk > 0) {
			in.skipNBytes(chunk);
			line(in);
			chunk = Integer.parseInt(line(in), 16);
		}
		if (chunked) {
			line(in);
		}
	}

	private static String line(InputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		int c = in.read();
		while (c >= 0 && c != '\n') {
			if (c != '\r') {
				line.append((char) c);
			}
			c = in.read();
		}
		return line.toString();
	}

	private URI uri(String path) {
		return URI.create("http://localhost:" + this.server.getLocalPort() + path);
	}

	@ParameterizedTest
	@CsvSource({ "jdk, OF_SAFE", "reactor, OF_SAFE", "simple, OF_SAFE", "http-components, OF_IDEMPOTENT",
			"feign, OF_BODILESS" })
	void isThatOfTheLibrary(String library, Repetition repetition) throws Exception {
		Map<String, Boolean> repeated = new LinkedHashMap<>();
		Map<String, Boolean> expected = new LinkedHashMap<>();
		for (String request : REQUESTS) {
			String method = request.split(" ", -1)[0];
			byte[] body = request.endsWith("body") ? new byte[3] : null;
			String target = "/lost/" + request.replace(' ', '-');
			if (library.equals("feign")) {
				send(method, body, target);
			}
			else {
				send(ExchangeBehaviourTests.plain(library), method, body, target);
			}
			assertThat(this.lost.get(target)).as(request).isBetween(1, 2);
			// Nobody can see that a safe request was executed twice.
			repeated.put(request, this.lost.get(target) > 1 || Repetition.SAFE.contains(method));
			expected.put(request, repetition.includes(method, body != null));
		}
		assertThat(expected).isEqualTo(repeated);
	}

	private void send(ClientHttpRequestFactory factory, String method, byte[] body, String target) throws IOException {
		factory.createRequest(uri("/first"), HttpMethod.GET).execute().close();
		ClientHttpRequest request = factory.createRequest(uri(target), HttpMethod.valueOf(method));
		if (body != null) {
			((StreamingHttpOutputMessage) request).setBody(body);
		}
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			try (ClientHttpResponse response = request.execute()) {
				response.getStatusCode();
			}
		});
	}

	private void send(String method, byte[] body, String target) throws IOException {
		Client client = new Client.Default(null, null);
		client.execute(feign("GET", null, "/first"), new Request.Options()).close();
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> client.execute(feign(method, body, target), new Request.Options()).close());
	}

	private Request feign(String method, byte[] body, String target) {
		return Request.create(Request.HttpMethod.valueOf(method), uri(target).toString(), Map.of(), body,
				StandardCharsets.UTF_8, null);
	}

	/** It has its own strategy in front of exchanges. */
	@Test
	void whatApachesClientWasToldItDoesByItself() throws Exception {
		assertThat(ApacheExchanges.repetition(HttpClientBuilder.create())).isEqualTo(Repetition.OF_IDEMPOTENT);
		for (HttpClientBuilder builder : List.of(HttpClientBuilder.create().disableAutomaticRetries(),
				HttpClientBuilder.create()
					.setRetryStrategy(new DefaultHttpRequestRetryStrategy(0, TimeValue.ZERO_MILLISECONDS)))) {
			assertThat(ApacheExchanges.repetition(builder)).isEqualTo(Repetition.OF_SAFE);
			this.lost.clear();
			send(new HttpComponentsClientHttpRequestFactory(builder.build()), "PUT", null, "/lost");
			assertThat(this.lost).containsEntry("/lost", 1);
		}
	}

	@Test
	void aRequestThatMayHaveBeenExecutedGoesOverHttpOnlyIfItIsSentAgain() throws Exception {
		try (Exchanges exchanges = new Exchanges(List.of(), () -> null, () -> mock(ExchangeClient.class),
				Executors.newSingleThreadExecutor(), mock(RouteRules.class))) {
			ExchangeClient.Route executed = route(true);
			RequestHead put = new RequestHead("PUT", "/orders/7", HttpFields.NONE);
			assertThat(exchanges.make(executed, new RequestHead("GET", "/orders/7", HttpFields.NONE), null,
					ClientExchange.NO_TIMEOUT, Repetition.OF_SAFE))
				.isNull();
			for (OutgoingBody body : new OutgoingBody[] { null, new Bytes() }) {
				assertThat(exchanges.make(executed, put, body, ClientExchange.NO_TIMEOUT, Repetition.OF_IDEMPOTENT))
					.isNull();
				assertThat(exchanges.make(route(false), put, body, ClientExchange.NO_TIMEOUT, Repetition.OF_SAFE))
					.isNull();
				assertThatExceptionOfType(SocketException.class).isThrownBy(
						() -> exchanges.make(executed, put, body, ClientExchange.NO_TIMEOUT, Repetition.OF_SAFE));
			}
		}
	}

	private static ExchangeClient.Route route(boolean maybeExecuted) throws PathException {
		Peer peer = mock(Peer.class);
		PeerCalls calls = mock(PeerCalls.class);
		given(peer.calls()).willReturn(calls);
		given(calls.call(any(), any()))
			.willThrow(new PathException(PathException.Reason.PEER_GONE, maybeExecuted, "gone", null));
		return new ExchangeClient.Route(peer, mock(CallPath.class), HttpExchanges.contract().methods().get(0),
				Map.of());
	}

	private static final class Bytes implements OutgoingBody {

		@Override
		public void writeTo(OutputStream out) throws IOException {
			out.write(new byte[3]);
		}

		@Override
		public boolean isRepeatable() {
			return true;
		}

	}

}
