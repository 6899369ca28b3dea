package io.github.vicinal.boot.server;

import java.io.BufferedReader;
import java.io.Reader;
import java.io.UnsupportedEncodingException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import io.github.vicinal.path.CallFrame;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletConnection;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.MappingMatch;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.FlashMap;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;

/**
 * The HTTP request that a typed call would have been, for calls with nothing in front of
 * their handler. Handlers, exception handlers, observation conventions and request-scoped
 * beans may look at it. Its body is at its end, as it is for a handler whose arguments
 * have been read.
 */
final class FrameRequest extends HttpServletRequestWrapper {

	/** Answers what has no meaning here: nothing, zero, or an empty collection. */
	private static final HttpServletRequest NOTHING = (HttpServletRequest) Proxy.newProxyInstance(
			FrameRequest.class.getClassLoader(), new Class<?>[] { HttpServletRequest.class },
			(proxy, method, arguments) -> nothing(method));

	/** Begins the names of the attributes that handler mappings set. */
	private static final String SPRING = HandlerMapping.class.getName();

	/** Begins the names of the attributes that the dispatcher servlet sets. */
	private static final String DISPATCHER = DispatcherServlet.class.getName();

	/** Names the attribute of the observation of a request. */
	private static final String OBSERVATION = ServerHttpObservationFilter.CURRENT_OBSERVATION_CONTEXT_ATTRIBUTE;

	private final ServletContext servletContext;

	private final HandlerTarget target;

	private final CallFrame frame;

	private final ConnectionFacts facts;

	private final Container container;

	private final JsonMapper mapper;

	private final FrameResponse response;

	private @Nullable RequestHeaders headers;

	private @Nullable String uri;

	private @Nullable Map<String, String[]> parameters;

	private @Nullable Map<String, Object> attributes;

	private @Nullable HttpSession session;

	private @Nullable String id;

	private boolean usingStream;

	private boolean usingReader;

	private @Nullable HandlerAsync async;

	private @Nullable ServerRequestObservationContext observed;

	private DispatcherType dispatcherType = DispatcherType.REQUEST;

	/** Parts of the servlet container that requests use. */
	interface Container {

		/**
		 * Finds or makes the session of a request.
		 * @param request the request
		 * @param create whether to make one if there is none
		 * @return the session, or {@code null}
		 */
		@Nullable HttpSession session(FrameRequest request, boolean create);

		/**
		 * Gives the session of a request a new id.
		 * @param request the request
		 * @return the new id
		 */
		String changeSessionId(FrameRequest request);

		/** Says that a request has ended, and no longer uses its session. */
		void release(HttpSession session);

		/** Returns the value of the {@code Set-Cookie} header for a cookie. */
		String setCookie(Cookie cookie, HttpServletRequest request);

		/**
		 * Writes the container's own page, which responses have if that of the
		 * application fails.
		 * @param status the status
		 * @param languages values of the {@code Accept-Language} header
		 * @return the response, with the headers of the page
		 */
		ServletContainer.Response errorPage(int status, List<String> languages);

	}

	FrameRequest(ServletContext servletContext, HandlerTarget target, CallFrame frame, ConnectionFacts facts,
			Container container, JsonMapper mapper) {
		super(NOTHING);
		this.servletContext = servletContext;
		this.target = target;
		this.frame = frame;
		this.facts = facts;
		this.container = container;
		this.mapper = mapper;
		this.response = new FrameResponse(this);
	}

	/** Returns the response to this request. */
	FrameResponse response() {
		return this.response;
	}

	/** Returns the container's own page for a status. */
	ServletContainer.Response errorPage(int status) {
		return this.container.errorPage(status, headers().get("accept-language"));
	}

	/** Returns the value of the {@code Set-Cookie} header for a cookie. */
	String setCookie(Cookie cookie) {
		return this.container.setCookie(cookie, this);
	}

	/** Returns a request without headers that says a locale, to find defaults with. */
	static HttpServletRequest saying(Locale locale) {
		return new HttpServletRequestWrapper(NOTHING) {

			@Override
			public Locale getLocale() {
				return locale;
			}

		};
	}

