package io.github.vicinal.boot.server;

import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.path.Reply;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Turns what a handler throws into the response that Spring MVC and Boot's error
 * controller would have written. Thread-safe.
 */
final class HandlerFailures {

	private static final Logger logger = LoggerFactory.getLogger(HandlerFailures.class);

	/** Character sets of which the bytes of a JSON text in UTF-8 are taken to be. */
	private static final Set<Charset> WRITTEN = Set.of(StandardCharsets.UTF_8, StandardCharsets.US_ASCII);

	private final List<HandlerExceptionResolver> resolvers;

	private final @Nullable BasicErrorController errorController;

	private final JsonMapper mapper;

	private final ErrorViews views;

	HandlerFailures(List<HandlerExceptionResolver> resolvers, @Nullable BasicErrorController errorController,
			JsonMapper mapper, ErrorViews views) {
		this.views = views;
		this.resolvers = List.copyOf(resolvers);
		this.errorController = errorController;
		this.mapper = mapper;
	}

	Reply.Failure reply(FrameRequest request, FrameResponse response, HandlerMethod handler, Throwable thrown) {
		Exception exception = (thrown instanceof Exception known) ? known
				: new ServletException("Handler dispatch failed: " + thrown, thrown);
		if (!response.isCommitted()) {
			response.setContentType(null);
			response.setHeader("Content-Disposition", null);
			response.resetBuffer();
		}
		if (!tryToResolve(request, response, handler, exception)) {
			log(handler, thrown);
			if (response.isSent()) {
				return cutOff(response, thrown.getClass().getName());
			}
			fail(request, response, exception);
		}
		if (response.isError()) {
			return errorPage(request, response, thrown.getClass().getName());
		}
		return new Reply.Failure(response.getStatus(), response.headers(), response.body(),
				thrown.getClass().getName());
	}

	/** The error page takes the message from the exception. */
	private static void fail(FrameRequest request, FrameResponse response, Exception exception) {
		response.setContentType(null);
		response.fail(500, null);
		request.setAttribute(RequestDispatcher.ERROR_EXCEPTION, exception);
	}

	/** It is too late for an error; the container closes the connection. */
	private static Reply.Failure cutOff(FrameResponse response, String remoteType) {
		Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
		if (!response.isSentWhole()) {
			headers.put(Reply.Failure.CUT_OFF_HEADER, List.of("true"));
		}
		return new Reply.Failure(response.getStatus(), headers, response.sentBody(), remoteType);
	}

	private static void log(HandlerMethod handler, Throwable thrown) {
		try {
			logger.error("{} failed over a typed path", handler, thrown);
		}
		catch (StackOverflowError ex) {
			// Logging systems may follow causes that form a cycle.
			logger.error("{} failed over a typed path with {}", handler, thrown.getClass().getName());
		}
	}

	/**
	 * Resolvers follow causes, too; what they throw is one more failure to the servlet.
	 */
	private boolean tryToResolve(FrameRequest request, FrameResponse response, HandlerMethod handler,
			Exception exception) {
		try {
			return resolve(request, response, handler, exception);
		}
		catch (RuntimeException | StackOverflowError ex) {
			logger.warn("The exception handlers of {} failed with {}", handler, ex.getClass().getName());
			return false;
		}
	}

	private boolean resolve(FrameRequest request, FrameResponse response, HandlerMethod handler, Exception exception) {
		for (HandlerExceptionResolver resolver : this.resolvers) {
			ModelAndView view = resolver.resolveException(request, response, handler, exception);
			if (view != null) {
				return view.isEmpty() || render(view, exception, request, response, handler);
			}
		}
		return false;
	}

	/** A view that fails is one more failure to the servlet, in place of the first. */
	private boolean render(ModelAndView view, Exception exception, FrameRequest request, FrameResponse response,
			HandlerMethod handler) {
		try {
			this.views.render(view, exception, request, response);
		}
		catch (Exception ex) {
			logger.error("The view with which {} of {} is answered failed", exception.getClass().getName(), handler,
					ex);
			if (response.isSent()) {
				return false;
			}
			fail(request, response, ex);
		}
		return true;
	}

	private static boolean acceptsJson(FrameRequest request) {
		List<String> accept = Collections.list(request.getHeaders(HttpHeaders.ACCEPT));
		return accept.isEmpty() || MediaType.parseMediaTypes(accept)
			.stream()
			.anyMatch((type) -> type.isCompatibleWith(MediaType.APPLICATION_JSON));
	}

	/** The response to {@code sendError}: what an error dispatch would have brought. */
	Reply.Failure errorPage(FrameRequest request, FrameResponse response, String remoteType) {
		int status = response.getStatus();
		Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
		BasicErrorController controller = this.errorController;
		if (controller == null) {
			return new Reply.Failure(status, headers, new byte[0], remoteType);
		}
		request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
		request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
		if (response.errorMessage() != null) {
			request.setAttribute(RequestDispatcher.ERROR_MESSAGE, response.errorMessage());
		}
		ResponseEntity<Map<String, @Nullable Object>> entity = controller.error(request);
		Map<String, @Nullable Object> body = entity.getBody();
		// Tomcat writes no body with these, whatever the page is.
		if (body == null || status == HttpServletResponse.SC_RESET_CONTENT
				|| status == HttpServletResponse.SC_NOT_MODIFIED) {
			return new Reply.Failure(status, headers, new byte[0], remoteType);
		}
		return page(request, response, entity.getStatusCode().value(), headers, body, remoteType);
	}

	/** Writes the page in the type that the handler has set, if it has. */
	private Reply.Failure page(FrameRequest request, FrameResponse response, int status,
			Map<String, List<String>> headers, Map<String, @Nullable Object> body, String remoteType) {
		String preset = response.getContentType();
		headers.keySet().removeIf(HttpHeaders.CONTENT_TYPE::equalsIgnoreCase);
		MediaType type;
		try {
			type = (preset != null) ? MediaType.parseMediaType(preset) : MediaType.APPLICATION_JSON;
		}
		catch (InvalidMediaTypeException ex) {
			// Over HTTP, too, the page fails, and the container's own follows.
			ServletContainer.Response own = request.errorPage(500);
			headers.keySet().removeIf("Content-Language"::equalsIgnoreCase);
			headers.putAll(own.headers());
			return new Reply.Failure(own.status(), headers, own.body(), remoteType);
		}
		Charset charset = (type.getCharset() != null) ? type.getCharset() : StandardCharsets.UTF_8;
		if (preset != null && type.isConcrete()) {
			if (!isJson(type) || !WRITTEN.contains(charset)) {
				// No converter writes it, which is one more failure.
				return new Reply.Failure(500, headers, new byte[0], remoteType);
			}
		}
		else if (!acceptsJson(request)) {
			// Answer of Boot's error controller to a client that accepts none of its
			// formats.
			return new Reply.Failure(status, headers, new byte[0], remoteType);
		}
		headers.put(HttpHeaders.CONTENT_TYPE, List.of((preset != null) ? preset : MediaType.APPLICATION_JSON_VALUE));
		return new Reply.Failure(status, headers, this.mapper.writeValueAsBytes(body), remoteType);
	}

	private static boolean isJson(MediaType type) {
		return type.isCompatibleWith(MediaType.APPLICATION_JSON) || type.getSubtype().endsWith("+json");
	}

}
