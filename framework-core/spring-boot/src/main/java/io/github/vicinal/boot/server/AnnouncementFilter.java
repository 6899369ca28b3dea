package io.github.vicinal.boot.server;

import java.io.IOException;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.vicinal.boot.server.AnnouncementInterceptor.Inquiry;
import io.github.vicinal.peer.PeerAnnouncement;

/**
 * Watches what happens to requests of channels on their way to the handler, be they HTTP
 * requests or typed calls.
 */
public final class AnnouncementFilter extends OncePerRequestFilter {

	/**
	 * Headers that HTTP clients add below Spring. Any other that the client did not name
	 * was added by something in between.
	 */
	private static final Set<String> OF_HTTP_CLIENTS = Set.of("host", "connection", "user-agent", "accept-encoding",
			"accept", "content-type", "content-length", "transfer-encoding", "expect", "upgrade", "http2-settings",
			"te", "vicinal-contract", "vicinal-headers");

	/** A client's cookie store adds it below Spring, and typed calls do not carry it. */
	private static final String COOKIE = "cookie";

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		TypedCall call = TypedCall.of(request);
		if (call != null) {
			chain.doFilter(new WatchedRequest(request, call.watch(), true, call.target().request().hasBody()),
					new ChannelResponse(response, true));
			return;
		}
		String contract = request.getHeader(PeerAnnouncement.REQUEST_HEADER);
		if (contract == null) {
			chain.doFilter(request, new ChannelResponse(response, false));
			return;
		}
		RequestWatch watch = new RequestWatch();
		Set<String> known = known(request);
		ConnectionFacts facts = ConnectionFacts.of(request, known);
		request.setAttribute(Inquiry.ATTRIBUTE, new Inquiry(contract, facts, refusal(request, facts, known), watch));
		boolean body = request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
		chain.doFilter(new WatchedRequest(request, watch, false, body), new ChannelResponse(response, true));
	}

	private static String refusal(HttpServletRequest request, @Nullable ConnectionFacts facts, Set<String> known) {
		if (facts == null) {
			return "the headers that the HTTP client adds are too large to be kept";
		}
		if (request.isSecure()) {
			return "the client comes by TLS, whose certificates and session typed calls do not have";
		}
		String added = addedHeader(request, known);
		if (added == null) {
			return "";
		}
		return added.equals(COOKIE)
				? "the cookie store of the HTTP client, or something between client and server, adds the header cookie"
				: "something between client and server adds the header %s".formatted(added);
	}

	/** Returns the lower-case names of the headers that the client knows of. */
	private static Set<String> known(HttpServletRequest request) {
		String sent = request.getHeader(PeerAnnouncement.SENT_HEADERS_HEADER);
		return (sent != null) ? new HashSet<>(Arrays.asList(sent.toLowerCase(Locale.ROOT).split(",", -1))) : Set.of();
	}

	/** Returns a header that the client does not know of, or {@code null}. */
	private static @Nullable String addedHeader(HttpServletRequest request, Set<String> known) {
		for (Enumeration<String> names = request.getHeaderNames(); names.hasMoreElements();) {
			String name = names.nextElement().toLowerCase(Locale.ROOT);
			if (!known.contains(name) && !OF_HTTP_CLIENTS.contains(name)) {
				return name;
			}
		}
		return null;
	}

}
