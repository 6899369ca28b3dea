package io.github.vicinal.boot.server;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.boot.contract.ResultShape.Envelope;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallFrame;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.method.HandlerMethod;

/** The handler method behind one contract method. Thread-safe. */
final class HandlerTarget {

	/**
	 * An answer that nobody waits for must not race with the caller's own time-out: by
	 * HTTP the server would not know of it.
	 */
	static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

	/** Begins the reason of a method whose first call has to show what happens to it. */
	private static final String UNSEEN = "no HTTP request has shown yet that typed calls can pass ";

	private static final List<String> CONDITIONS = List.of(HttpHeaders.IF_NONE_MATCH, HttpHeaders.IF_MATCH,
			HttpHeaders.IF_MODIFIED_SINCE, HttpHeaders.IF_UNMODIFIED_SINCE);

	private final HandlerMethod handler;

	private final Method method;

	private final RequestTemplate request;

	private final ResultShape shape;

	private final String permitName;

	/** Whether client and handler share no interface. */
	private final boolean structural;

	private final int status;

	private final String statusReason;

	private final boolean produces;

	private final @Nullable CompetingMappings competing;

	private final @Nullable String foreign;

	private volatile @Nullable CallSeries<ServerRequestObservationContext> series;

	private final ArgumentValidation.@Nullable Plan validation;

	private final @Nullable Consumer<@Nullable Object> resultValidation;

	/** Why calls need HTTP, learned from requests that came over HTTP or were tried. */
	private volatile @Nullable String httpOnly;

	/** Why calls need HTTP forever. */
	private volatile @Nullable String left;

	/**
	 * Creates a target.
	 * @param contract the contract
	 * @param method the method of the contract
	 * @param handler the method that handles it
	 * @param request the request that a call would be
	 * @param competing mappings that may match the same path, {@code null} for none
	 * @param foreign what acts on such requests before they reach the handler, so that
	 * calls have to pass the container; {@code null} if there is nothing
	 * @param validation how arguments are validated
	 */
	HandlerTarget(Contract contract, ContractMethod method, HandlerMethod handler, RequestTemplate request,
			@Nullable CompetingMappings competing, @Nullable String foreign, ArgumentValidation validation) {
		this(method.method(), ResultShape.of(contract.type(), method.method()), contract.name(), false, handler,
				request, competing, foreign, validation);
	}

