package io.github.vicinal.webflux;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.client.RestClient;

/** Observations of clients of a WebFlux application, by name. */
final class Behaviours {

	private Behaviours() {
	}

	static Map<String, BiFunction<RestClient, String, String>> all() {
		Map<String, BiFunction<RestClient, String, String>> all = new LinkedHashMap<>();
		for (String path : List.of("/text", "/nothing", "/empty", "/context", "/item/7", "/items", "/items?count=0",
				"/items?count=5000", "/lines", "/events", "/bytes?kb=0", "/bytes?kb=1", "/bytes?kb=300",
				"/bytes?kb=5000", "/stream?mb=5", "/broken", "/later?ms=5", "/elsewhere", "/blocking", "/fail",
				"/teapot", "/problem", "/status?code=200", "/status?code=202", "/status?code=204", "/status?code=205",
				"/status?code=304", "/status?code=299", "/status?code=404", "/status?code=600",
				"/status-and-body?code=204", "/status-and-body?code=205", "/status-and-body?code=304",
				"/status-and-body?code=418", "/header?value=a", "/header?value=%C3%BC", "/header?value=%E2%82%AC",
				"/header?value=a%0Ab", "/header?value=a%01b", "/header?value=+a+", "/length?said=5", "/length?said=3",
				"/etag", "/redirect", "/redirect?status=308", "/redirect?status=303", "/cookie", "/none",
				"/functional/3", "/item/x", "/seen/x?a=1&a=2&b=%20+%C3%BC", "/seen/a%20b/c;v=1/../d", "/seen/a%2Fb",
				"//seen//x", "/seen/x?a=%zz", "/seen/%00", "/", "/seen/x?", "/cors")) {
			all.put("GET " + path, (client, base) -> show(client.get().uri(URI.create(base + encoded(path)))));
			all.put("HEAD " + path, (client, base) -> show(client.head().uri(URI.create(base + encoded(path)))));
		}
		requests(all);
		bodies(all);
		return all;
	}

	/** An escape that is none cannot be part of a URI. */
	private static String encoded(String path) {
		return path.replace("%zz", "%25zz");
	}

	private static void requests(Map<String, BiFunction<RestClient, String, String>> all) {
		all.put("no path", (client, base) -> show(client.get().uri(URI.create(base))));
		all.put("headers",
				(client, base) -> show(client.get()
					.uri("/seen/x")
					.header("X-A", "1", "2")
					.header("Cookie", "a=b; c=\"d e\"; a=2; bad")
					.header("Accept-Language", "fr")));
		all.put("an empty value", (client, base) -> show(client.get().uri("/seen/x").header("X-A", "")));
		all.put("a value beyond ASCII", (client, base) -> show(client.get().uri("/seen/x").header("X-A", "ü")));
		all.put("forwarded headers",
				(client, base) -> show(client.get()
					.uri("/seen/x")
					.header("X-Forwarded-For", "192.0.2.7")
					.header("X-Forwarded-Proto", "https")
					.header("X-Forwarded-Prefix", "/a")));
		all.put("another Host", (client, base) -> show(client.get().uri("/seen/x").header("Host", "a.example:81")));
		all.put("a Host that is none", (client, base) -> show(client.get().uri("/seen/x").header("Host", "a b")));
		all.put("a header of 7 KB", (client, base) -> show(client.get().uri("/text").header("X-A", "x".repeat(7000))));
		all.put("a header of 10 KB",
				(client, base) -> show(client.get().uri("/text").header("X-A", "x".repeat(10_000))));
		all.put("a URI of 5 KB", (client, base) -> show(client.get().uri("/seen/" + "x".repeat(5000))));
		all.put("150 headers", (client, base) -> show(client.get().uri("/text").headers((headers) -> {
			for (int i = 0; i < 150; i++) {
				headers.add("X-" + i, "v");
			}
		})));
		all.put("Expect", (client,
				base) -> show(client.post().uri("/seen/x").header("Expect", "100-continue").body(Map.of("a", 1))));
		all.put("TE", (client, base) -> show(client.get().uri("/seen/x").header("TE", "trailers")));
		all.put("Proxy-Connection",
				(client, base) -> show(client.get().uri("/seen/x").header("Proxy-Connection", "close")));
		all.put("not modified", (client, base) -> show(client.get().uri("/etag").header("If-None-Match", "\"v1\"")));
		all.put("a cookie", (client, base) -> show(client.get().uri("/cookie").header("Cookie", "taste=sour")));
		all.put("a preflight request",
				(client, base) -> show(client.options()
					.uri("/cors")
					.header("Origin", "https://a.example")
					.header("Access-Control-Request-Method", "GET")));
		all.put("another origin",
				(client, base) -> show(client.get().uri("/cors").header("Origin", "https://b.example")));
		all.put("OPTIONS", (client, base) -> show(client.options().uri("/items")));
		all.put("DELETE", (client, base) -> show(client.delete().uri("/seen/x")));
		all.put("an unknown method", (client, base) -> show(client.method(HttpMethod.valueOf("PURGE")).uri("/seen/x")));
		all.put("wrong method", (client, base) -> show(client.delete().uri("/text")));
		all.put("wrong Accept", (client, base) -> show(client.get().uri("/item/3").accept(MediaType.IMAGE_PNG)));
		all.put("gzip", (client, base) -> show(client.get().uri("/items?count=900").header("Accept-Encoding", "gzip")));
		all.put("a session", (client, base) -> {
			String first = client.get().uri("/session").retrieve().toEntity(String.class).toString();
			String id = first.replaceAll("(?s).*SESSION=([^;]*);.*", "$1");
			return show(client.get().uri("/session").header("Cookie", "SESSION=" + id));
		});
		all.put("nobody", (client, base) -> show(client.get().uri("/text").header("Authorization", "Basic eDp5")));
		all.put("not a boss", (client,
				base) -> show(client.get().uri("/etag").headers((headers) -> headers.setBasicAuth("user", "secret"))));
		all.put("a boss", (client,
				base) -> show(client.get().uri("/etag").headers((headers) -> headers.setBasicAuth("boss", "secret"))));
	}

