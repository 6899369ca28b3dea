package io.github.vicinal.boot.server;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.channel.CallFrame;

/**
 * What a typed call would have been as an HTTP request: for exception handlers,
 * observation conventions and request-scoped beans. It has no parameters and no body.
 */
final class FrameRequest extends HttpServletRequestWrapper {

	/** Answers what nobody has set: nothing, zero, or an empty collection. */
	private static final HttpServletRequest NOTHING = (HttpServletRequest) Proxy.newProxyInstance(
			FrameRequest.class.getClassLoader(), new Class<?>[] { HttpServletRequest.class },
			(proxy, method, arguments) -> nothing(method));

	private final ServletContext servletContext;

	private final HandlerTarget target;

	private final CallFrame frame;

	private final Map<String, String> headers;

	private final String accept;

	private @Nullable String uri;

	private @Nullable Map<String, Object> attributes;

	FrameRequest(ServletContext servletContext, HandlerTarget target, CallFrame frame) {
		super(NOTHING);
		this.servletContext = servletContext;
		this.target = target;
		this.frame = frame;
		this.headers = frame.headers();
		this.accept = target.accept();
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

	private Map<String, Object> mutableAttributes() {
		Map<String, Object> known = this.attributes;
		if (known == null) {
			known = new HashMap<>();
			this.attributes = known;
		}
		return known;
	}

	@Override
	public String getMethod() {
		return this.target.httpMethod();
	}

	@Override
	public String getRequestURI() {
		String known = this.uri;
		if (known == null) {
			String path = this.servletContext.getContextPath();
			known = ((path != null) ? path : "") + this.target.path(this.frame.arguments());
			this.uri = known;
		}
		return known;
	}

	@Override
	public @Nullable String getQueryString() {
		return this.target.query(this.frame.arguments());
	}

	@Override
	public StringBuffer getRequestURL() {
		return new StringBuffer("http://localhost").append(getRequestURI());
	}

	@Override
	public String getServletPath() {
		return getRequestURI().substring(getContextPath().length());
	}

	@Override
	public String getContextPath() {
		String path = this.servletContext.getContextPath();
		return (path != null) ? path : "";
	}

	@Override
	public HttpServletMapping getHttpServletMapping() {
		return DefaultMapping.INSTANCE;
	}

	@Override
	public String getProtocol() {
		return "HTTP/1.1";
	}

	@Override
	public String getScheme() {
		return "http";
	}

	@Override
	public String getServerName() {
		return "localhost";
	}

	@Override
	public String getRemoteAddr() {
		return "127.0.0.1";
	}

	@Override
	public @Nullable String getHeader(String name) {
		if ("Accept".equalsIgnoreCase(name)) {
			return this.accept.isEmpty() ? null : this.accept;
		}
		if ("Content-Type".equalsIgnoreCase(name)) {
			return getContentType();
		}
		if (this.headers.isEmpty()) {
			return null;
		}
		return this.headers.get(name.toLowerCase(Locale.ROOT));
	}

	@Override
	public @Nullable String getContentType() {
		String type = this.target.contentType();
		return type.isEmpty() ? null : type;
	}

	@Override
	public Enumeration<String> getHeaders(String name) {
		String value = getHeader(name);
		return (value != null) ? Collections.enumeration(List.of(value)) : Collections.emptyEnumeration();
	}

	@Override
	public Enumeration<String> getHeaderNames() {
		Map<String, String> names = new TreeMap<>(this.headers);
		if (!this.accept.isEmpty()) {
			names.put("accept", this.accept);
		}
		return Collections.enumeration(names.keySet());
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		return (this.attributes != null) ? this.attributes.get(name) : null;
	}

	@Override
	public Enumeration<String> getAttributeNames() {
		return Collections.enumeration((this.attributes != null) ? List.copyOf(this.attributes.keySet()) : List.of());
	}

	@Override
	public void setAttribute(String name, @Nullable Object value) {
		if (value == null) {
			removeAttribute(name);
			return;
		}
		mutableAttributes().put(name, value);
	}

	@Override
	public void removeAttribute(String name) {
		if (this.attributes != null) {
			this.attributes.remove(name);
		}
	}

	@Override
	public Locale getLocale() {
		return Locale.getDefault();
	}

	@Override
	public Enumeration<Locale> getLocales() {
		return Collections.enumeration(List.of(getLocale()));
	}

	@Override
	public DispatcherType getDispatcherType() {
		return DispatcherType.REQUEST;
	}

	@Override
	public ServletContext getServletContext() {
		return this.servletContext;
	}

	/** The mapping of a dispatcher servlet at {@code /}. */
	private enum DefaultMapping implements HttpServletMapping {

		INSTANCE;

		@Override
		public String getMatchValue() {
			return "";
		}

		@Override
		public String getPattern() {
			return "/";
		}

		@Override
		public String getServletName() {
			return "dispatcherServlet";
		}

		@Override
		public MappingMatch getMappingMatch() {
			return MappingMatch.DEFAULT;
		}

	}

}
