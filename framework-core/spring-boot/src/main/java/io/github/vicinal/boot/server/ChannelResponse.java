package io.github.vicinal.boot.server;

import java.io.IOException;

import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.requestserver.Rejection;
import jakarta.servlet.ServletResponse;
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

	private final boolean asked;

	private boolean endsConnection;

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
	 */
	static void endConnection(ServletResponse response) {
		ChannelResponse answer = WebUtils.getNativeResponse(response, ChannelResponse.class);
		if (answer != null && answer.asked) {
			answer.endsConnection = true;
			answer.connection("close");
		}
	}

	private void connection(@Nullable String value) {
		super.setHeader(HttpHeaders.CONNECTION, value);
	}

	/** Removes the announcement from answers to requests that are rejected late. */
	private void concealed(int status) {
		if (this.asked && (status == SC_UNAUTHORIZED || status == SC_FORBIDDEN)) {
			super.setHeader(PeerAnnouncement.HEADER, null);
			if (this.endsConnection) {
				this.endsConnection = false;
				connection(null);
			}
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
		if (!Rejection.HEADER.equalsIgnoreCase(name)) {
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (!Rejection.HEADER.equalsIgnoreCase(name)) {
			super.addHeader(name, value);
		}
	}

}
