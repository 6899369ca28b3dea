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
			"content-length", "transfer-encoding", "expect", "upgrade", "http2-settings", "te", "vicinal-contract",
			"vicinal-headers");

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
		ConnectionFacts facts = ConnectionFacts.of(request);
		request.setAttribute(Inquiry.ATTRIBUTE, new Inquiry(contract, facts, refusal(request, facts), watch));
		boolean body = request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
		chain.doFilter(new WatchedRequest(request, watch, false, body), new ChannelResponse(response, true));
	}

	private static String refusal(HttpServletRequest request, @Nullable ConnectionFacts facts) {
		if (facts == null) {
			return "the headers that the HTTP client adds are too large to be kept";
		}
		String added = addedHeader(request);
		return (added != null) ? "something between client and server adds the header %s".formatted(added) : "";
	}

	/** Returns a header that the client does not know of, or {@code null}. */
	private static @Nullable String addedHeader(HttpServletRequest request) {
		String sent = request.getHeader(PeerAnnouncement.SENT_HEADERS_HEADER);
		if (sent == null) {
			return null;
		}
		Set<String> known = new HashSet<>(Arrays.asList(sent.toLowerCase(Locale.ROOT).split(",", -1)));
		for (Enumeration<String> names = request.getHeaderNames(); names.hasMoreElements();) {
			String name = names.nextElement().toLowerCase(Locale.ROOT);
			if (!known.contains(name) && !OF_HTTP_CLIENTS.contains(name)) {
				return name;
			}
		}
		return null;
	}

}
