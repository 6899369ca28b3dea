package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ResponseHead;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** The response of an exchange, whose body comes as it is read. */
final class ExchangeResponse implements ClientHttpResponse {

	private final ClientExchange exchange;

	private final int status;

	private final HttpHeaders headers = new HttpHeaders();

	private final boolean empty;

	/** Whether the library has a text for a status: Tomcat sends none. */
	private final boolean phrases;

	private final @Nullable String encoding;

	private @Nullable InputStream body;

	/**
	 * Waits for the head of a response.
	 * @param exchange the exchange
	 * @param method the method of its request
	 * @param library what the HTTP library would do to the response
	 */
	ExchangeResponse(ClientExchange exchange, HttpMethod method, LibraryAdditions library) throws IOException {
		ResponseHead head = exchange.response();
		this.exchange = exchange;
		this.status = head.status();
		head.fields().forEach(this.headers::add);
		this.empty = method.equals(HttpMethod.HEAD) || this.status < 200 || this.status == 204 || this.status == 304
				|| library.losesBody(method, this.status);
		this.phrases = library.hasPhrases();
		this.encoding = library.decodes() ? encoding() : null;
		if (this.encoding != null) {
			this.headers.remove(HttpHeaders.CONTENT_ENCODING);
			this.headers.remove(HttpHeaders.CONTENT_LENGTH);
			// The library fails here if the body is not what it says.
			getBody();
		}
	}

	private @Nullable String encoding() {
		String known = this.headers.getFirst(HttpHeaders.CONTENT_ENCODING);
		return (known != null && (known.equalsIgnoreCase("gzip") || known.equalsIgnoreCase("deflate"))) ? known : null;
	}

	@Override
	public HttpStatusCode getStatusCode() {
		return HttpStatusCode.valueOf(this.status);
	}

	@Override
	public String getStatusText() {
		HttpStatus known = this.phrases ? HttpStatus.resolve(this.status) : null;
		return (known != null) ? known.getReasonPhrase() : "";
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.headers;
	}

	@Override
	public InputStream getBody() throws IOException {
		InputStream known = this.body;
		if (known == null) {
			known = this.empty ? InputStream.nullInputStream() : decoded(new ResponseBody(this.exchange));
			this.body = known;
		}
		return known;
	}

	private InputStream decoded(InputStream raw) throws IOException {
		if (this.encoding == null) {
			return raw;
		}
		PushbackInputStream buffered = new PushbackInputStream(raw);
		int first = buffered.read();
		if (first < 0) {
			return buffered;
		}
		buffered.unread(first);
		return this.encoding.equalsIgnoreCase("gzip") ? new GZIPInputStream(buffered)
				: new InflaterInputStream(buffered);
	}

	/** Gives up what has not been read. */
	@Override
	public void close() {
		this.exchange.close();
	}

}
