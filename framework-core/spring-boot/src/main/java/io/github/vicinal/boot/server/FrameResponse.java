package io.github.vicinal.boot.server;

import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * What a handler, or an exception handler, says in its response, kept to be sent as a
 * reply.
 */
final class FrameResponse extends HttpServletResponseWrapper {

	private static final HttpServletResponse NOTHING = (HttpServletResponse) Proxy.newProxyInstance(
			FrameResponse.class.getClassLoader(), new Class<?>[] { HttpServletResponse.class },
			(proxy, method, arguments) -> nothing(method));

	/** Made when the first header is set: most answers have none. */
	private @Nullable Map<String, List<String>> headers;

	private int status = HttpServletResponse.SC_OK;

	private @Nullable String errorMessage;

	private boolean error;

	private @Nullable Body body;

	private boolean committed;

	private @Nullable Locale locale;

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

	Map<String, List<String>> headers() {
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
	 * Whether something was written, which takes the place of what the handler returns.
	 */
	boolean isWritten() {
		return this.body != null && body().length > 0;
	}

	byte[] body() {
		Body written = this.body;
		if (written == null) {
			return new byte[0];
		}
		written.writer.flush();
		return written.bytes.toByteArray();
	}

	@Override
	public void setStatus(int newStatus) {
		if (!this.committed && !this.error) {
			this.status = newStatus;
		}
	}

	@Override
	public boolean isCommitted() {
		return this.committed;
	}

	@Override
	public void flushBuffer() {
		this.committed = true;
	}

	@Override
	public void addCookie(Cookie cookie) {
		addHeader("Set-Cookie", this.request.setCookie(cookie));
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
		return DateTimeFormatter.RFC_1123_DATE_TIME.format(Instant.ofEpochMilli(millis).atZone(ZoneId.of("GMT")));
	}

	@Override
	public void setLocale(@Nullable Locale newLocale) {
		this.locale = newLocale;
		setHeader("Content-Language", (newLocale != null) ? newLocale.toLanguageTag() : null);
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
		if (this.committed) {
			throw new IllegalStateException("Cannot call sendError() after the response has been committed");
		}
		resetBuffer();
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
		if (clearBuffer) {
			resetBuffer();
		}
		this.status = newStatus;
		setHeader("Location", location);
	}

	private static String key(Map<String, List<String>> headers, String name) {
		return headers.keySet().stream().filter((known) -> known.equalsIgnoreCase(name)).findFirst().orElse(name);
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (this.committed) {
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
	public void addHeader(String name, String value) {
		if (this.committed) {
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
		return headers().containsKey(key(headers(), name));
	}

	@Override
	public @Nullable String getHeader(String name) {
		List<String> values = headers().get(key(headers(), name));
		return (values != null) ? values.get(0) : null;
	}

	@Override
	public Collection<String> getHeaders(String name) {
		return List.copyOf(headers().getOrDefault(key(headers(), name), List.of()));
	}

	@Override
	public Collection<String> getHeaderNames() {
		return List.copyOf(headers().keySet());
	}

	@Override
	public void setContentType(@Nullable String type) {
		setHeader("Content-Type", type);
	}

	@Override
	public @Nullable String getContentType() {
		return getHeader("Content-Type");
	}

	@Override
	public void setContentLength(int length) {
		setIntHeader("Content-Length", length);
	}

	@Override
	public void setContentLengthLong(long length) {
		setHeader("Content-Length", Long.toString(length));
	}

	@Override
	public void setCharacterEncoding(@Nullable String charset) {
	}

	@Override
	public String getCharacterEncoding() {
		return StandardCharsets.UTF_8.name();
	}

	@Override
	public Locale getLocale() {
		Locale known = this.locale;
		return (known != null) ? known : Locale.getDefault();
	}

	@Override
	public void reset() {
		resetBuffer();
		this.headers = null;
		this.error = false;
		this.errorMessage = null;
		this.status = SC_OK;
	}

	@Override
	public void resetBuffer() {
		this.body = null;
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return content();
	}

	@Override
	public PrintWriter getWriter() {
		return content().writer;
	}

	private Body content() {
		Body content = this.body;
		if (content == null) {
			content = new Body();
			this.body = content;
		}
		return content;
	}

	private static final class Body extends ServletOutputStream {

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private final PrintWriter writer = new PrintWriter(new OutputStreamWriter(this.bytes, StandardCharsets.UTF_8));

		@Override
		public void write(int value) {
			this.bytes.write(value);
		}

		@Override
		public void write(byte[] source, int offset, int length) {
			this.bytes.write(source, offset, length);
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