	private static @Nullable Object nothing(Method method) {
		Class<?> type = method.getReturnType();
		if (type == boolean.class) {
			return false;
		}
		if (type == int.class) {
			return 0;
		}
		if (type == long.class) {
			return -1L;
		}
		if (type == Enumeration.class) {
			return Collections.emptyEnumeration();
		}
		if (type == Map.class) {
			return Map.of();
		}
		if (type == java.util.Collection.class) {
			return List.of();
		}
		return null;
	}

	/** Returns the session that this request uses already, or {@code null}. */
	@Nullable HttpSession usedSession() {
		return this.session;
	}

	/** Adds the cookie of the session to the answer, in place of the one before. */
	void answerWith(Cookie cookie) {
		this.response.replaceCookie(cookie);
	}

	/** Ends the use of the session, if there was one. */
	void complete() {
		if (this.session != null) {
			this.container.release(this.session);
		}
	}

	/** Notes the observation of this request, which handlers may add to. */
	void observed(ServerRequestObservationContext context) {
		this.observed = context;
	}

	private RequestHeaders headers() {
		RequestHeaders known = this.headers;
		if (known == null) {
			known = RequestHeaders.of(this.target.request(), this.frame, this.facts,
					(sent) -> this.target.request().body(this.frame, sent, this.mapper));
			this.headers = known;
		}
		return known;
	}

	/** Attributes that handler mappings set are created on first access. */
	private Map<String, Object> attributes() {
		Map<String, Object> known = this.attributes;
		if (known == null) {
			RequestTemplate template = this.target.request();
			known = new HashMap<>();
			known.put(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, this.target.handler());
			known.put(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, template.pattern());
			known.put(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE,
					template.pathWithinServlet(this.frame.arguments()));
			known.put(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, template.variables(this.frame.arguments()));
			this.attributes = known;
		}
		return known;
	}

	@Override
	public String getMethod() {
		return this.target.request().httpMethod();
	}

	@Override
	public String getRequestURI() {
		String known = this.uri;
		if (known == null) {
			known = getContextPath() + this.target.request().path(this.frame.arguments());
			this.uri = known;
		}
		return known;
	}

	@Override
	public @Nullable String getQueryString() {
		return this.target.request().query(this.frame.arguments());
	}

	@Override
	public StringBuffer getRequestURL() {
		StringBuffer url = new StringBuffer(getScheme()).append("://").append(getServerName());
		int port = getServerPort();
		if (port > 0 && port != (this.facts.secure() ? 443 : 80)) {
			url.append(':').append(port);
		}
		return url.append(getRequestURI());
	}

	@Override
	public String getServletPath() {
		String path = UriUtils.decode(getRequestURI().substring(getContextPath().length()), StandardCharsets.UTF_8);
		return this.target.request().servletPrefix().isEmpty() ? path : this.target.request().servletPrefix();
	}

	@Override
	public @Nullable String getPathInfo() {
		if (this.target.request().servletPrefix().isEmpty()) {
			return null;
		}
		String path = UriUtils.decode(getRequestURI().substring(getContextPath().length()), StandardCharsets.UTF_8);
		return path.substring(this.target.request().servletPrefix().length());
	}

	@Override
	public @Nullable String getPathTranslated() {
		String info = getPathInfo();
		return (info != null) ? this.servletContext.getRealPath(info) : null;
	}

	@Override
	public String getContextPath() {
		String path = this.servletContext.getContextPath();
		return (path != null) ? path : "";
	}

	@Override
	public HttpServletMapping getHttpServletMapping() {
		return this.target.request().servletPrefix().isEmpty() ? new Mapping("", "/", MappingMatch.DEFAULT)
				: new Mapping(String.valueOf(getPathInfo()).substring(1), this.target.request().servletPrefix() + "/*",
						MappingMatch.PATH);
	}

	@Override
	public String getProtocol() {
		return "HTTP/1.1";
	}

	@Override
	public String getScheme() {
		return this.facts.scheme();
	}

	@Override
	public boolean isSecure() {
		return this.facts.secure();
	}

	@Override
	public String getServerName() {
		return this.facts.serverName();
	}

	@Override
	public int getServerPort() {
		return this.facts.serverPort();
	}

	@Override
	public String getRemoteAddr() {
		return this.facts.remoteAddr();
	}