	private static void bodies(Map<String, BiFunction<RestClient, String, String>> all) {
		all.put("POST without a body", (client, base) -> show(client.post().uri("/seen/x")));
		all.put("JSON", (client, base) -> show(client.post().uri("/seen/x").body(Map.of("a", 1))));
		all.put("an object",
				(client, base) -> show(client.post().uri("/items").body(new FluxApplication.Item(1, "ü"))));
		all.put("an object by PUT",
				(client, base) -> show(client.put().uri("/items/9").body(new FluxApplication.Item(1, "ü"))));
		all.put("no object where one is needed",
				(client, base) -> show(client.put().uri("/items/9").contentType(MediaType.APPLICATION_JSON)));
		all.put("malformed JSON",
				(client, base) -> show(client.post().uri("/items").contentType(MediaType.APPLICATION_JSON).body("{")));
		all.put("wrong type",
				(client, base) -> show(client.post().uri("/items").contentType(MediaType.TEXT_PLAIN).body("x")));
		all.put("form", (client, base) -> {
			MultiValueMap<String, String> form = new LinkedMultiValueMap<>();
			form.add("a", "ü b");
			form.add("a", "2");
			return show(client.post().uri("/form?a=0").contentType(MediaType.APPLICATION_FORM_URLENCODED).body(form));
		});
		all.put("multipart", (client, base) -> {
			MultiValueMap<String, Object> parts = new LinkedMultiValueMap<>();
			parts.add("name", "näme");
			parts.add("file", new ByteArrayResource(new byte[700_000]) {

				@Override
				public String getFilename() {
					return "f.bin";
				}

			});
			return show(client.post().uri("/upload").contentType(MediaType.MULTIPART_FORM_DATA).body(parts));
		});
		for (int bytes : new int[] { 0, 1, 1000, 100_000, 5 << 20 }) {
			all.put(bytes + " bytes of known length", (client, base) -> show(
					client.post().uri("/count").contentType(MediaType.APPLICATION_OCTET_STREAM).body(new byte[bytes])));
			all.put(bytes + " bytes of unknown length",
					(client, base) -> show(client.post()
						.uri("/count")
						.contentType(MediaType.APPLICATION_OCTET_STREAM)
						.body(new InputStreamResource(new ByteArrayInputStream(new byte[bytes])))));
			all.put(bytes + " bytes that come back",
					(client, base) -> show(client.post()
						.uri("/mirror")
						.contentType(MediaType.APPLICATION_OCTET_STREAM)
						.body(new byte[bytes])));
		}
		all.put("a body that is not read",
				(client, base) -> show(client.post().uri("/ignore").body(new byte[100_000])));
		all.put("a body for an unknown path",
				(client, base) -> show(client.post().uri("/none").body(new byte[100_000])));
	}

	static String show(RestClient.RequestHeadersSpec<?> spec) {
		return spec.exchange((request, response) -> show(response));
	}

	private static String show(ClientHttpResponse response) {
		try {
			Map<String, String> headers = new TreeMap<>();
			response.getHeaders()
				.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.toString()));
			headers.keySet().removeAll(List.of("connection", "keep-alive", "vicinal-peer"));
			byte[] body = response.getBody().readAllBytes();
			String text = (body.length > 1500) ? body.length + " bytes" : new String(body, StandardCharsets.UTF_8);
			return (response.getStatusCode().value() + " '" + response.getStatusText() + "' " + headers + " " + text)
				.replaceAll("timestamp\":\"[^\"]*", "timestamp\":\"T")
				.replaceAll("requestId\":\"[^\"]*", "requestId\":\"R")
				.replaceAll("SESSION=[^;]*", "SESSION=ID")
				.replaceAll("^([45].*)content-length=\\[1\\d\\d]", "$1content-length=[error]")
				.replaceAll("Expires=[^;]*", "Expires=T");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
