package io.github.vicinal.boot.server;

import io.github.vicinal.exchange.ServerExchange;
import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Announces this instance to clients that ask for a contract. It does so only after
 * filters and interceptors have let the request pass, so that a client learns no more
 * than the handler would answer. It also learns which handlers need HTTP, from changes to
 * the request on its way, and says of exchanges how their handlers respond. Thread-safe.
 */
final class AnnouncementInterceptor implements HandlerInterceptor {

	private final ServiceCatalog catalog;

	private final RunningExchange running;

	private final WholeResponses whole = new WholeResponses();

	/**
	 * Creates the interceptor, which must be the last one.
	 * @param catalog what there is to announce
	 * @param running knows the exchange of a thread
	 */
	public AnnouncementInterceptor(ServiceCatalog catalog, RunningExchange running) {
		this.catalog = catalog;
		this.running = running;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		ServerExchange exchange = this.running.current();
		if (exchange != null) {
			handled(exchange, request, handler);
		}
		Inquiry inquiry = (request.getDispatcherType() == DispatcherType.REQUEST)
				? (Inquiry) request.getAttribute(Inquiry.ATTRIBUTE) : null;
		if (inquiry != null && (handler instanceof HandlerMethod || inquiry.ofExchanges())) {
			announce(inquiry, handler, request, response);
		}
		return true;
	}

	/** The handler of an error page says nothing about the one that failed. */
	private void handled(ServerExchange exchange, HttpServletRequest request, Object handler) {
		if (request.getDispatcherType() == DispatcherType.ERROR) {
			return;
		}
		if (!this.whole.areOf(handler)) {
			exchange.madeInParts();
		}
		else if (request.getDispatcherType() == DispatcherType.REQUEST) {
			exchange.madeWhole();
		}
	}

	private static @Nullable PathContainer path(HttpServletRequest request) {
		return ServletRequestPathUtils.hasParsedRequestPath(request)
				? ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication() : null;
	}

	private void announce(Inquiry inquiry, Object handler, HttpServletRequest request, HttpServletResponse response) {
		String foreign = Wrappers.foreign(request, response);
		if (foreign != null) {
			inquiry.watch().httpOnly(foreign);
		}
		inquiry.watch().handling();
		String announcement = this.catalog.announcement(inquiry, handler, path(request));
		if (announcement != null) {
			response.setHeader(PeerAnnouncement.HEADER, announcement);
			if (inquiry.confirms() && response.containsHeader(PeerAnnouncement.HEADER)
					&& request.getProtocol().startsWith("HTTP/1")) {
				ChannelResponse.endConnection(response, request.getProtocol().equals("HTTP/1.1"));
			}
		}
	}

}
