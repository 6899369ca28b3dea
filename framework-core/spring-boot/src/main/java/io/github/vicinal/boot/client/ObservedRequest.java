package io.github.vicinal.boot.client;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;

import io.github.vicinal.path.Reply;

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

	/**
	 * Response that conventions can look at.
	 *
	 * @param status the status
	 * @param fields the headers, as the answer has them
	 */
	record Response(int status, Map<String, List<String>> fields) implements ClientHttpResponse {

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
			HttpHeaders headers = new HttpHeaders();
			this.fields.forEach(headers::addAll);
			headers.remove(Reply.Failure.CUT_OFF_HEADER);
			return headers;
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
