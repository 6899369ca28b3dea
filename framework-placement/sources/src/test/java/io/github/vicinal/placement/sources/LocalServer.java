package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import com.sun.net.httpserver.HttpServer;

/** Answers with what a test says. */
final class LocalServer implements AutoCloseable {

	record Answer(int status, String body) {

		static Answer ok(String body) {
			return new Answer(200, body);
		}

	}

	private final HttpServer server;

	private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

	private final List<String> authorizations = Collections.synchronizedList(new ArrayList<>());

	LocalServer(Function<String, Answer> answers) {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.createContext("/", (exchange) -> {
			String request = URLDecoder.decode(exchange.getRequestURI().toString(), StandardCharsets.UTF_8);
			this.requests.add(request);
			this.authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
			Answer answer = answers.apply(request);
			byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().add("Content-Type", "application/json");
			exchange.sendResponseHeaders(answer.status(), body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.server.start();
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	URI uri(String path) {
		return URI.create("http://127.0.0.1:" + port() + path);
	}

	List<String> requests() {
		return List.copyOf(this.requests);
	}

	List<String> authorizations() {
		return List.copyOf(this.authorizations);
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
