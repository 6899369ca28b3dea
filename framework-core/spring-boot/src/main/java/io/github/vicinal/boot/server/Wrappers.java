package io.github.vicinal.boot.server;

import java.util.Set;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Knows which wrappers of requests and responses leave the body alone. Any other wrapper
 * may read or change it, and a typed call has none.
 */
final class Wrappers {

	private static final String SECURITY = "org.springframework.security.web.";

	private static final String FILTERS = "org.springframework.web.filter.";

	/**
	 * Each of these was read: they override methods about the user, the session, the URL
	 * or headers, or run a task before the response is committed.
	 */
	private static final Set<String> NEUTRAL = Set.of(PausingRequest.class.getName(), PausingResponse.class.getName(),
			SECURITY + "servletapi.HttpServlet3RequestFactory$Servlet3SecurityContextHolderAwareRequestWrapper",
			SECURITY + "servletapi.SecurityContextHolderAwareRequestWrapper",
			SECURITY + "firewall.StrictHttpFirewall$StrictFirewalledRequest", SECURITY + "firewall.FirewalledResponse",
			SECURITY + "header.HeaderWriterFilter$HeaderWriterRequest",
			SECURITY + "header.HeaderWriterFilter$HeaderWriterResponse",
			SECURITY + "session.DisableEncodeUrlFilter$DisableEncodeUrlResponseWrapper",
			SECURITY + "context.HttpSessionSecurityContextRepository$SaveToSessionRequestWrapper",
			SECURITY + "context.HttpSessionSecurityContextRepository$SaveToSessionResponseWrapper",
			FILTERS + "ForwardedHeaderFilter$ForwardedHeaderExtractingRequest",
			FILTERS + "ForwardedHeaderFilter$ForwardedHeaderExtractingResponse",
			FILTERS + "ForwardedHeaderFilter$ForwardedHeaderRemovingRequest",
			FILTERS + "RelativeRedirectResponseWrapper");

	private Wrappers() {
	}

	/**
	 * Finds a wrapper that may depend on the body.
	 * @param request the request as the handler sees it
	 * @param response the response as the handler sees it
	 * @return what was found, or {@code null}
	 */
	static @Nullable String foreign(ServletRequest request, ServletResponse response) {
		ServletRequest currentRequest = request;
		while (!(currentRequest instanceof WatchedRequest)) {
			if (!(currentRequest instanceof ServletRequestWrapper wrapper)
					|| !NEUTRAL.contains(wrapper.getClass().getName())) {
				return "a filter wraps the request (%s)".formatted(currentRequest.getClass().getName());
			}
			currentRequest = wrapper.getRequest();
		}
		String inFront = inFront((WatchedRequest) currentRequest);
		if (inFront != null) {
			return inFront;
		}
		ServletResponse currentResponse = response;
		while (!(currentResponse instanceof ChannelResponse)) {
			if (!(currentResponse instanceof ServletResponseWrapper wrapper)
					|| !NEUTRAL.contains(wrapper.getClass().getName())) {
				return "a filter wraps the response (%s)".formatted(currentResponse.getClass().getName());
			}
			currentResponse = wrapper.getResponse();
		}
		return null;
	}

	/** Something may wrap requests before the first filter, such as a valve. */
	private static @Nullable String inFront(WatchedRequest watched) {
		ServletRequest current = watched.getRequest();
		while (current instanceof ServletRequestWrapper wrapper) {
			if (!NEUTRAL.contains(wrapper.getClass().getName())) {
				return "something in front of all filters wraps the request (%s)"
					.formatted(wrapper.getClass().getName());
			}
			current = wrapper.getRequest();
		}
		return null;
	}

}
