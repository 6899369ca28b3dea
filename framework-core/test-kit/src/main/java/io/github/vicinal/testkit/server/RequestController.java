package io.github.vicinal.testkit.server;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.testkit.contract.RequestContract;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.SessionScope;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;
import org.springframework.web.util.WebUtils;

@RestController
class RequestController implements RequestContract {

	/** Headers of one connection, and of how a body is framed on it. */
	private static final Set<String> HOP_HEADERS = Set.of("connection", "upgrade", "http2-settings",
			"transfer-encoding", "content-length", "keep-alive", "te");

	private final HttpServletRequest request;

	private final WebRequest webRequest;

	private final HttpSession session;

	private final Visits visits;

	RequestController(HttpServletRequest request, WebRequest webRequest, HttpSession session, Visits visits) {
		this.request = request;
		this.webRequest = webRequest;
		this.session = session;
		this.visits = visits;
	}

	@Override
	public String ping() {
		return "request";
	}

	@Override
	public String look(String what) {
		return String.valueOf(see(what));
	}

	@Override
	public ResponseEntity<Void> options() {
		return ResponseEntity.ok().header("X-Kit", "options").build();
	}

	@Override
	public String lookAtPath(String first, String second, String what) {
		return first + " and " + second + ": " + see(what);
	}

	@Override
	public String lookAtParameters(String what, String one, List<String> many, @Nullable String absent) {
		return one + many + absent + ": " + see(what);
	}

	@Override
	public String lookAtHeaders(String what, String one, List<String> many, @Nullable String absent) {
		return one + many + absent + ": " + see(what);
	}

	@Override
	public String lookAtTypedHeaders(String what, int count, @Nullable String since, @Nullable String language) {
		return count + " " + since + " " + language + ": " + see(what);
	}

	@Override
	public String lookAtCookies(String what, String kit, @Nullable String other) {
		return kit + " " + other + ": " + see(what);
	}

	@Override
	public String lookAtBody(String what, Parcel body) {
		return body + ": " + see(what);
	}

	@Override
	public String lookAtText(String what, String body) {
		return body + ": " + see(what);
	}

	@Override
	public String lookAtPost(String what) {
		return String.valueOf(see(what));
	}

	@Override
	public String lookAtPut(long id, String what) {
		return id + ": " + see(what);
	}

	@Override
	public String lookAtPatch(long id, String what) {
		return id + ": " + see(what);
	}

	@Override
	public String lookAtDelete(long id, String what) {
		return id + ": " + see(what);
	}

	@Override
	public List<String> lookAtAccept(String what) {
		return List.of(String.valueOf(see(what)));
	}

	@Override
	public String attributes(String id, String what) {
		return String.valueOf(see(what));
	}

	@Override
	public String dispatched(String what) {
		return String.valueOf(see(what));
	}

	@Override
	public ResponseEntity<String> session(String what, @Nullable String cookie) {
		return ResponseEntity.ok(switch (what) {
			case "none" -> "session " + (this.request.getSession(false) != null) + ", requested "
					+ (this.request.getRequestedSessionId() != null) + ", valid "
					+ this.request.isRequestedSessionIdValid();
			case "create" -> "new " + this.request.getSession().isNew();
			case "count" -> "count " + count(this.request.getSession());
			case "injected" -> "count " + count(this.session);
			case "bean" -> "visit " + this.visits.next();
			case "scope" -> "count " + countInScope();
			case "kind" -> "cookie " + this.request.isRequestedSessionIdFromCookie() + ", URL "
					+ this.request.isRequestedSessionIdFromURL() + ", new " + this.request.getSession().isNew();
			case "names" -> {
				HttpSession current = this.request.getSession();
				current.setAttribute("kit-name", "a name");
				yield String.valueOf(Collections.list(current.getAttributeNames()).contains("kit-name"));
			}
			case "limit" -> {
				HttpSession current = this.request.getSession();
				current.setMaxInactiveInterval(77);
				yield current.getMaxInactiveInterval() + " " + current.getServletContext().getContextPath();
			}
			case "change" -> {
				HttpSession current = this.request.getSession();
				String before = current.getId();
				yield "changed " + !before.equals(this.request.changeSessionId());
			}
			case "invalidate" -> {
				this.request.getSession().invalidate();
				yield "left " + (this.request.getSession(false) != null);
			}
			default -> throw new IllegalArgumentException(what);
		});
	}

