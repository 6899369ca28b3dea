package io.github.vicinal.boot.server;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.requestserver.Rejection;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.util.WebUtils;

/**
 * The response to a request. A handler cannot claim in it that the request was not
 * executed, which it would do by passing on the refusal of another server.
 */
final class ChannelResponse extends HttpServletResponseWrapper {

	/** Attributes of a cookie, such as the time at which it expires. */
	private static final int COOKIE_CHARS = 200;

	private static final Supplier<Map<String, String>> NO_TRAILERS = Map::of;

	private final boolean asked;

	/** Size of the headers, about; it is counted from the announcement on. */
	private int chars;

	private boolean announced;

	private boolean endsConnection;

	private boolean chunks;

	/** Whether the body is framed as for trailers, which keeps it in chunks. */
	private boolean framed;

	/**
	 * Wraps a response.
	 * @param response the response
	 * @param asked whether the request is one of a channel
	 */
	ChannelResponse(HttpServletResponse response, boolean asked) {
		super(response);
		this.asked = asked;
	}

	/**
	 * Marks a request as not executed, if it is one of a channel. Any other caller may
	 * have executed its own part before it passes this on.
	 */
	static void refused(ServletResponse response, Rejection refusal) {
		ChannelResponse answer = WebUtils.getNativeResponse(response, ChannelResponse.class);
		if (answer != null && answer.asked) {
			answer.refused(RequestPermits.reason(refusal));
		}
	}

	/**
	 * Announces the end of the connection with this answer. The web server then closes
	 * it, and HTTP clients do not use it again. Only answers that announce this instance
	 * do so.
	 * @param response the response
	 * @param chunks whether the client reads bodies in chunks
	 */
	static void endConnection(ServletResponse response, boolean chunks) {
		ChannelResponse answer = WebUtils.getNativeResponse(response, ChannelResponse.class);
		if (answer != null && answer.asked) {
			answer.endsConnection = true;
			answer.chunks = chunks;
			answer.connection("close");
		}
	}

	/**
	 * Has the body sent in chunks where its length is not known. A web server that is to
	 * close the connection would let its end be the end of the body, and a response that
	 * breaks off would look like a whole one.
	 */
	private void frame() {
		if (this.endsConnection && this.chunks && !this.framed && !isCommitted()
				&& !containsHeader(HttpHeaders.CONTENT_LENGTH) && super.getTrailerFields() == null
				&& !isWithoutBody(getStatus())) {
			super.setTrailerFields(NO_TRAILERS);
			this.framed = true;
		}
	}

	private static boolean isWithoutBody(int status) {
		return status < SC_OK || status == SC_NO_CONTENT || status == SC_RESET_CONTENT || status == SC_NOT_MODIFIED;
	}

	private void unframe() {
		if (this.framed && !isCommitted()) {
			super.setTrailerFields(null);
			this.framed = false;
		}
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		frame();
		return super.getOutputStream();
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		frame();
		return super.getWriter();
	}

	@Override
	public void flushBuffer() throws IOException {
		frame();
		super.flushBuffer();
	}

	@Override
	public void setTrailerFields(Supplier<Map<String, String>> supplier) {
		super.setTrailerFields(supplier);
		this.framed = false;
	}

	@Override
	public @Nullable Supplier<Map<String, String>> getTrailerFields() {
		return this.framed ? null : super.getTrailerFields();
	}

	private void connection(@Nullable String value) {
		super.setHeader(HttpHeaders.CONNECTION, value);
	}

	/** Removes the announcement from answers to requests that are rejected late. */
	private void concealed(int status) {
		if (this.asked && (status == SC_UNAUTHORIZED || status == SC_FORBIDDEN)) {
			conceal();
		}
		if (isWithoutBody(status)) {
			unframe();
		}
	}

	private void conceal() {
		super.setHeader(PeerAnnouncement.HEADER, null);
		this.announced = false;
		if (this.endsConnection) {
			this.endsConnection = false;
			connection(null);
			unframe();
		}
	}

	/** Announces, if there is room for it beside the headers that are there already. */
	private void announce(String announcement) {
		this.chars = AnnouncementRoom.chars(PeerAnnouncement.HEADER, announcement);
		for (String name : getHeaderNames()) {
			for (String value : getHeaders(name)) {
				this.chars += AnnouncementRoom.chars(name, value);
			}
		}
		this.announced = this.chars <= AnnouncementRoom.MAX_CHARS;
		if (this.announced) {
			super.setHeader(PeerAnnouncement.HEADER, announcement);
		}
	}

	/**
	 * Takes the announcement back from a response that has large headers of its own,
	 * which the web server might otherwise refuse to send.
	 */
	private void adds(int size) {
		this.chars += size;
		if (this.announced && this.chars > AnnouncementRoom.MAX_CHARS && !isCommitted()) {
			conceal();
		}
	}

	@Override
	public void setStatus(int status) {
		concealed(status);
		super.setStatus(status);
	}

	@Override
	public void sendError(int status) throws IOException {
		concealed(status);
		super.sendError(status);
	}

	@Override
	public void sendError(int status, @Nullable String message) throws IOException {
		concealed(status);
		super.sendError(status, message);
	}

	private void refused(String reason) {
		super.setHeader(Rejection.HEADER, reason);
	}

	@Override
	public void setHeader(String name, String value) {
		if (this.asked && PeerAnnouncement.HEADER.equals(name) && value != null) {
			announce(value);
		}
		else if (!Rejection.HEADER.equalsIgnoreCase(name)) {
			adds(AnnouncementRoom.chars(name, value));
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (!Rejection.HEADER.equalsIgnoreCase(name)) {
			adds(AnnouncementRoom.chars(name, value));
			super.addHeader(name, value);
		}
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (cookie != null) {
			adds(AnnouncementRoom.chars(cookie.getName(), cookie.getValue()) + COOKIE_CHARS);
		}
		super.addCookie(cookie);
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		adds(AnnouncementRoom.chars(HttpHeaders.LOCATION, location));
		super.sendRedirect(location);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		adds(AnnouncementRoom.chars(HttpHeaders.LOCATION, location));
		super.sendRedirect(location, status, clearBuffer);
	}

}
