package io.github.vicinal.copackage;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the bill of materials of an application that runs, from its endpoint
 * {@code /actuator/sbom}. What answers may be anything: time and size are limited, and no
 * redirect is followed.
 */
final class SbomUrl {

	private static final Pattern URL = Pattern.compile("https?://.*");

	private static final Pattern ID = Pattern.compile("[\\w.-]{1,100}");

	private static final String PREFERRED = "application";

	private final Duration timeout;

	private final int maxBytes;

	SbomUrl() {
		this(Duration.ofSeconds(10), 16 << 20);
	}

	/**
	 * Creates a reader.
	 * @param timeout how long one request may take, with its answer
	 * @param maxBytes the largest answer that is read
	 */
	SbomUrl(Duration timeout, int maxBytes) {
		this.timeout = timeout;
		this.maxBytes = maxBytes;
	}

	static boolean isUrl(String text) {
		return URL.matcher(text).matches();
	}

	/** Reads a bill of materials, or, from the endpoint itself, the one it names. */
	Inventory read(String name, String url) throws IOException {
		String text = get(url);
		JsonNode ids = ids(text);
		if (ids.isEmpty()) {
			return SbomReader.read(name, url, text);
		}
		String id = ids.get(0).asString("");
		for (JsonNode each : ids) {
			id = each.asString("").equals(PREFERRED) ? PREFERRED : id;
		}
		if (!ID.matcher(id).matches()) {
			throw new InvalidInputException(
					"'%s' names a bill of materials '%s'; name its URL yourself".formatted(url, id));
		}
		String below = url.replaceFirst("/+$", "") + "/" + id;
		return SbomReader.read(name, below, get(below));
	}

	private static JsonNode ids(String text) {
		try {
			return JsonMapper.builder().build().readTree(text).path("ids");
		}
		catch (JacksonException ex) {
			return JsonMapper.builder().build().createArrayNode();
		}
	}

	private String get(String url) throws IOException {
		HttpRequest request;
		try {
			request = HttpRequest.newBuilder(URI.create(url)).header("Accept", "application/json").build();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidInputException("'%s' is no URL: %s".formatted(url, ex.getMessage()));
		}
		HttpClient client = HttpClient.newBuilder()
			.followRedirects(HttpClient.Redirect.NEVER)
			.connectTimeout(this.timeout)
			.build();
		CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request,
				(info) -> new LimitedBody(this.maxBytes));
		try {
			// The time-out of a request would end with the header of its answer.
			HttpResponse<byte[]> response = answer.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
			if (response.statusCode() != 200) {
				throw new InvalidInputException("'%s' answers with status %d; name the endpoint of a bill of materials"
					.formatted(url, response.statusCode()));
			}
			return new String(response.body(), StandardCharsets.UTF_8);
		}
		catch (TimeoutException ex) {
			answer.cancel(true);
			throw new IOException("'%s' has not answered within %d ms".formatted(url, this.timeout.toMillis()), ex);
		}
		catch (ExecutionException ex) {
			// The JDK's exception has no text.
			Object reason = (ex.getCause() instanceof ConnectException) ? "nothing accepts a connection there"
					: ex.getCause();
			throw new IOException("'%s' cannot be read: %s".formatted(url, reason), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/** An answer that is read up to a limit, and given up beyond. */
	private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {

		private final HttpResponse.BodySubscriber<byte[]> all = HttpResponse.BodySubscribers.ofByteArray();

		private final int maxBytes;

		private long bytes;

		private Flow.@Nullable Subscription subscription;

		LimitedBody(int maxBytes) {
			this.maxBytes = maxBytes;
		}

		@Override
		public CompletionStage<byte[]> getBody() {
			return this.all.getBody();
		}

		@Override
		public void onSubscribe(Flow.Subscription started) {
			this.subscription = started;
			this.all.onSubscribe(started);
		}

		@Override
		public void onNext(List<ByteBuffer> item) {
			item.forEach((buffer) -> this.bytes += buffer.remaining());
			if (this.bytes > this.maxBytes) {
				if (this.subscription != null) {
					this.subscription.cancel();
				}
				this.all.onError(new IOException("it has more than %d bytes".formatted(this.maxBytes)));
				return;
			}
			this.all.onNext(item);
		}

		@Override
		public void onError(Throwable failure) {
			this.all.onError(failure);
		}

		@Override
		public void onComplete() {
			this.all.onComplete();
		}

	}

}
