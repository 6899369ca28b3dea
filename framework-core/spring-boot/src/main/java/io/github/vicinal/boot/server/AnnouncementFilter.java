package io.github.vicinal.boot.server;

import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Watches what happens to requests of channels on their way to the handler, be they HTTP
 * requests or typed calls.
 */
final class AnnouncementFilter extends OncePerRequestFilter {

	/** The attribute of requests whose client has a certificate. */
	private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

	private final Supplier<@Nullable RequestSockets> sockets;

	/** Creates a filter for web servers that show connections as they are. */
	public AnnouncementFilter() {
		this(() -> null);
	}

	/**
	 * Creates a filter.
	 * @param sockets finds the connections of requests, {@code null} if requests show
	 * them
	 */
	public AnnouncementFilter(Supplier<@Nullable RequestSockets> sockets) {
		this.sockets = sockets;
	}

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
		Set<String> known = ClientHeaders.known(request.getHeader(PeerAnnouncement.SENT_HEADERS_HEADER));
		RequestSockets looking = this.sockets.get();
		ConnectionFacts facts = ConnectionFacts.of(request, (looking != null) ? looking.of(request) : null, known);
		request.setAttribute(Inquiry.ATTRIBUTE, new Inquiry(contract, facts, refusal(request, facts, known), watch));
		boolean body = request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
		// No typed call is OPTIONS; Tomcat asks its own request whether TRACE is allowed.
		boolean watched = !request.getMethod().equals("OPTIONS");
		chain.doFilter(watched ? new WatchedRequest(request, watch, false, body) : request,
				new ChannelResponse(response, true));
	}

	private static String refusal(HttpServletRequest request, @Nullable ConnectionFacts facts, Set<String> known) {
		if (facts == null) {
			return "the headers that the HTTP client adds are too large to be kept";
		}
		if (request.isSecure() != "https".equals(request.getScheme())) {
			return "the request is %s, although its scheme is %s"
				.formatted(request.isSecure() ? "secure" : "not secure", request.getScheme());
		}
		if (!request.getProtocol().startsWith("HTTP/1.")) {
			// It has no Host, and responses have other headers.
			return "the client's requests come by %s, of which paths know nothing".formatted(request.getProtocol());
		}
		if (request.getAttribute(CERTIFICATES) != null) {
			return "the client shows a certificate to HTTP, which typed calls do not have";
		}
		return ClientHeaders.refusal(Collections.list(request.getHeaderNames()), known);
	}

}
