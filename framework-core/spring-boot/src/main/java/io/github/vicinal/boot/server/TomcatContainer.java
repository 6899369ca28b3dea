package io.github.vicinal.boot.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.ServletRequestAttributeListener;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.SessionTrackingMode;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.apache.catalina.Context;
import org.apache.catalina.Pipeline;
import org.apache.catalina.Session;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.ApplicationSessionCookieConfig;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;

/**
 * Hands typed calls to Tomcat's adapter, which is where requests go once their bytes have
 * been parsed. Everything behind it runs as for any request: valves, constraints,
 * filters, sessions, error pages and the access log. Thread-safe.
 */
final class TomcatContainer implements ServletContainer {

	/** Valves of every embedded Tomcat. */
	private static final Set<String> NEUTRAL_VALVES = Set.of("org.apache.catalina.core.StandardEngineValve",
			"org.apache.catalina.core.StandardHostValve", "org.apache.catalina.core.StandardContextValve",
			"org.apache.catalina.valves.ErrorReportValve", "org.apache.catalina.authenticator.NonLoginAuthenticator");

	private static final int DEFAULT_PARAMETERS = 1000;

	/** Maximum number of exchanges that are kept for further calls. */
	private static final int MAX_POOLED = 256;

	private final Connector connector;

	private final AbstractHttp11Protocol<?> protocol;

	private final Context context;

	private final CommonHeaders common = new CommonHeaders();

	private final ConcurrentLinkedDeque<TomcatExchange> pool = new ConcurrentLinkedDeque<>();

	private final AtomicInteger pooled = new AtomicInteger();

	private TomcatContainer(Connector connector, AbstractHttp11Protocol<?> protocol, Context context) {
		this.connector = connector;
		this.protocol = protocol;
		this.context = context;
	}

	/**
	 * Returns the container of an application.
	 * @param server its web server
	 * @param contextPath its context path
	 * @return the container, or {@code null} if the server is built in another way than
	 * Spring Boot does it
	 */
	static @Nullable TomcatContainer of(TomcatWebServer server, String contextPath) {
		Connector connector = server.getTomcat().getConnector();
		if (!(connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol)
				|| protocol.getAdapter() == null) {
			return null;
		}
		return (server.getTomcat().getHost().findChild(contextPath) instanceof Context context)
				? new TomcatContainer(connector, protocol, context) : null;
	}

	@Override
	public @Nullable String foreign() {
		for (Pipeline pipeline : Arrays.asList(this.connector.getService().getContainer().getPipeline(),
				this.context.getParent().getPipeline(), this.context.getPipeline())) {
			for (Valve valve : pipeline.getValves()) {
				if (!NEUTRAL_VALVES.contains(valve.getClass().getName())) {
					return "the valve " + valve.getClass().getName();
				}
			}
		}
		for (Object listener : this.context.getApplicationEventListeners()) {
			if (listener instanceof ServletRequestListener || listener instanceof ServletRequestAttributeListener) {
				return "the listener " + listener.getClass().getName();
			}
		}
		if (this.context.findConstraints().length > 0) {
			return "a security constraint of the servlet context";
		}
		for (ErrorPage page : this.context.findErrorPages()) {
			if (page.getExceptionType() != null || page.getErrorCode() != 0) {
				return "an error page";
			}
		}
		return configured();
	}

	/** Tomcat knows {@code "*"} as a flag, and does not list it among the patterns. */
	@Override
	public boolean isForAll(String filter) {
		return Arrays.stream(this.context.findFilterMaps())
			.anyMatch((map) -> filter.equals(map.getFilterName())
					&& (map.getMatchAllUrlPatterns() || map.getMatchAllServletNames()));
	}

	/** Returns what changes every request or response. */
	private @Nullable String configured() {
		if (this.protocol.getServer() != null || this.protocol.getServerRemoveAppProvidedValues()) {
			return "the property server.server-header";
		}
		if (!"off".equals(this.protocol.getCompression())) {
			return "the property server.compression.enabled";
		}
		if (!StandardCharsets.UTF_8.equals(this.connector.getURICharset())) {
			return "the property server.tomcat.uri-encoding";
		}
		if (!this.context.getServletContext().getEffectiveSessionTrackingModes().contains(SessionTrackingMode.COOKIE)) {
			return "the property server.servlet.session.tracking-modes";
		}
		if (this.connector.getXpoweredBy()) {
			return "the connector's header X-Powered-By";
		}
		if (this.connector.getEnableLookups()) {
			return "the connector's look-up of host names";
		}
		if (this.context.getUseRelativeRedirects()) {
			return "the property server.tomcat.use-relative-redirects";
		}
		return (this.connector.getMaxParameterCount() < DEFAULT_PARAMETERS)
				? "the property server.tomcat.max-parameter-count" : null;
	}

	@Override
	public int maxRequestHeaderBytes() {
		return this.protocol.getMaxHttpRequestHeaderSize();
	}

	@Override
	public int maxResponseHeaderBytes() {
		return this.protocol.getMaxHttpResponseHeaderSize();
	}

	@Override
	public Response serve(TypedCall call) throws IOException {
		TomcatExchange exchange = this.pool.poll();
		if (exchange == null) {
			exchange = new TomcatExchange(this.connector, this.protocol, this.common);
		}
		else {
			this.pooled.decrementAndGet();
		}
		Response response = exchange.serve(call, this.context.getPath());
		if (this.pooled.incrementAndGet() <= MAX_POOLED) {
			this.pool.push(exchange);
		}
		else {
			this.pooled.decrementAndGet();
		}
		return response;
	}

	@Override
	public @Nullable HttpSession session(FrameRequest request, boolean create) {
		HttpSession used = request.usedSession();
		if (used != null && find(used.getId()) != null) {
			return used;
		}
		String requested = request.getRequestedSessionId();
		Session session = (requested != null) ? find(requested) : null;
		if (session == null && create) {
			session = this.context.getManager().createSession(null);
			answerWithCookie(request, session.getIdInternal());
		}
		if (session == null) {
			return null;
		}
		session.access();
		return session.getSession();
	}

	private void answerWithCookie(FrameRequest request, String id) {
		if (this.context.getCookies()) {
			request
				.answerWith(ApplicationSessionCookieConfig.createSessionCookie(this.context, id, request.isSecure()));
		}
	}

	private @Nullable Session find(String id) {
		try {
			Session session = this.context.getManager().findSession(id);
			return (session != null && session.isValid()) ? session : null;
		}
		catch (IOException ex) {
			return null;
		}
	}

	@Override
	public String changeSessionId(FrameRequest request) {
		HttpSession used = request.getSession(false);
		Session session = (used != null) ? find(used.getId()) : null;
		if (session == null) {
			throw new IllegalStateException(
					"Cannot change session ID. There is no session associated with this request.");
		}
		String id = this.context.getManager().rotateSessionId(session);
		answerWithCookie(request, id);
		return id;
	}

	@Override
	public void release(HttpSession used) {
		Session session = find(used.getId());
		if (session != null) {
			session.endAccess();
		}
	}

	@Override
	public Response errorPage(int status, List<String> languages) {
		for (Valve valve : this.context.getParent().getPipeline().getValves()) {
			if (valve instanceof ErrorReportValve page) {
				return new TomcatExchange(this.connector, this.protocol, this.common).errorPage(status, languages,
						page);
			}
		}
		return new Response(status, Map.of(), new byte[0], false);
	}

	@Override
	public String setCookie(Cookie cookie, HttpServletRequest request) {
		return this.context.getCookieProcessor().generateHeader(cookie, request);
	}

}
