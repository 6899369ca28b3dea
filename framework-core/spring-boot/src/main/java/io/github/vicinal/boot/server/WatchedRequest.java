package io.github.vicinal.boot.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * A request of a channel as filters see it. It notes what they do that depends on the
 * body or on asynchronous processing, which typed calls do not have. The request of a
 * typed call answers such questions as if the body were empty; whatever comes of that is
 * dropped, and the call goes over HTTP.
 */
final class WatchedRequest extends HttpServletRequestWrapper {

	private final RequestWatch watch;

	private final boolean typed;

	private final boolean body;

	/**
	 * Wraps a request.
	 * @param request the request
	 * @param watch is told what filters do
	 * @param typed whether this is the request of a typed call, which has no body
	 * @param body whether the HTTP request has a body, or would have one
	 */
	WatchedRequest(HttpServletRequest request, RequestWatch watch, boolean typed, boolean body) {
		super(request);
		this.watch = watch;
		this.typed = typed;
		this.body = body;
	}

	private void bodyTouched() {
		this.watch.httpOnly("a filter reads the body of the request");
	}

	private boolean lengthTouched() {
		if (this.body && !this.watch.isMapping()) {
			this.watch.httpOnly("a filter looks at the length of the request's body");
		}
		return this.typed;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		bodyTouched();
		return this.typed ? new EmptyInput() : super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		bodyTouched();
		return this.typed ? new BufferedReader(Reader.nullReader()) : super.getReader();
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		bodyTouched();
		return super.getParts();
	}

	@Override
	public Part getPart(String name) throws IOException, ServletException {
		bodyTouched();
		return super.getPart(name);
	}

	@Override
	public int getContentLength() {
		return lengthTouched() ? -1 : super.getContentLength();
	}

	@Override
	public long getContentLengthLong() {
		return lengthTouched() ? -1 : super.getContentLengthLong();
	}

	private static boolean isLength(String name) {
		return HttpHeaders.CONTENT_LENGTH.equalsIgnoreCase(name)
				|| HttpHeaders.TRANSFER_ENCODING.equalsIgnoreCase(name);
	}

	/** A body of unknown length is what HTTP calls chunked. */
	private @Nullable String length(String name) {
		return (this.body && HttpHeaders.TRANSFER_ENCODING.equalsIgnoreCase(name)) ? "chunked" : null;
	}

	@Override
	public @Nullable String getHeader(String name) {
		return (isLength(name) && lengthTouched()) ? length(name) : super.getHeader(name);
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		if (isLength(name) && lengthTouched()) {
			String value = length(name);
			return Collections.enumeration((value != null) ? List.of(value) : List.of());
		}
		return super.getHeaders(name);
	}

	@Override
	public int getIntHeader(String name) {
		return (isLength(name) && lengthTouched()) ? -1 : super.getIntHeader(name);
	}

	/** The names would show that there is no {@code Content-Length}. */
	@Override
	public Enumeration<String> getHeaderNames() {
		lengthTouched();
		return super.getHeaderNames();
	}

	@Override
	public AsyncContext startAsync() throws IllegalStateException {
		asyncTouched();
		return super.startAsync();
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) throws IllegalStateException {
		asyncTouched();
		return super.startAsync(request, response);
	}

	private void asyncTouched() {
		this.watch.httpOnly("a filter starts asynchronous processing");
		if (this.typed) {
			throw new IllegalStateException("A typed call is answered synchronously; it goes over HTTP instead");
		}
	}

	static final class EmptyInput extends ServletInputStream {

		@Override
		public boolean isFinished() {
			return true;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new IllegalStateException("Asynchronous processing has not been started");
		}

		@Override
		public int read() {
			return -1;
		}

	}

}