	@Override
	public String getRemoteHost() {
		return this.facts.remoteAddr();
	}

	@Override
	public String getLocalAddr() {
		return this.facts.localAddr();
	}

	@Override
	public String getLocalName() {
		return this.facts.localName();
	}

	@Override
	public int getLocalPort() {
		return this.facts.localPort();
	}

	@Override
	public @Nullable String getHeader(String name) {
		return headers().first(name.toLowerCase(Locale.ROOT));
	}

	@Override
	public @Nullable String getContentType() {
		return getHeader(HttpHeaders.CONTENT_TYPE);
	}

	@Override
	public int getContentLength() {
		return (int) getContentLengthLong();
	}

	@Override
	public long getContentLengthLong() {
		String length = headers().first("content-length");
		return (length != null) ? Long.parseLong(length) : -1;
	}

	@Override
	public String getRequestId() {
		String known = this.id;
		if (known == null) {
			known = UUID.randomUUID().toString();
			this.id = known;
		}
		return known;
	}

	@Override
	public ServletConnection getServletConnection() {
		return new Connection(isSecure());
	}

	@Override
	public boolean isAsyncSupported() {
		return true;
	}

	@Override
	public @Nullable String getCharacterEncoding() {
		return StandardCharsets.UTF_8.name();
	}

	/** The body has been read, so that this has no effect. */
	@Override
	public void setCharacterEncoding(String encoding) throws UnsupportedEncodingException {
		try {
			Charset.forName(encoding);
		}
		catch (IllegalArgumentException ex) {
			throw new UnsupportedEncodingException(encoding);
		}
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		return Collections.enumeration(headers().get(name.toLowerCase(Locale.ROOT)));
	}

	@Override
	public Enumeration<String> getHeaderNames() {
		return Collections.enumeration(headers().all().keySet());
	}

	@Override
	public int getIntHeader(String name) {
		String value = getHeader(name);
		return (value != null) ? Integer.parseInt(value) : -1;
	}

