package io.github.vicinal.boot.server;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.springframework.web.util.WebUtils;

import io.github.vicinal.requestserver.Refusal;

/**
 * The response to a request of a channel. What runs for the request cannot say in it that
 * the request was not executed, as it would by passing on a refusal that it met
 * elsewhere.
 */
final class ChannelResponse extends HttpServletResponseWrapper {

	ChannelResponse(HttpServletResponse response) {
		super(response);
	}

	/**
	 * Says that a request was not executed, if it is one of a channel: who else would
	 * pass that on may have executed its own part.
	 */
	static void refused(ServletResponse response, Refusal refusal) {
		ChannelResponse asked = WebUtils.getNativeResponse(response, ChannelResponse.class);
		if (asked != null) {
			asked.refused(RequestTurns.reason(refusal));
		}
	}

	private void refused(String reason) {
		super.setHeader(Refusal.HEADER, reason);
	}

	@Override
	public void setHeader(String name, String value) {
		if (!Refusal.HEADER.equalsIgnoreCase(name)) {
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (!Refusal.HEADER.equalsIgnoreCase(name)) {
			super.addHeader(name, value);
		}
	}

}
