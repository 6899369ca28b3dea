package io.github.vicinal.boot.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.contract.ResultShape.Envelope;
import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.boot.observation.CallSeries;
import io.github.vicinal.channel.CallFrame;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;

/** The handler method behind one contract method. Thread-safe. */
final class HandlerTarget {

	/**
	 * An answer that nobody waits for must not race with the caller's own time-out: by
	 * HTTP the server would not know of it.
	 */
	private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

	private final HandlerMethod handler;

	private final Method method;

	private final String httpMethod;

	private final String pattern;

	private final String contentType;

	private final ResultShape shape;

	private final int status;

	private final String statusReason;

	private final String accept;

	private volatile @Nullable CallSeries<ServerRequestObservationContext> series;

	private final ArgumentValidation.@Nullable Plan validation;

	private final @Nullable Consumer<@Nullable Object> resultValidation;

	HandlerTarget(Contract contract, ContractMethod method, HandlerMethod handler, String pattern,
			ArgumentValidation validation) {
		this.handler = handler;
		this.method = method.method();
		this.method.setAccessible(true);
		this.httpMethod = ExchangeContractReader.httpMethod(contract.type(), method.method());
		this.pattern = pattern;
		this.contentType = contentType(ExchangeContractReader.contentType(contract.type(), method.method()), handler);
		this.shape = ResultShape.of(contract.type(), method.method());
		this.accept = accept(this.shape.valueClass());
		this.validation = validation.plan(handler);
		this.resultValidation = validation.ofResult(handler);
		ResponseStatus annotated = AnnotatedElementUtils.findMergedAnnotation(handler.getMethod(),
				ResponseStatus.class);
		if (annotated == null) {
			annotated = AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), ResponseStatus.class);
		}
		this.status = (annotated != null) ? annotated.code().value() : 200;
		this.statusReason = (annotated != null) ? annotated.reason() : "";
	}

	private static String contentType(String declared, HandlerMethod handler) {
		if (!declared.isEmpty()) {
			return declared;
		}
		return Arrays.stream(handler.getMethodParameters())
			.filter((parameter) -> parameter.hasParameterAnnotation(RequestBody.class))
			.findFirst()
			.map((parameter) -> (parameter.getParameterType() == String.class) ? MediaType.TEXT_PLAIN_VALUE
					: (parameter.getParameterType() == byte[].class) ? MediaType.APPLICATION_OCTET_STREAM_VALUE
							: MediaType.APPLICATION_JSON_VALUE)
			.orElse("");
	}

	private static String accept(Class<?> type) {
		if (type == void.class) {
			return "";
		}
		if (type == String.class) {
			return "text/plain, application/json, application/*+json, */*";
		}
		return (type == byte[].class) ? "application/octet-stream, */*" : "application/json, application/*+json";
	}

	/** What the HTTP client would have sent as {@code Content-Type}. */
	String contentType() {
		return this.contentType;
	}

	HandlerMethod handler() {
		return this.handler;
	}

	/** Returns what calls are recorded in, or {@code null} before the first one. */
	@Nullable CallSeries<ServerRequestObservationContext> series() {
		return this.series;
	}

	void series(CallSeries<ServerRequestObservationContext> newSeries) {
		this.series = newSeries;
	}

	String httpMethod() {
		return this.httpMethod;
	}

	String pattern() {
		return this.pattern;
	}

	/** The path that the HTTP request would have had, without the context path. */
	String path(@Nullable Object[] arguments) {
		if (this.pattern.indexOf('{') < 0) {
			return this.pattern;
		}
		Map<String, Object> variables = new HashMap<>();
		for (int i = 0; i < arguments.length; i++) {
			MethodParameter parameter = this.handler.getMethodParameters()[i];
			PathVariable annotation = parameter.getParameterAnnotation(PathVariable.class);
			if (annotation != null) {
				String name = annotation.name().isEmpty() ? parameter.getParameterName() : annotation.name();
				variables.put(String.valueOf(name), String.valueOf(arguments[i]));
			}
		}
		return UriComponentsBuilder.fromPath(this.pattern).encode().buildAndExpand(variables).toUriString();
	}

	/** The query that the HTTP request would have had, or {@code null}. */
	@Nullable String query(@Nullable Object[] arguments) {
		StringJoiner query = new StringJoiner("&");
		for (int i = 0; i < arguments.length; i++) {
			MethodParameter parameter = this.handler.getMethodParameters()[i];
			RequestParam annotation = parameter.getParameterAnnotation(RequestParam.class);
			if (annotation != null) {
				String name = annotation.name().isEmpty() ? parameter.getParameterName() : annotation.name();
				for (Object value : values(arguments[i])) {
					String text = (value instanceof Enum<?> constant) ? constant.name() : String.valueOf(value);
					query.add(UriUtils.encode(String.valueOf(name), StandardCharsets.UTF_8) + "="
							+ UriUtils.encode(text, StandardCharsets.UTF_8));
				}
			}
		}
		return (query.length() > 0) ? query.toString() : null;
	}

	private static Collection<?> values(@Nullable Object argument) {
		if (argument instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		if (argument instanceof Object[] array) {
			return List.of(array);
		}
		return (argument instanceof Collection<?> collection) ? collection
				: (argument != null) ? List.of(argument) : List.of();
	}

	/** What the HTTP client would have sent as {@code Accept}. */
	String accept() {
		return this.accept;
	}

	Reply invoke(CallFrame frame, HandlerFailures failures, FrameRequest request, FrameResponse response) {
		try {
			@Nullable Object[] arguments = frame.arguments();
			if (this.validation != null) {
				this.validation.validate(arguments);
			}
			Object returned = this.method.invoke(this.handler.getBean(), arguments);
			if (this.resultValidation != null) {
				this.resultValidation.accept(returned);
			}
			return reply(await(returned, frame), failures, request, response);
		}
		catch (InvocationTargetException ex) {
			return failures.reply(request, response, this.handler, ex.getTargetException());
		}
		catch (ExecutionException | CompletionException ex) {
			return failures.reply(request, response, this.handler, (ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return failures.reply(request, response, this.handler, ex);
		}
		catch (Exception ex) {
			return failures.reply(request, response, this.handler, ex);
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

	private Reply reply(@Nullable Object result, HandlerFailures failures, FrameRequest request,
			FrameResponse response) {
		int answered = this.status;
		Map<String, List<String>> headers = Map.of();
		Object body = result;
		if (result instanceof HttpEntity<?> entity) {
			headers = headers(entity.getHeaders());
			body = entity.getBody();
			if (result instanceof ResponseEntity<?> responseEntity) {
				answered = responseEntity.getStatusCode().value();
			}
		}
		else if (result instanceof HttpHeaders returned) {
			headers = headers(returned);
			body = null;
		}
		else if (result instanceof java.util.Optional<?> optional) {
			body = optional.orElse(null);
		}
		if (!this.statusReason.isEmpty()) {
			response.sendError(answered, this.statusReason);
			return failures.errorPage(request, response, "");
		}
		response.setStatus(answered);
		if (answered >= 400) {
			return failures.errorEntity(answered, headers, body);
		}
		if (answered == 205 || answered == 304) {
			return new Reply.Value(answered, withoutContentType(headers), null);
		}
		if (this.shape.envelope() == Envelope.ENTITY || this.shape.envelope() == Envelope.HEADERS) {
			headers = withContentType(headers, body);
		}
		return new Reply.Value(answered, headers, (answered == 204) ? null : body);
	}

	private static Map<String, List<String>> headers(HttpHeaders headers) {
		if (headers.isEmpty()) {
			return Map.of();
		}
		Map<String, List<String>> copy = new java.util.LinkedHashMap<>();
		headers.forEach((name, values) -> copy.put(name, new ArrayList<>(values)));
		return copy;
	}

	private static Map<String, List<String>> withoutContentType(Map<String, List<String>> headers) {
		Map<String, List<String>> rest = new LinkedHashMap<>(headers);
		rest.keySet().removeIf("Content-Type"::equalsIgnoreCase);
		return rest;
	}

	private static Map<String, List<String>> withContentType(Map<String, List<String>> headers, @Nullable Object body) {
		if (body == null || headers.keySet().stream().anyMatch("Content-Type"::equalsIgnoreCase)) {
			return headers;
		}
		Map<String, List<String>> complete = new java.util.LinkedHashMap<>(headers);
		complete.put("Content-Type",
				List.of((body instanceof CharSequence) ? "text/plain;charset=UTF-8" : (body instanceof byte[])
						? MediaType.APPLICATION_OCTET_STREAM_VALUE : MediaType.APPLICATION_JSON_VALUE));
		return complete;
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