	@Override
	public long getDateHeader(String name) {
		String value = getHeader(name);
		if (value == null) {
			return -1;
		}
		try {
			return Instant.from(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)).toEpochMilli();
		}
		catch (DateTimeParseException ex) {
			throw new IllegalArgumentException(value, ex);
		}
	}

	@Override
	public Cookie @Nullable [] getCookies() {
		List<Cookie> cookies = new ArrayList<>();
		for (String header : headers().get("cookie")) {
			for (String pair : header.split(";", -1)) {
				int equals = pair.indexOf('=');
				if (equals > 0) {
					cookies.add(new Cookie(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip()));
				}
			}
		}
		return cookies.isEmpty() ? null : cookies.toArray(Cookie[]::new);
	}

	private Map<String, String[]> parameters() {
		Map<String, String[]> known = this.parameters;
		if (known == null) {
			known = parse(getQueryString());
			this.parameters = known;
		}
		return known;
	}

	private static Map<String, String[]> parse(@Nullable String query) {
		if (query == null) {
			return Map.of();
		}
		Map<String, List<String>> values = new LinkedHashMap<>();
		for (String pair : query.split("&", -1)) {
			int equals = pair.indexOf('=');
			String name = (equals >= 0) ? pair.substring(0, equals) : pair;
			String value = (equals >= 0) ? pair.substring(equals + 1) : "";
			values.computeIfAbsent(UriUtils.decode(name, StandardCharsets.UTF_8), (ignored) -> new ArrayList<>())
				.add(UriUtils.decode(value, StandardCharsets.UTF_8));
		}
		Map<String, String[]> parameters = new LinkedHashMap<>();
		values.forEach((name, all) -> parameters.put(name, all.toArray(String[]::new)));
		return Collections.unmodifiableMap(parameters);
	}

	@Override
	public @Nullable String getParameter(@Nullable String name) {
		String[] values = (name != null) ? parameters().get(name) : null;
		return (values != null) ? values[0] : null;
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		return parameters();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		return Collections.enumeration(parameters().keySet());
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		String[] values = parameters().get(name);
		return (values != null) ? values.clone() : null;
	}

	@Override
	public jakarta.servlet.ServletInputStream getInputStream() {
		if (this.usingReader) {
			throw new IllegalStateException("getReader() has already been called for this request");
		}
		this.usingStream = true;
		return new WatchedRequest.EmptyInput(false);
	}

	@Override
	public BufferedReader getReader() {
		if (this.usingStream || this.target.request().hasBody()) {
			throw new IllegalStateException("getInputStream() has already been called for this request");
		}
		this.usingReader = true;
		return new BufferedReader(Reader.nullReader());
	}

	@Override
	public java.util.Collection<Part> getParts() throws ServletException {
		throw new ServletException("The request is not a multipart request: its content type is " + getContentType());
	}

	@Override
	public Part getPart(String name) throws ServletException {
		throw new ServletException("The request is not a multipart request: its content type is " + getContentType());
	}

	@Override
	public @Nullable HttpSession getSession(boolean create) {
		HttpSession found = this.container.session(this, create && !this.response.isCommitted());
		if (found != null) {
			this.session = found;
		}
		else if (create) {
			throw new IllegalStateException("Cannot create a session after the response has been committed");
		}
		return found;
	}

	@Override
	public HttpSession getSession() {
		HttpSession found = getSession(true);
		if (found == null) {
			throw new IllegalStateException("The container made no session");
		}
		return found;
	}

	@Override
	public String changeSessionId() {
		return this.container.changeSessionId(this);
	}

	/** Returns the id of the session as the client knows it, from its cookie. */
	@Override
	public @Nullable String getRequestedSessionId() {
		String name = sessionCookieName();
		Cookie[] cookies = getCookies();
		if (cookies != null) {
			for (Cookie cookie : cookies) {
				if (cookie.getName().equals(name)) {
					return cookie.getValue();
				}
			}
		}
		return null;
	}

	private String sessionCookieName() {
		String name = this.servletContext.getSessionCookieConfig().getName();
		return (name != null) ? name : "JSESSIONID";
	}

	@Override
	public boolean isRequestedSessionIdFromCookie() {
		return getRequestedSessionId() != null;
	}

	@Override
	public boolean isRequestedSessionIdValid() {
		HttpSession found = (getRequestedSessionId() != null) ? getSession(false) : null;
		return found != null && found.getId().equals(getRequestedSessionId());
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		checkName(name);
		Object value = (this.attributes != null || name.startsWith(SPRING)) ? attributes().get(name) : null;
		if (value != null) {
			return value;
		}
		if (name.equals(OBSERVATION)) {
			return this.observed;
		}
		if (name.equals(ServletRequestPathUtils.PATH_ATTRIBUTE)) {
			return ServletRequestPathUtils.parseAndCache(this);
		}
		return name.startsWith(DISPATCHER) ? ofDispatcher(name) : null;
	}

	/** Handlers are not checked for nullness. */
	private static void checkName(@Nullable String name) {
		if (name == null) {
			throw new IllegalArgumentException("An attribute of a request needs a name");
		}
	}

	/** Attributes that the dispatcher servlet sets in each request. */
	private @Nullable Object ofDispatcher(String name) {
		WebApplicationContext context = WebApplicationContextUtils.getWebApplicationContext(this.servletContext);
		if (context == null) {
			return null;
		}
		if (name.equals(DispatcherServlet.WEB_APPLICATION_CONTEXT_ATTRIBUTE)) {
			return context;
		}
		if (name.equals(DispatcherServlet.LOCALE_RESOLVER_ATTRIBUTE)) {
			return bean(context, DispatcherServlet.LOCALE_RESOLVER_BEAN_NAME);
		}
		if (name.equals(DispatcherServlet.FLASH_MAP_MANAGER_ATTRIBUTE)) {
			return bean(context, DispatcherServlet.FLASH_MAP_MANAGER_BEAN_NAME);
		}
		if (name.equals(DispatcherServlet.OUTPUT_FLASH_MAP_ATTRIBUTE)) {
			return attributes().computeIfAbsent(name, (key) -> new FlashMap());
		}
		return null;
	}

	private static @Nullable Object bean(WebApplicationContext context, String name) {
		return context.containsBean(name) ? context.getBean(name) : null;
	}

	@Override
	public Enumeration<String> getAttributeNames() {
		return Collections.enumeration(List.copyOf(attributes().keySet()));
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		checkName(name);
		if (value == null) {
			removeAttribute(name);
			return;
		}
		attributes().put(name, value);
	}

	@Override
	public void removeAttribute(String name) {
		checkName(name);
		if (this.attributes != null || name.startsWith(SPRING)) {
			attributes().remove(name);
		}
	}

	@Override
	public Locale getLocale() {
		return getLocales().nextElement();
	}

	@Override
	public Enumeration<Locale> getLocales() {
		List<Locale> locales = new ArrayList<>();
		HttpHeaders languages = new HttpHeaders();
		languages.addAll(HttpHeaders.ACCEPT_LANGUAGE, headers().get("accept-language"));
		try {
			locales.addAll(languages.getAcceptLanguageAsLocales());
		}
		catch (IllegalArgumentException ex) {
			// The container ignores what is no language, too.
			locales.clear();
		}
		return Collections.enumeration(locales.isEmpty() ? List.of(Locale.getDefault()) : locales);
	}

	@Override
	public DispatcherType getDispatcherType() {
		return this.dispatcherType;
	}

	@Override
	public ServletContext getServletContext() {
		return this.servletContext;
	}

	/** The container can dispatch its own requests only. */
	@Override
	public @Nullable RequestDispatcher getRequestDispatcher(@Nullable String path) {
		if (path == null) {
			return null;
		}
		String absolute = path.startsWith("/") ? path
				: getServletPath().substring(0, getServletPath().lastIndexOf('/') + 1) + path;
		RequestDispatcher dispatcher = getServletContext().getRequestDispatcher(absolute);
		return (dispatcher != null) ? new HandlerDispatcher(this.target, dispatcher) : null;
	}

	/** Fails: nothing in front of the handler authenticates callers or asks for it. */
	@Override
	public boolean authenticate(HttpServletResponse answer) {
		if (answer.isCommitted()) {
			throw new IllegalStateException("Cannot authenticate after the response has been committed");
		}
		return true;
	}

	@Override
	public void login(String username, String password) throws ServletException {
		throw new ServletException("The web server has no realm that knows users");
	}

	@Override
	public boolean isTrailerFieldsReady() {
		return true;
	}

	@Override
	public <T extends HttpUpgradeHandler> T upgrade(Class<T> type) throws ServletException {
		throw new ServletException("A typed call cannot be upgraded to another protocol");
	}

	@Override
	public AsyncContext startAsync() {
		return start(new HandlerAsync(this, this.response, true));
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse answer) {
		return start(new HandlerAsync(request, answer, request == this && answer == this.response));
	}

	private AsyncContext start(HandlerAsync started) {
		if (this.async != null) {
			throw new IllegalStateException("Asynchronous processing has been started already");
		}
		this.async = started;
		return started;
	}

	@Override
	public boolean isAsyncStarted() {
		return this.async != null;
	}

	@Override
	public AsyncContext getAsyncContext() {
		HandlerAsync started = this.async;
		if (started == null) {
			throw new IllegalStateException("Asynchronous processing has not been started");
		}
		return started;
	}

	/**
	 * Ends the dispatch in which a handler may have started asynchronous processing.
	 * @return what it has started, or {@code null}
	 */
	@Nullable HandlerAsync started() {
		return this.async;
	}

	/** Says that the handler is called again, as it asked for. */
	void dispatchedAgain() {
		this.async = null;
		this.dispatcherType = DispatcherType.ASYNC;
	}

	private record Connection(boolean isSecure) implements ServletConnection {

		@Override
		public String getConnectionId() {
			return "vicinal";
		}

		@Override
		public String getProtocol() {
			return "http/1.1";
		}

		@Override
		public String getProtocolConnectionId() {
			return "";
		}

	}

	private record Mapping(String matchValue, String pattern, MappingMatch match) implements HttpServletMapping {

		@Override
		public String getMatchValue() {
			return this.matchValue;
		}

		@Override
		public String getPattern() {
			return this.pattern;
		}

		@Override
		public String getServletName() {
			return "dispatcherServlet";
		}

		@Override
		public MappingMatch getMappingMatch() {
			return this.match;
		}

	}

}
