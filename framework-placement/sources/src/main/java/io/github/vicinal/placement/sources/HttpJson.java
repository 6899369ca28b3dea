package io.github.vicinal.placement.sources;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.vicinal.placement.model.PrintableText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads JSON from other processes over HTTP: with a bound on time and size, without
 * following redirects, and with errors that name the address. Thread-safe.
 * <p>
 * The HTTP client is made by the first request: it has a thread and descriptors of its
 * own, which before Java 21 only a garbage collection frees.
 *
 * @since 0.1.0
 */
public final class HttpJson implements AutoCloseable {

	private static final int MAX_BYTES = 64 << 20;

	/** Maximum number of characters that an error quotes of a refusal. */
	private static final int MAX_REASON = 300;

	private final Duration timeout;

	/** Rejects two members of the same name, because one would silently be lost. */
	private final JsonMapper mapper = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
		.build();

	private final @Nullable String token;

	private @Nullable HttpClient client;

	/**
	 * Creates a reader.
	 * @param timeout how long an answer may take, all of it
	 */
	public HttpJson(Duration timeout) {
		this(timeout, null);
	}

	/**
	 * Creates a reader that shows a token.
	 * @param timeout how long an answer may take, all of it
	 * @param token bearer token, {@code null} for none
	 * @throws IllegalArgumentException if a header cannot carry the token; the message
	 * does not contain it
	 */
	public HttpJson(Duration timeout, @Nullable String token) {
		if (token != null && !token.matches("[!-~]{1,100000}")) {
			throw new IllegalArgumentException(
					"A bearer token has only printable characters without spaces; is it the right file?");
		}
		this.timeout = timeout;
		this.token = token;
	}

	private synchronized HttpClient client() {
		HttpClient made = this.client;
		if (made == null) {
			made = HttpClient.newBuilder()
				.connectTimeout(this.timeout)
				.version(HttpClient.Version.HTTP_1_1)
				.followRedirects(HttpClient.Redirect.NEVER)
				.build();
			this.client = made;
		}
		return made;
	}

