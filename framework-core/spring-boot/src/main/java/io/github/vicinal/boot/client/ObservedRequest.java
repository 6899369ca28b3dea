package io.github.vicinal.boot.client;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Stands for a request that is never sent, so that conventions for HTTP client
 * observations find what they look at.
 */
final class ObservedRequest implements ClientHttpRequest {

	private final HttpMethod method;

	private final URI uri;

	private final HttpHeaders headers = new HttpHeaders();

	ObservedRequest(HttpMethod method, URI uri) {
		this.method = method;
		this.uri = uri;
	}

	@Override
	public HttpMethod getMethod() {
		return this.method;
	}

	@Override
	public URI getURI() {
		return this.uri;
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.headers;
	}

	@Override
	public Map<String, Object> getAttributes() {
		return Map.of();
	}

	@Override
	public OutputStream getBody() {
		return OutputStream.nullOutputStream();
	}

	@Override
	public ClientHttpResponse execute() {
		throw new IllegalStateException("This request is only observed, never sent");
	}

	/** The status is all that conventions look at. */
	record Response(int status) implements ClientHttpResponse {

		@Override
		public HttpStatusCode getStatusCode() {
			return HttpStatusCode.valueOf(this.status);
		}

		@Override
		public String getStatusText() {
			return "";
		}

		@Override
		public HttpHeaders getHeaders() {
			return HttpHeaders.EMPTY;
		}

		@Override
		public InputStream getBody() {
			return InputStream.nullInputStream();
		}

		@Override
		public void close() {
		}

	}

}
