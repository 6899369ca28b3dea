package io.github.vicinal.boot.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
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
 * body or on asynchronous processing. While the handler of a typed call runs, the body is
 * at its end, as it is for a handler whose arguments have been read.
 */
final class WatchedRequest extends HttpServletRequestWrapper {

	private final RequestWatch watch;

	private final boolean typed;

	private final boolean body;

	private boolean usingStream;

	private boolean usingReader;

	private @Nullable ServletResponse response;

	private @Nullable HandlerAsync async;

	private boolean again;

	/**
	 * Wraps a request.
	 * @param request the request
	 * @param watch is told what filters do
	 * @param typed whether this is the request of a typed call
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
		// That of text and bytes is known.
		return this.typed && super.getContentLengthLong() < 0;
	}

	/** Whether the handler of a typed call has been given its arguments. */
	private boolean isRead() {
		return this.typed && this.watch.isHandling() && !this.watch.isInPlace();
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		bodyTouched();
		if (!isRead()) {
			return super.getInputStream();
		}
		if (this.usingReader) {
			throw new IllegalStateException("getReader() has already been called for this request");
		}
		this.usingStream = true;
		return new EmptyInput();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		bodyTouched();
		if (!isRead()) {
			return super.getReader();
		}
		if (this.usingStream || this.body) {
			throw new IllegalStateException("getInputStream() has already been called for this request");
		}
		this.usingReader = true;
		return new BufferedReader(Reader.nullReader());
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
		return this.typed ? start(new HandlerAsync(this, response(), true)) : super.startAsync();
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) throws IllegalStateException {
		asyncTouched();
		return this.typed ? start(new HandlerAsync(request, response, false)) : super.startAsync(request, response);
	}

	private void asyncTouched() {
		this.watch.abort("a filter starts asynchronous processing");
		if (this.typed && !this.watch.isHandling()) {
			throw new IllegalStateException("A typed call is answered synchronously; it goes over HTTP instead");
		}
	}

	private AsyncContext start(HandlerAsync started) {
		if (this.async != null) {
			throw new IllegalStateException("Asynchronous processing has been started already");
		}
		this.async = started;
		return started;
	}

	private ServletResponse response() {
		ServletResponse current = this.response;
		if (current == null) {
			throw new IllegalStateException("The request has no response");
		}
		return current;
	}

	/** Says which response the handler has. */
	void handling(ServletResponse handlersResponse) {
		this.response = handlersResponse;
	}

	/** Returns what the handler of a typed call has started, or {@code null}. */
	@Nullable HandlerAsync started() {
		return this.async;
	}

	/** Says that the handler is called again, as it asked for. */
	void dispatchedAgain() {
		this.async = null;
		this.again = true;
	}

	@Override
	public boolean isAsyncStarted() {
		return this.typed ? this.async != null : super.isAsyncStarted();
	}

	@Override
	public AsyncContext getAsyncContext() {
		HandlerAsync started = this.async;
		if (!this.typed) {
			return super.getAsyncContext();
		}
		if (started == null) {
			throw new IllegalStateException("Asynchronous processing has not been started");
		}
		return started;
	}

	@Override
	public DispatcherType getDispatcherType() {
		return this.again ? DispatcherType.ASYNC : super.getDispatcherType();
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
