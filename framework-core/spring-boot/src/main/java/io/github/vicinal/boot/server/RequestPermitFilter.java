package io.github.vicinal.boot.server;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.vicinal.boot.server.Endpoints.Endpoint;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Lets HTTP requests to handlers wait for their permit, on the web server's thread. The
 * permit is returned when that thread returns: an asynchronous response may go on. While
 * the thread waits for a client that sends or reads slowly, others have the permit.
 */
final class RequestPermitFilter extends OncePerRequestFilter {

	private final RequestPermits permits;

	private final SingletonSupplier<List<Bulkhead>> bulkheads;

	private final Predicate<String> handled;

	private final Endpoints endpoints;

	private final SingletonSupplier<Collection<CorsConfigurationSource>> origins;

	private final CorsProcessor cors = new DefaultCorsProcessor();

	/**
	 * Creates the filter.
	 * @param permits decides on requests
	 * @param bulkheads what each request over HTTP counts for; asked once, as soon as the
	 * web server runs
	 * @param handled knows the paths that are for a permit, without context and servlet
	 * @param endpoints knows which paths belong to which handlers
	 * @param origins know which other origins may read an answer
	 */
	public RequestPermitFilter(RequestPermits permits, Supplier<List<Bulkhead>> bulkheads, Predicate<String> handled,
			Endpoints endpoints, Supplier<Collection<CorsConfigurationSource>> origins) {
		this.permits = permits;
		this.bulkheads = SingletonSupplier.of(bulkheads);
		this.handled = handled;
		this.endpoints = endpoints;
		// Beans are looked up once, as rejections are many when they matter.
		this.origins = SingletonSupplier.of(origins);
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		if (CorsUtils.isPreFlightRequest(request)) {
			return true;
		}
		String within = request.getPathInfo();
		return !this.handled.test((within != null) ? within : request.getServletPath());
	}

	@Override
	@SuppressWarnings("try")
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		TypedCall call = TypedCall.of(request);
		String channel = (call != null) ? call.target().permitName() : channel(request);
		Priority priority = this.permits.priority(channel);
		Permit permit;
		try {
			permit = (call != null) ? this.permits.enter(channel, priority, request, call.frame(), call.beforeWaiting())
					: this.permits.enter(channel, priority, request, this.bulkheads.obtain(), RequestServer.NO_DEADLINE,
							RequestPermitFilter::waits);
		}
		catch (RejectedRequestException ex) {
			if (call != null && isGone(ex.rejection())) {
				call.refused(ex);
				return;
			}
			if (mayRead(request, response)) {
				refuse(response, ex.rejection());
			}
			return;
		}
		try (permit) {
			if (call != null || permit == null) {
				// The arguments are there, and the response waits for nobody.
				chain.doFilter(request, response);
			}
			else {
				chain.doFilter(PausingRequest.mayHaveBody(request) ? new PausingRequest(request, permit) : request,
						new PausingResponse(response, permit));
			}
		}
	}

	/** The caller has gone. */
	private static boolean isGone(Rejection refusal) {
		return refusal.reason() == Rejection.Reason.DEADLINE || refusal.reason() == Rejection.Reason.INTERRUPTED;
	}

	/**
	 * Lets scripts of other origins see the rejection, as they would see the answer: the
	 * filters that say so come later.
	 * @return whether the origin may read it; if not, the response is complete
	 */
	private boolean mayRead(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (CorsUtils.isCorsRequest(request)) {
			for (CorsConfigurationSource source : this.origins.obtain()) {
				CorsConfiguration allowed = source.getCorsConfiguration(request);
				if (allowed != null) {
					return this.cors.processRequest(allowed, request, response);
				}
			}
		}
		return true;
	}

	private String channel(HttpServletRequest request) {
		Endpoint endpoint = this.permits.distinguishes() ? this.endpoints.find(request) : null;
		if (endpoint == null) {
			return RequestPermits.OTHER;
		}
		return (endpoint.contract() != null) ? endpoint.contract() : endpoint.name();
	}

	/** The web server's thread has nothing else to do. */
	private static void waits() {
	}

	private static void refuse(HttpServletResponse response, Rejection refusal) throws IOException {
		Reply.Failure failure = RequestPermits.failure(refusal);
		response.setStatus(failure.status());
		failure.headers().forEach((name, values) -> {
			if (!name.equals(Rejection.HEADER)) {
				response.setHeader(name, values.get(0));
			}
		});
		ChannelResponse.refused(response, refusal);
		response.setContentLength(failure.body().length);
		response.getOutputStream().write(failure.body());
	}

}
