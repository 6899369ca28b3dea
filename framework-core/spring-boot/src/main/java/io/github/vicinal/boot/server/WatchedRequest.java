package io.github.vicinal.boot.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Enumeration;

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
	 * @param watch notified of what filters do
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

	private void lengthTouched() {
		if (this.body && !this.watch.isMapping()) {
			this.watch.httpOnly("a filter looks at the length of the request's body");
		}
	}

	/** Whether the handler of a typed call has been given its arguments. */
	private boolean isRead() {
		return this.typed && this.watch.isHandling() && !this.watch.isInPlace();
	}

	/**
	 * Whether the container has ended the request, because the response was sent whole.
	 */
	private boolean isEnded() {
		TypedCall call = (getAttribute(TypedCall.ATTRIBUTE) instanceof TypedCall known) ? known : null;
		return call != null && call.isEnded();
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
		ServletInputStream container = super.getInputStream();
		this.usingStream = true;
		boolean ended = isEnded();
		if (ended) {
			// Error pages are dispatched with the container's request.
			container.close();
		}
		return new EmptyInput(ended);
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
		BufferedReader container = super.getReader();
		this.usingReader = true;
		if (!isEnded()) {
			return new BufferedReader(Reader.nullReader());
		}
		container.close();
		return new BufferedReader(new InputStreamReader(new EmptyInput(true), StandardCharsets.UTF_8));
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
		lengthTouched();
		return super.getContentLength();
	}

	@Override
	public long getContentLengthLong() {
		lengthTouched();
		return super.getContentLengthLong();
	}

	private static boolean isLength(String name) {
		return HttpHeaders.CONTENT_LENGTH.equalsIgnoreCase(name)
				|| HttpHeaders.TRANSFER_ENCODING.equalsIgnoreCase(name);
	}

	private void touched(String name) {
		if (isLength(name)) {
			lengthTouched();
		}
	}

	@Override
	public @Nullable String getHeader(String name) {
		touched(name);
		return super.getHeader(name);
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		touched(name);
		return super.getHeaders(name);
	}

	@Override
	public int getIntHeader(String name) {
		touched(name);
		return super.getIntHeader(name);
	}

	/** The names show how the body is framed. */
	@Override
	public Enumeration<String> getHeaderNames() {
		lengthTouched();
		return super.getHeaderNames();
	}

	@Override
	public AsyncContext startAsync() throws IllegalStateException {
		return ofHandler() ? start(new HandlerAsync(this, response(), true)) : super.startAsync();
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) throws IllegalStateException {
		return ofHandler() ? start(new HandlerAsync(request, response, false)) : super.startAsync(request, response);
	}

	/**
	 * Returns whether the handler of a typed call starts asynchronous processing.
	 * Asynchronous processing that filters start belongs to the container.
	 */
	private boolean ofHandler() {
		if (!this.watch.isRunning()) {
			this.watch.asynchronous();
		}
		return this.typed && this.watch.isRunning();
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

	/**
	 * Says that the arguments of a typed call are given to its handler. The container,
	 * which dispatches errors, learns that their bytes have been read as a stream.
	 */
	void argumentsRead() throws IOException {
		if (this.body) {
			super.getInputStream();
		}
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
		return this.async != null || super.isAsyncStarted();
	}

	@Override
	public AsyncContext getAsyncContext() {
		HandlerAsync started = this.async;
		return (started != null) ? started : super.getAsyncContext();
	}

	@Override
	public DispatcherType getDispatcherType() {
		return this.again ? DispatcherType.ASYNC : super.getDispatcherType();
	}

	static final class EmptyInput extends ServletInputStream {

		private final boolean ended;

		/**
		 * Creates a stream.
		 * @param ended whether nobody may read any more
		 */
		EmptyInput(boolean ended) {
			this.ended = ended;
		}

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
		public int read() throws IOException {
			if (this.ended) {
				throw new IOException("The response has been sent, which ends the request");
			}
			return -1;
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			return (length == 0) ? 0 : read();
		}

	}

}