	private static int count(HttpSession session) {
		Object before = session.getAttribute("kit-count");
		int count = (before instanceof Integer number) ? number + 1 : 1;
		session.setAttribute("kit-count", count);
		return count;
	}

	private static int countInScope() {
		RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
		Object before = attributes.getAttribute("kit-scope", RequestAttributes.SCOPE_SESSION);
		int count = (before instanceof Integer number) ? number + 1 : 1;
		attributes.setAttribute("kit-scope", count, RequestAttributes.SCOPE_SESSION);
		return count;
	}

	private @Nullable Object see(String what) {
		int colon = what.indexOf(':');
		String argument = (colon > 0) ? what.substring(colon + 1) : "";
		return switch ((colon > 0) ? what.substring(0, colon) : what) {
			case "method" -> this.request.getMethod();
			case "uri" -> this.request.getRequestURI();
			case "url" -> portless(this.request.getRequestURL().toString());
			case "query" -> this.request.getQueryString();
			case "parameters" -> parameters(this.request.getParameterMap());
			case "parameter-names" -> Collections.list(this.request.getParameterNames());
			case "parameter" -> this.request.getParameter(argument) + " of "
					+ Arrays.toString(this.request.getParameterValues(argument));
			case "header" -> this.request.getHeader(argument) + " of " + headerValues(argument);
			case "header-names" -> headerNames();
			case "int-header" -> this.request.getIntHeader(argument);
			case "date-header" -> this.request.getDateHeader(argument);
			case "cookies" -> cookies(this.request.getCookies());
			case "cookie" -> cookie(WebUtils.getCookie(this.request, argument));
			case "server" -> this.request.getServerName() + " " + this.request.getServerPort();
			case "host" -> portless(String.valueOf(this.request.getHeader("Host")));
			case "scheme" -> this.request.getScheme() + " " + this.request.isSecure();
			case "remote" -> this.request.getRemoteAddr() + " " + this.request.getRemoteHost();
			case "local" ->
				this.request.getLocalAddr() + " " + this.request.getLocalName() + " " + this.request.getLocalPort();
			case "locale" -> this.request.getLocale() + " of " + Collections.list(this.request.getLocales()) + ", "
					+ LocaleContextHolder.getLocale();
			case "time-zone" -> LocaleContextHolder.getTimeZone().getID();
			case "user" -> this.request.getUserPrincipal() + " " + this.request.getRemoteUser() + " "
					+ this.request.getAuthType() + " " + this.request.isUserInRole("ADMIN");
			case "content" -> this.request.getContentType() + " " + this.request.getCharacterEncoding();
			case "content-length" -> this.request.getContentLength() + " " + this.request.getContentLengthLong();
			case "rest-of-body" -> restOfBody();
			case "protocol" -> this.request.getProtocol();
			case "dispatcher" -> this.request.getDispatcherType();
			case "paths" -> "context '" + this.request.getContextPath() + "', servlet '" + this.request.getServletPath()
					+ "', info '" + this.request.getPathInfo() + "'";
			case "mapping" -> this.request.getHttpServletMapping().getServletName() + " "
					+ this.request.getHttpServletMapping().getPattern() + " "
					+ this.request.getHttpServletMapping().getMappingMatch() + " '"
					+ this.request.getHttpServletMapping().getMatchValue() + "'";
			case "request-id" -> !this.request.getRequestId().isEmpty() + " " + this.request.getProtocolRequestId();
			case "connection" -> this.request.getServletConnection().getProtocol() + " "
					+ this.request.getServletConnection().isSecure();
			case "async" -> this.request.isAsyncSupported() + " " + this.request.isAsyncStarted();
			case "session-id" -> this.request.getRequestedSessionId() + " " + (this.request.getSession(false) != null);
			case "context" -> this.request.getServletContext().getContextPath() + " "
					+ this.request.getServletContext().getServletContextName();
			case "own-attribute" -> ownAttribute(argument);
			case "attribute" -> spaced(this.request.getAttribute(argument));
			case "pattern" -> this.request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
			case "parsed-path" -> ServletRequestPathUtils.getParsedRequestPath(this.request).pathWithinApplication()
					+ " " + ServletRequestPathUtils.hasParsedRequestPath(this.request);
			case "translated" -> (this.request.getPathInfo() == null) == (this.request.getPathTranslated() == null);
			case "observation" -> ServerHttpObservationFilter.findObservationContext(this.request)
				.map((context) -> context.getPathPattern() + " " + (context.getCarrier() != null))
				.orElse("none");
			case "within-mapping" -> this.request.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE);
			case "variables" -> spaced(this.request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE));
			case "handler" -> String.valueOf(this.request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE));
			case "current-request" -> portless(ServletUriComponentsBuilder.fromCurrentRequest().toUriString());
			case "current-request-uri" ->
				portless(ServletUriComponentsBuilder.fromCurrentRequestUri().path("/next").toUriString());
			case "current-context-path" ->
				portless(ServletUriComponentsBuilder.fromCurrentContextPath().path("/next").toUriString());
			case "current-servlet-mapping" ->
				portless(ServletUriComponentsBuilder.fromCurrentServletMapping().path("/next").toUriString());
			case "web-request" -> this.webRequest.getDescription(false) + " " + this.webRequest.getParameter("what")
					+ " " + this.webRequest.getHeader("Accept") + " " + this.webRequest.getContextPath() + " "
					+ this.webRequest.getLocale() + " " + this.webRequest.getRemoteUser() + " "
					+ this.webRequest.isSecure();
			case "holder" -> holder();
			case "same" -> holderRequest().getRequestURI().equals(this.request.getRequestURI());
			default -> throw new IllegalArgumentException(what);
		};
	}

	private static String parameters(Map<String, String[]> parameters) {
		StringBuilder text = new StringBuilder();
		parameters.forEach((name, values) -> text.append(name).append('=').append(Arrays.toString(values)).append(' '));
		return text.toString();
	}

	private List<String> headerValues(String name) {
		return Collections.list(this.request.getHeaders(name));
	}

	private Map<String, List<String>> headerNames() {
		Map<String, List<String>> headers = new TreeMap<>();
		for (String name : Collections.list(this.request.getHeaderNames())) {
			String key = name.toLowerCase(Locale.ROOT);
			if (!HOP_HEADERS.contains(key) && !key.startsWith("vicinal-")) {
				headers.put(key, headerValues(name).stream().map(this::portless).toList());
			}
		}
		return headers;
	}

	private static List<String> cookies(Cookie @Nullable [] cookies) {
		return (cookies != null) ? Arrays.stream(cookies).map(RequestController::cookie).toList() : List.of("none");
	}

	private static String cookie(@Nullable Cookie cookie) {
		return (cookie != null) ? cookie.getName() + "=" + cookie.getValue() + " " + cookie.getPath() + " "
				+ cookie.getDomain() + " " + cookie.getMaxAge() : "none";
	}

	/** Replaces the server's port, so that a test can say what it expects. */
	private String portless(String text) {
		int port = this.request.getLocalPort();
		return (port > 0) ? text.replace(":" + port, ":port") : text;
	}

	private String restOfBody() {
		try {
			byte[] rest = this.request.getInputStream().readAllBytes();
			return rest.length + " bytes '" + new String(rest, StandardCharsets.UTF_8) + "'";
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String ownAttribute(String name) {
		List<Object> values = new ArrayList<>();
		values.add(spaced(this.request.getAttribute(name)));
		this.request.setAttribute(name, "set");
		values.add(spaced(holderRequest().getAttribute(name)));
		values.add(Collections.list(this.request.getAttributeNames()).contains(name));
		this.request.removeAttribute(name);
		values.add(spaced(this.request.getAttribute(name)));
		return values.toString();
	}

	private static String spaced(@Nullable Object value) {
		return (value instanceof Map<?, ?> map) ? new TreeMap<>(map).toString() : "'" + value + "'";
	}

	private static HttpServletRequest holderRequest() {
		return ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest();
	}

	private static String holder() {
		ServletRequestAttributes attributes = (ServletRequestAttributes) RequestContextHolder
			.currentRequestAttributes();
		HttpServletRequest current = attributes.getRequest();
		return current.getMethod() + " " + UriUtils.decode(current.getRequestURI(), StandardCharsets.UTF_8) + " "
				+ current.getParameter("what") + " " + (attributes.getResponse() != null);
	}

	/** Counts the calls of one session. */
	@SessionScope
	static class Visits implements Serializable {

		private int count;

		int next() {
			return ++this.count;
		}

	}

}
