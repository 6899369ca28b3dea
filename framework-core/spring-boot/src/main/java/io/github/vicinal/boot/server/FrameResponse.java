package io.github.vicinal.boot.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Response of a handler or an exception handler, kept to be sent as a reply.
 */
final class FrameResponse extends HttpServletResponseWrapper {

	private static final int DEFAULT_BUFFER = 8 * 1024;

	private static final String CONTENT_LANGUAGE = "Content-Language";

	private static final String CONTENT_LENGTH = "Content-Length";

	private static final String SET_COOKIE = "Set-Cookie";

	private static final String CONTENT_TYPE = "Content-Type";

	private static final Pattern SCHEME = Pattern.compile("[A-Za-z0-9+.-]+:");

	private static final Pattern CHARSET = Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";\\s]+)\"?",
			Pattern.CASE_INSENSITIVE);

	private static final HttpServletResponse NOTHING = (HttpServletResponse) Proxy.newProxyInstance(
			FrameResponse.class.getClassLoader(), new Class<?>[] { HttpServletResponse.class },
			(proxy, method, arguments) -> nothing(method));

	/** The format of HTTP, which has two digits for a day. */
	private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'",
			Locale.US);

	/** Made when the first header is set: most answers have none. */
	private @Nullable Map<String, List<String>> headers;

	private int status = HttpServletResponse.SC_OK;

	private @Nullable String errorMessage;

	private boolean error;

	private @Nullable Body body;

	private boolean committed;

	private @Nullable Locale locale;

	private @Nullable String language;

	/** The media type without its charset. */
	private @Nullable String contentType;

	private @Nullable String charset;

	private boolean usingWriter;

	private boolean usingStream;

	private boolean redirected;

	private int bufferSize = DEFAULT_BUFFER;

	private final FrameRequest request;

	FrameResponse(FrameRequest request) {
		super(NOTHING);
		this.request = request;
	}

	private static @Nullable Object nothing(Method method) {
		Class<?> type = method.getReturnType();
		if (type == boolean.class) {
			return false;
		}
		if (type == int.class) {
			return 0;
		}
		return null;
	}

	boolean isError() {
		return this.error;
	}

	@Nullable String errorMessage() {
		return this.errorMessage;
	}

	/** Returns the headers as they are sent. */
	Map<String, List<String>> headers() {
		String spoken = this.language;
		if (spoken == null) {
			return known();
		}
		Map<String, List<String>> all = new LinkedHashMap<>(known());
		all.keySet().removeIf(CONTENT_LANGUAGE::equalsIgnoreCase);
		all.put(CONTENT_LANGUAGE, List.of(spoken));
		return all;
	}

	/** The container adds the language when it sends the headers. */
	private Map<String, List<String>> known() {
		Map<String, List<String>> known = this.headers;
		return (known != null) ? known : Map.of();
	}

	private Map<String, List<String>> mutableHeaders() {
		Map<String, List<String>> known = this.headers;
		if (known == null) {
			known = new LinkedHashMap<>();
			this.headers = known;
		}
		return known;
	}

	/**
	 * Whether something was written, which replaces the value that the handler returns.
	 */
	boolean isWritten() {
		return this.body != null && body().length > 0;
	}

	byte[] body() {
		Body written = this.body;
		if (written == null) {
			return new byte[0];
		}
		written.drain();
		byte[] bytes = written.bytes.toByteArray();
		String length = getHeader(CONTENT_LENGTH);
		return (length != null && Long.parseLong(length) < bytes.length)
				? Arrays.copyOf(bytes, Integer.parseInt(length)) : bytes;
	}

	@Override
	public void setStatus(int newStatus) {
		if (!this.committed && !this.error) {
			this.status = newStatus;
		}
	}

	/** Returns true after an error, too, as in a container. */
	@Override
	public boolean isCommitted() {
		return this.committed || this.error;
	}

	/** Returns whether the status and the headers have been sent. */
	boolean isSent() {
		return this.committed;
	}

	/** Returns what a client has once the connection is lost. */
	byte[] sentBody() {
		Body written = this.body;
		return (written != null) ? Arrays.copyOf(written.bytes.toByteArray(), written.sent) : new byte[0];
	}

	/** Returns whether a client waits in vain for the rest of the announced length. */
	boolean isShort() {
		String length = getHeader(CONTENT_LENGTH);
		return length != null && !this.request.getMethod().equals("HEAD") && this.status != SC_NO_CONTENT
				&& this.status != SC_RESET_CONTENT && this.status != SC_NOT_MODIFIED
				&& body().length < Long.parseLong(length);
	}

	/** Returns whether the client knows that it has the whole body. */
	boolean isSentWhole() {
		if (this.body != null && this.body.closed) {
			return true;
		}
		String length = getHeader(CONTENT_LENGTH);
		return length != null && sentBody().length >= Long.parseLong(length);
	}

	@Override
	public void flushBuffer() {
		if (this.error) {
			return;
		}
		this.committed = true;
		Body written = this.body;
		if (written != null) {
			written.send();
		}
	}

	private void checkCommitted(String what) {
		if (isCommitted()) {
			throw new IllegalStateException("Cannot call %s after the response has been committed".formatted(what));
		}
	}

	@Override
	public int getBufferSize() {
		return this.bufferSize;
	}

	/** The body is kept as a whole, but is sent when the buffer would have been full. */
	@Override
	public void setBufferSize(int size) {
		checkCommitted("setBufferSize()");
		if (isWritten()) {
			throw new IllegalStateException("Cannot change the size of the buffer after it has been written to");
		}
		this.bufferSize = Math.max(this.bufferSize, size);
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (!isCommitted()) {
			addHeader(SET_COOKIE, this.request.setCookie(cookie));
		}
	}

	/** Adds a cookie, and removes those of its name that were added before. */
	void replaceCookie(Cookie cookie) {
		Map<String, List<String>> known = this.headers;
		List<String> cookies = (known != null) ? known.get(key(known, SET_COOKIE)) : null;
		if (cookies != null) {
			cookies.removeIf((value) -> value.startsWith(cookie.getName() + "="));
		}
		addCookie(cookie);
	}

	@Override
	public String encodeURL(String url) {
		return url;
	}

	@Override
	public String encodeRedirectURL(String url) {
		return url;
	}

	@Override
	public void setDateHeader(String name, long date) {
		setHeader(name, date(date));
	}

	@Override
	public void addDateHeader(String name, long date) {
		addHeader(name, date(date));
	}

	private static String date(long millis) {
		return DATE.format(Instant.ofEpochMilli(millis).atZone(ZoneId.of("GMT")));
	}

	@Override
	public void setLocale(@Nullable Locale newLocale) {
		if (isCommitted()) {
			return;
		}
		this.locale = newLocale;
		this.language = (newLocale != null) ? newLocale.toLanguageTag() : null;
	}

	@Override
	public int getStatus() {
		return this.status;
	}

	@Override
	public void sendError(int newStatus) {
		sendError(newStatus, null);
	}

	@Override
	public void sendError(int newStatus, @Nullable String message) {
		checkCommitted("sendError()");
		fail(newStatus, message);
	}

	/** Handles an exception as the container does, also after an error. */
	void fail(int newStatus, @Nullable String message) {
		discard();
		this.status = newStatus;
		this.errorMessage = message;
		this.error = true;
	}

	@Override
	public void sendRedirect(String location) {
		sendRedirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, int newStatus, boolean clearBuffer) {
		checkCommitted("sendRedirect()");
		if (clearBuffer) {
			resetBuffer();
		}
		this.status = newStatus;
		setHeader("Location", absolute(location));
		this.committed = true;
		this.redirected = true;
	}

	/** Target of a redirect, which the container never sends as a relative reference. */
	private String absolute(String location) {
		if (location.startsWith("//")) {
			return this.request.getScheme() + ":" + location;
		}
		if (SCHEME.matcher(location).lookingAt()) {
			return location;
		}
		String uri = this.request.getRequestURI();
		String path = location.startsWith("/") ? location : uri.substring(0, uri.lastIndexOf('/') + 1) + location;
		int query = path.indexOf('?');
		int end = (query >= 0) ? query : path.length();
		if (path.lastIndexOf("/.", end) >= 0) {
			path = StringUtils.cleanPath(path.substring(0, end)) + path.substring(end);
		}
		StringBuffer url = this.request.getRequestURL();
		return url.substring(0, url.length() - uri.length()) + path;
	}

	/** Whether a redirect is the whole answer, regardless of the returned value. */
	boolean isRedirected() {
		return this.redirected;
	}

	private static String key(Map<String, List<String>> headers, String name) {
		return headers.keySet().stream().filter((known) -> known.equalsIgnoreCase(name)).findFirst().orElse(name);
	}

	/** Returns whether the container ignores a header. */
	private static boolean isIgnored(String name, @Nullable String value) {
		return name.isEmpty() || (CONTENT_LENGTH.equalsIgnoreCase(name) && value != null && !isLength(value));
	}

	private static boolean isLength(String value) {
		try {
			return Long.parseLong(value) >= 0;
		}
		catch (NumberFormatException ex) {
			return false;
		}
	}

	@Override
	public void setHeader(@Nullable String name, @Nullable String value) {
		if (isCommitted() || name == null || isIgnored(name, value)) {
			return;
		}
		if (CONTENT_TYPE.equalsIgnoreCase(name)) {
			setContentType(value);
			return;
		}
		Map<String, List<String>> known = mutableHeaders();
		String key = key(known, name);
		if (value == null) {
			known.remove(key);
			return;
		}
		known.put(key, new ArrayList<>(List.of(value)));
	}

	@Override
	public void addHeader(@Nullable String name, @Nullable String value) {
		if (isCommitted() || name == null || value == null || isIgnored(name, value)) {
			return;
		}
		if (CONTENT_TYPE.equalsIgnoreCase(name)) {
			setContentType(value);
			return;
		}
		Map<String, List<String>> known = mutableHeaders();
		known.computeIfAbsent(key(known, name), (ignored) -> new ArrayList<>()).add(value);
	}

	@Override
	public void setIntHeader(String name, int value) {
		setHeader(name, Integer.toString(value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		addHeader(name, Integer.toString(value));
	}

	@Override
	public boolean containsHeader(String name) {
		return known().containsKey(key(known(), name));
	}

	@Override
	public @Nullable String getHeader(String name) {
		Map<String, List<String>> known = this.headers;
		if (known == null) {
			return null;
		}
		List<String> values = known.get(key(known, name));
		return (values != null && !values.isEmpty()) ? values.get(0) : null;
	}

	@Override
	public Collection<String> getHeaders(String name) {
		return List.copyOf(known().getOrDefault(key(known(), name), List.of()));
	}

	@Override
	public Collection<String> getHeaderNames() {
		return List.copyOf(known().keySet());
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (isCommitted()) {
			return;
		}
		String base = type;
		if (type == null) {
			this.charset = this.usingWriter ? this.charset : null;
		}
		else {
			Matcher matcher = CHARSET.matcher(type);
			if (matcher.find()) {
				base = type.substring(0, matcher.start()) + type.substring(matcher.end());
				this.charset = this.usingWriter ? this.charset : matcher.group(1);
			}
		}
		this.contentType = base;
		showContentType();
	}

	/** The container, too, puts type and charset together. */
	private void showContentType() {
		if (this.contentType == null) {
			if (this.headers != null) {
				this.headers.remove(CONTENT_TYPE);
			}
			return;
		}
		mutableHeaders().put(CONTENT_TYPE,
				List.of((this.charset != null) ? this.contentType + ";charset=" + this.charset : this.contentType));
	}

	@Override
	public @Nullable String getContentType() {
		return getHeader("Content-Type");
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		setHeader(CONTENT_LENGTH, (length >= 0) ? Long.toString(length) : null);
	}

	@Override
	public void setCharacterEncoding(@Nullable String newCharset) {
		if (!this.committed && !this.usingWriter) {
			this.charset = newCharset;
			showContentType();
		}
	}

	@Override
	public String getCharacterEncoding() {
		String known = this.charset;
		return (known != null) ? known : StandardCharsets.ISO_8859_1.name();
	}

	@Override
	public Locale getLocale() {
		Locale known = this.locale;
		return (known != null) ? known : Locale.getDefault();
	}

	@Override
	public void reset() {
		checkCommitted("reset()");
		discard();
		this.headers = null;
		this.contentType = null;
		this.charset = null;
		this.usingWriter = false;
		this.usingStream = false;
		this.body = null;
		this.locale = null;
		this.language = null;
		this.status = SC_OK;
	}

	@Override
	public void resetBuffer() {
		checkCommitted("resetBuffer()");
		discard();
	}

	private void discard() {
		Body written = this.body;
		if (written != null) {
			written.drain();
			written.bytes.reset();
		}
	}

	private void full() {
		this.committed = true;
	}

	@Override
	public ServletOutputStream getOutputStream() {
		if (this.usingWriter) {
			throw new IllegalStateException("getWriter() has already been called for this response");
		}
		this.usingStream = true;
		return content();
	}

	@Override
	public PrintWriter getWriter() {
		if (this.usingStream) {
			throw new IllegalStateException("getOutputStream() has already been called for this response");
		}
		setCharacterEncoding(getCharacterEncoding());
		this.usingWriter = true;
		Body content = content();
		PrintWriter writer = content.writer;
		if (writer == null) {
			writer = new PrintWriter(new OutputStreamWriter(content, Charset.forName(getCharacterEncoding())));
			content.writer = writer;
		}
		return writer;
	}

	private Body content() {
		Body content = this.body;
		if (content == null) {
			content = new Body(this);
			this.body = content;
		}
		return content;
	}

	private static final class Body extends ServletOutputStream {

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private final FrameResponse response;

		private @Nullable PrintWriter writer;

		private boolean draining;

		/** Whether the handler has closed the stream or the writer. */
		private boolean closed;

		/** Number of bytes that a client would have by now. */
		private int sent;

		Body(FrameResponse response) {
			this.response = response;
		}

		@Override
		public void write(int value) throws IOException {
			checkOpen();
			if (!this.response.error) {
				this.bytes.write(value);
				written();
			}
		}

		@Override
		public void write(byte[] source, int offset, int length) throws IOException {
			checkOpen();
			if (!this.response.error) {
				this.bytes.write(source, offset, length);
				written();
			}
		}

		/** A full buffer is sent, and so is a body that has its whole length. */
		private void written() {
			int waiting = this.bytes.size() - this.sent;
			if (waiting > this.response.bufferSize) {
				this.sent = this.bytes.size() - waiting % this.response.bufferSize;
				this.response.full();
			}
			String length = this.response.getHeader(CONTENT_LENGTH);
			if (length != null && this.bytes.size() >= Long.parseLong(length)) {
				this.response.full();
				this.sent = this.bytes.size();
			}
		}

		@Override
		public void flush() {
			if (!this.draining) {
				this.response.flushBuffer();
			}
		}

		private void checkOpen() throws IOException {
			if (this.closed) {
				throw new IOException("The response has been closed");
			}
		}

		/** Sends the whole response. */
		@Override
		public void close() {
			this.response.flushBuffer();
			this.closed = true;
		}

		/** Takes what a writer still has, without sending it. */
		void drain() {
			if (this.writer != null && !this.draining) {
				this.draining = true;
				this.writer.flush();
				this.draining = false;
			}
		}

		/** Sends what there is. */
		void send() {
			drain();
			this.sent = this.bytes.size();
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			throw new IllegalStateException("This response is written by blocking handlers only");
		}

	}

}