	private HandlerTarget(Method method, ResultShape shape, String permitName, boolean structural,
			HandlerMethod handler, RequestTemplate request, @Nullable CompetingMappings competing,
			@Nullable String foreign, ArgumentValidation validation) {
		this.competing = competing;
		this.foreign = foreign;
		this.permitName = permitName;
		this.structural = structural;
		this.httpOnly = (foreign != null) ? UNSEEN + foreign : null;
		this.handler = handler;
		this.method = method;
		this.method.setAccessible(true);
		this.request = request;
		this.shape = shape;
		this.validation = validation.plan(handler);
		this.resultValidation = validation.ofResult(handler);
		ResponseStatus annotated = AnnotatedElementUtils.findMergedAnnotation(handler.getMethod(),
				ResponseStatus.class);
		if (annotated == null) {
			annotated = AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), ResponseStatus.class);
		}
		this.status = (annotated != null) ? annotated.code().value() : 0;
		this.statusReason = (annotated != null) ? annotated.reason() : "";
		this.produces = produces(handler.getMethod()) || produces(handler.getBeanType());
	}

	/**
	 * Creates the target of a client's method that has the structure of the handler.
	 * @param handler the method that handles it
	 * @param shape its result
	 * @param permitName what requests for the handler count for
	 * @param request the request that a call would be
	 * @param competing mappings that may match the same path, {@code null} for none
	 * @param foreign what acts on such requests before they reach the handler, or
	 * {@code null}
	 * @param validation how arguments are validated
	 */
	static HandlerTarget byStructure(HandlerMethod handler, ResultShape shape, String permitName,
			RequestTemplate request, @Nullable CompetingMappings competing, @Nullable String foreign,
			ArgumentValidation validation) {
		return new HandlerTarget(handler.getMethod(), shape, permitName, true, handler, request, competing, foreign,
				validation);
	}

	/** Returns what calls count for where permits distinguish them. */
	String permitName() {
		return this.permitName;
	}

	private static boolean produces(java.lang.reflect.AnnotatedElement element) {
		RequestMapping mapping = AnnotatedElementUtils.findMergedAnnotation(element, RequestMapping.class);
		return mapping != null && mapping.produces().length > 0;
	}

	/**
	 * Answer of a handler that travels as a value.
	 *
	 * @param status the status in the result itself, 0 for that of the response
	 * @param headers the headers in the result itself
	 * @param body the value
	 */
	record Answer(int status, Map<String, List<String>> headers, @Nullable Object body) {
	}

	HandlerMethod handler() {
		return this.handler;
	}

	/** The request that a call would have been. */
	RequestTemplate request() {
		return this.request;
	}

	/** Whether the result is complete when the handler returns. */
	boolean isSynchronous() {
		return this.shape.timing() == Timing.SYNC;
	}

	/** Returns what calls are recorded in, or {@code null} before the first one. */
	@Nullable CallSeries<ServerRequestObservationContext> series() {
		return this.series;
	}

	void series(CallSeries<ServerRequestObservationContext> newSeries) {
		this.series = newSeries;
	}

	/** Returns why calls need HTTP, or {@code null} if they do not. */
	@Nullable String httpOnly() {
		return this.httpOnly;
	}

	/** Returns why Spring MVC may choose another handler, or {@code null}. */
	@Nullable String otherMapping(@Nullable Object[] arguments) {
		return (this.competing != null) ? this.competing.matching(this.request.pathWithinServlet(arguments)) : null;
	}

	/** Returns what calls have to pass, or {@code null} if there is nothing. */
	@Nullable String foreign() {
		return this.foreign;
	}

	/**
	 * Notes what was done to a request on its way to the handler.
	 * @param reason what typed calls cannot repeat, or {@code null} if there was nothing
	 */
	void seen(@Nullable String reason) {
		String known = this.httpOnly;
		if (this.foreign != null && (known == null || known.startsWith(UNSEEN))) {
			this.httpOnly = (this.left != null) ? this.left : reason;
		}
	}

	/** Leaves all further calls to HTTP. */
	void leave(String reason) {
		this.left = reason;
		this.httpOnly = reason;
	}

	/**
	 * Calls the handler.
	 * @param frame the call
	 * @return what it returned, once that is complete
	 * @throws Throwable what the handler throws, or its validation
	 */
	@Nullable Object call(CallFrame frame) throws Throwable {
		try {
			@Nullable Object[] arguments = frame.arguments();
			if (this.validation != null) {
				this.validation.validate(arguments);
			}
			Object returned = this.method.invoke(this.handler.getBean(), arguments);
			if (this.resultValidation != null) {
				this.resultValidation.accept(returned);
			}
			return await(returned, frame);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
		catch (ExecutionException | CompletionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw ex;
		}
	}

	private static @Nullable Object await(@Nullable Object returned, CallFrame frame)
			throws InterruptedException, ExecutionException {
		Object result = returned;
		if (Reactive.PRESENT && result instanceof Publisher<?> publisher) {
			result = Reactive.future(publisher);
		}
		if (!(result instanceof CompletionStage<?> stage)) {
			return result;
		}
		try {
			long nanos = (frame.deadlineNanos() == CallFrame.NO_DEADLINE) ? Long.MAX_VALUE
					: frame.remainingNanos() + GRACE_NANOS;
			return stage.toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new ExecutionException(new AsyncRequestTimeoutException());
		}
	}

	/**
	 * Sets the status that the handler's annotations say, as Spring does before it looks
	 * at the result.
	 * @param response the response
	 * @return whether that is the whole answer
	 * @throws IOException if the response cannot be sent
	 */
	boolean answersByAnnotation(HttpServletResponse response) throws IOException {
		if (this.status == 0) {
			return false;
		}
		if (!this.statusReason.isEmpty()) {
			response.sendError(this.status, this.statusReason);
			return true;
		}
		response.setStatus(this.status);
		return false;
	}

	/**
	 * Takes a result apart.
	 * @param result what the handler returned
	 * @param asked the request
	 * @param response the response, as the handler left it
	 * @return what travels as a value, or {@code null} if Spring has to write the
	 * response
	 */
	@Nullable Answer answer(@Nullable Object result, HttpServletRequest asked, HttpServletResponse response) {
		Object body = result;
		int answered = 0;
		Map<String, List<String>> headers = Map.of();
		if (result instanceof HttpEntity<?> entity) {
			body = entity.getBody();
			headers = headers(entity.getHeaders());
			if (result instanceof ResponseEntity<?> responseEntity) {
				answered = responseEntity.getStatusCode().value();
			}
			// Spring adds what the entity varies by to what was said before.
			boolean merged = entity.getHeaders().containsHeader(HttpHeaders.VARY)
					&& response.containsHeader(HttpHeaders.VARY);
			if (merged || isConditional(entity.getHeaders(), asked)) {
				return null;
			}
		}
		else if (result instanceof HttpHeaders returned) {
			headers = headers(returned);
			body = null;
		}
		else if (result instanceof java.util.Optional<?> optional) {
			body = optional.orElse(null);
		}
		int status = (answered != 0) ? answered : response.getStatus();
		boolean redirect = status >= 300 && status < 400 && status != 304;
		if (body instanceof ProblemDetail || body instanceof ErrorResponse || status >= 400 || redirect) {
			return null;
		}
		if (saysOtherType(result, body, headers, response) || saysLength(headers, response)) {
			return null;
		}
		// A client may see the headers of a value, whatever its own envelope is.
		boolean entity = this.structural || this.shape.envelope() == Envelope.ENTITY
				|| this.shape.envelope() == Envelope.HEADERS;
		if (this.produces && entity && body != null) {
			return null;
		}
		if (status == 205 || status == 304) {
			return new Answer(answered, withoutContentType(headers), null);
		}
		return new Answer(answered, entity ? withContentType(headers, body) : headers, (status == 204) ? null : body);
	}

	/**
	 * Whether the entity or the response has a content type that Spring would not give to
	 * the body anyway, so that Spring has to find out whether it can write the body so.
	 */
	private static boolean saysOtherType(@Nullable Object result, @Nullable Object body,
			Map<String, List<String>> headers, HttpServletResponse response) {
		String preset = response.getContentType();
		if ((preset == null && headers.isEmpty()) || result instanceof HttpHeaders) {
			return false;
		}
		String usual = (body != null) ? contentType(body) : "";
		return (preset != null && !preset.equals(usual)) || headers.entrySet()
			.stream()
			.anyMatch((header) -> header.getKey().equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)
					&& !header.getValue().equals(List.of(usual)));
	}

	/** Whether the response may be shorter or longer than it says. */
	private static boolean saysLength(Map<String, List<String>> headers, HttpServletResponse response) {
		return response.containsHeader(HttpHeaders.CONTENT_LENGTH)
				|| headers.keySet().stream().anyMatch(HttpHeaders.CONTENT_LENGTH::equalsIgnoreCase);
	}

	private static boolean isConditional(HttpHeaders answered, HttpServletRequest asked) {
		return (answered.getETag() != null || answered.getLastModified() >= 0)
				&& CONDITIONS.stream().anyMatch((name) -> asked.getHeader(name) != null);
	}

	private static Map<String, List<String>> headers(HttpHeaders headers) {
		if (headers.isEmpty()) {
			return Map.of();
		}
		Map<String, List<String>> copy = new LinkedHashMap<>();
		headers.forEach((name, values) -> copy.put(name, new ArrayList<>(values)));
		return copy;
	}

	private static Map<String, List<String>> withoutContentType(Map<String, List<String>> headers) {
		Map<String, List<String>> rest = new LinkedHashMap<>(headers);
		rest.keySet().removeIf(HttpHeaders.CONTENT_TYPE::equalsIgnoreCase);
		return rest;
	}

	private static Map<String, List<String>> withContentType(Map<String, List<String>> headers, @Nullable Object body) {
		if (body == null || headers.keySet().stream().anyMatch(HttpHeaders.CONTENT_TYPE::equalsIgnoreCase)) {
			return headers;
		}
		Map<String, List<String>> complete = new LinkedHashMap<>(headers);
		complete.put(HttpHeaders.CONTENT_TYPE, List.of(contentType(body)));
		return complete;
	}

	/** The content type that Spring's message converters give a value. */
	static String contentType(Object body) {
		return (body instanceof CharSequence) ? "text/plain;charset=UTF-8" : (body instanceof byte[])
				? MediaType.APPLICATION_OCTET_STREAM_VALUE : MediaType.APPLICATION_JSON_VALUE;
	}

	/** Loaded only where Reactor is. */
	private static final class Reactive {

		static final boolean PRESENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
				HandlerTarget.class.getClassLoader());

		private Reactive() {
		}

		static Object future(Publisher<?> publisher) {
			return (publisher instanceof reactor.core.publisher.Mono<?> mono) ? mono.toFuture()
					: reactor.core.publisher.Flux.from(publisher).collectList().toFuture();
		}

	}

}