	/** Ends the HTTP client; waits for requests under way, which the timeout bounds. */
	@Override
	public void close() {
		HttpClient made;
		synchronized (this) {
			made = this.client;
			this.client = null;
		}
		// An HttpClient can be closed since Java 21.
		if (made instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException("The HTTP client cannot be closed", ex);
			}
		}
	}

	/**
	 * Returns whether a place is at a server, not in a file.
	 * @param place what a user wrote
	 * @return whether it begins like an address of HTTP
	 */
	public static boolean isAddress(String place) {
		return place.startsWith("http://") || place.startsWith("https://");
	}

	/**
	 * Makes an address of what a user wrote.
	 * @param text the text
	 * @return the address
	 * @throws IOException if it is none of HTTP
	 */
	public static URI address(String text) throws IOException {
		try {
			URI uri = URI.create(text);
			if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
				return uri;
			}
		}
		catch (IllegalArgumentException ex) {
			// Said below.
		}
		throw new IOException("'%s' is no address such as http://host:9090".formatted(text));
	}

	/**
	 * Returns an address as errors and logs may show it.
	 * @param uri the address
	 * @return the address without a password and a query
	 */
	static String shown(URI uri) {
		String authority = (uri.getAuthority() != null) ? uri.getAuthority() : "";
		String path = (uri.getPath() != null) ? uri.getPath() : "";
		return uri.getScheme() + "://" + authority.substring(authority.lastIndexOf('@') + 1) + path;
	}

	/**
	 * Reads a document. User and password in the address become basic authentication.
	 * @param uri its address
	 * @return the document
	 * @throws IOException if it cannot be read; the message names the address and what to
	 * do
	 */
	public JsonNode get(URI uri) throws IOException {
		return get(uri, MAX_BYTES);
	}

	/**
	 * Reads a document of a limited size.
	 * @param uri its address
	 * @param most maximum size, in bytes
	 * @return the document
	 * @throws IOException if it cannot be read, or is larger
	 */
	JsonNode get(URI uri, int most) throws IOException {
		HttpRequest.Builder request = HttpRequest.newBuilder(withoutUser(uri))
			.timeout(this.timeout)
			.header("Accept", "application/json")
			// Without it, a server may choose any.
			.header("Accept-Encoding", "identity");
		if (uri.getUserInfo() != null) {
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString(uri.getUserInfo().getBytes(StandardCharsets.UTF_8)));
		}
		else if (this.token != null) {
			request.header("Authorization", "Bearer " + this.token);
		}
		HttpResponse<byte[]> response = send(uri, request.build(), most);
		if (response.statusCode() != 200) {
			throw new IOException("%s answered with status %d%s%s".formatted(shown(uri), response.statusCode(),
					reason(response.body()), advice(response.statusCode())));
		}
		String coding = response.headers().firstValue("Content-Encoding").orElse("identity");
		if (!coding.equals("identity")) {
			throw new IOException(
					"%s answered in the coding '%s' that nobody asked for; is there a proxy that compresses?"
						.formatted(shown(uri), PrintableText.escaped(coding)));
		}
		try {
			return this.mapper.readTree(response.body());
		}
		catch (JacksonException ex) {
			throw new IOException(
					"%s did not answer with JSON: %s. Is it the right address?".formatted(shown(uri), problem(ex)), ex);
		}
	}

	/**
	 * Returns what is wrong with a document, without where the parser would show its
	 * source.
	 * @param ex the parser's word
	 * @return one clause
	 */
	static String problem(JacksonException ex) {
		return String.valueOf(ex.getOriginalMessage()).replaceAll("(?s) ?\\(start marker at .*|: enable `.*", "");
	}

	/** Returns the text of an error of Prometheus, or of a message of ours. */
	private String reason(byte[] body) {
		try {
			JsonNode document = this.mapper.readTree(body);
			String said = document.path("error").asString(document.path("message").asString(""));
			String end = (said.length() > MAX_REASON) ? "..." : "";
			return said.isBlank() ? "" : " (%s%s)"
				.formatted(PrintableText.escaped(said.substring(0, Math.min(MAX_REASON, said.length()))), end);
		}
		catch (JacksonException ex) {
			return "";
		}
	}

	private static String advice(int status) {
		return switch (status) {
			case 301, 302, 307, 308 -> "; redirects are not followed, give the address that it leads to";
			case 401, 403 -> "; put user and password into the address, give a bearer token, or allow it there";
			case 404 -> "; is it the right address?";
			default -> (status == 429 || status >= 500) ? "; ask again later, or look into its log" : "";
		};
	}

	private static URI withoutUser(URI uri) {
		String text = uri.toString();
		return (uri.getRawUserInfo() == null) ? uri : URI.create(text.replaceFirst("//[^@/]*@", "//"));
	}

	private HttpResponse<byte[]> send(URI uri, HttpRequest request, int most) throws IOException {
		CompletableFuture<HttpResponse<byte[]>> answer = client().sendAsync(request,
				(info) -> new Bounded(shown(uri), most));
		try {
			return answer.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			answer.cancel(true);
			throw new IOException("%s did not answer within %d ms".formatted(shown(uri), this.timeout.toMillis()), ex);
		}
		catch (InterruptedException ex) {
			answer.cancel(true);
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while waiting for " + shown(uri), ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof TooLarge) {
				throw new IOException(String.valueOf(cause.getMessage()), cause);
			}
			String why = (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName();
			throw new IOException("%s cannot be reached (%s). %s".formatted(shown(uri), why, advice(cause)), cause);
		}
	}

	private static String advice(Throwable cause) {
		if (cause instanceof SSLHandshakeException) {
			return "If it is the right server, give the JVM a trust store with its certificate authority, such as by JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE";
		}
		return (cause instanceof SSLException) ? "Does it speak TLS, or does its address begin with http://?"
				: "Is it running, and is the address right?";
	}

	private static final class TooLarge extends IOException {

		private static final long serialVersionUID = 1L;

		private TooLarge(String message) {
			super(message);
		}

	}

	/** Collects a body, and gives up when there is too much of it. */
	private static final class Bounded implements HttpResponse.BodySubscriber<byte[]> {

		private final String address;

		private final int most;

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private final CompletableFuture<byte[]> body = new CompletableFuture<>();

		private Flow.@Nullable Subscription subscription;

		private Bounded(String address, int most) {
			this.address = address;
			this.most = most;
		}

		@Override
		public CompletionStage<byte[]> getBody() {
			return this.body;
		}

		@Override
		public void onSubscribe(Flow.Subscription subscription) {
			this.subscription = subscription;
			subscription.request(Long.MAX_VALUE);
		}

		@Override
		public void onNext(List<ByteBuffer> items) {
			for (ByteBuffer item : items) {
				if (this.bytes.size() + item.remaining() > this.most) {
					if (this.subscription != null) {
						this.subscription.cancel();
					}
					this.body.completeExceptionally(new TooLarge(
							"%s sends more than %d MiB; ask for less".formatted(this.address, this.most >> 20)));
					return;
				}
				byte[] part = new byte[item.remaining()];
				item.get(part);
				this.bytes.writeBytes(part);
			}
		}

		@Override
		public void onError(Throwable throwable) {
			this.body.completeExceptionally(throwable);
		}

		@Override
		public void onComplete() {
			this.body.complete(this.bytes.toByteArray());
		}

	}

}
