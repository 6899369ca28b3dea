package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.HttpEntity;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.util.WebUtils;

/**
 * The end of a typed call's way through the dispatcher servlet. The application's own
 * mappings find handler and interceptors; only the arguments are there already, and the
 * result stays a value. It ignores requests over HTTP. Thread-safe.
 */
final class TypedHandlerMapping implements HandlerMapping, HandlerAdapter, Ordered {

	private final SingletonSupplier<List<HandlerMapping>> mappings;

	private final SingletonSupplier<ResultWriter> results;

	private final SingletonSupplier<RequestMappingHandlerAdapter> adapter;

	/**
	 * Creates the mapping.
	 * @param context the application
	 */
	public TypedHandlerMapping(ApplicationContext context) {
		this.adapter = SingletonSupplier.of(() -> context.getBean(RequestMappingHandlerAdapter.class));
		this.results = SingletonSupplier.of(() -> ResultWriter.of(context));
		this.mappings = SingletonSupplier.of(() -> {
			List<HandlerMapping> found = new ArrayList<>(
					BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
						.values());
			AnnotationAwareOrderComparator.sort(found);
			found.remove(this);
			return List.copyOf(found);
		});
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable HandlerExecutionChain getHandler(HttpServletRequest request) throws Exception {
		TypedCall call = TypedCall.of(request);
		if (call == null) {
			if (request.getAttribute(Inquiry.ATTRIBUTE) instanceof Inquiry inquiry) {
				inquiry.watch().mapping(true);
			}
			// A typed call that was forwarded on its way is a request like any other.
			return null;
		}
		call.watch().mapping(true);
		try {
			return find(call, request);
		}
		finally {
			call.watch().mapping(false);
		}
	}

	private @Nullable HandlerExecutionChain find(TypedCall call, HttpServletRequest request) throws Exception {
		for (HandlerMapping mapping : this.mappings.obtain()) {
			HandlerExecutionChain chain = mapping.getHandler(request);
			if (chain != null) {
				HandlerInterceptor[] interceptors = chain.getInterceptorList().toArray(HandlerInterceptor[]::new);
				if (isTarget(chain.getHandler(), call.target().handler())) {
					return new HandlerExecutionChain(new TypedHandler((HandlerMethod) chain.getHandler(), call),
							interceptors);
				}
				call.watch().httpOnly("the request is mapped to %s".formatted(chain.getHandler()));
				call.watch().inPlace();
				// The container also handles asynchronous processing that another handler
				// starts.
				call.watch().returned();
				return chain;
			}
		}
		return null;
	}

	private static boolean isTarget(Object found, HandlerMethod wanted) {
		return found instanceof HandlerMethod method && method.getMethod().equals(wanted.getMethod())
				&& method.getBeanType().equals(wanted.getBeanType());
	}

	@Override
	public boolean supports(Object handler) {
		return handler instanceof TypedHandler;
	}

	@Override
	public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		TypedCall call = ((TypedHandler) handler).call();
		if (call.watch().isHandling()) {
			return handleAgain(call, request, response);
		}
		String foreign = Wrappers.foreign(request, response);
		if (foreign != null) {
			call.watch().httpOnly(foreign);
		}
		else if (call.watch().reason() == null) {
			String differing = call.isResponseTouched() ? "something in front of the handler writes the response"
					: call.target().request().differing(request, call.frame().arguments());
			if (differing != null) {
				call.watch().httpOnly(differing);
			}
		}
		if (call.watch().reason() != null) {
			return handleInPlace(call, request, response);
		}
		call.watch().handling();
		try {
			handle(call, request, response);
		}
		finally {
			call.watch().returned();
		}
		return null;
	}

	/** A filter runs the chain once more, with a request whose body has been read. */
	private @Nullable ModelAndView handleAgain(TypedCall call, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		call.runAgain();
		call.target().seen("a filter runs the rest of the chain again");
		return handleInPlace(call, request, response);
	}

	/** Lets Spring read the arguments and write the result. */
	private @Nullable ModelAndView handleInPlace(TypedCall call, HttpServletRequest request,
			HttpServletResponse response) throws Exception {
		call.watch().inPlace();
		HandlerMethod handler = call.target().handler();
		WatchedRequest watched = WebUtils.getNativeRequest(request, WatchedRequest.class);
		if (watched != null) {
			watched.handling(response);
		}
		try {
			ModelAndView view = this.adapter.obtain().handle(request, response, handler);
			HandlerAsync started = (watched != null) ? watched.started() : null;
			if (watched != null && started != null) {
				finish(call, watched, started, request, response);
			}
			return view;
		}
		finally {
			call.watch().returned();
		}
	}

	private void handle(TypedCall call, HttpServletRequest request, HttpServletResponse response) throws Exception {
		HandlerTarget target = call.target();
		WatchedRequest watched = WebUtils.getNativeRequest(request, WatchedRequest.class);
		if (watched != null) {
			watched.handling(response);
			watched.argumentsRead();
		}
		Object result;
		try {
			result = called(call);
		}
		catch (Exception | Error ex) {
			if (watched != null && watched.started() != null) {
				target.leave(HandlerAsync.REASON);
			}
			throw ex;
		}
		HandlerAsync started = (watched != null) ? watched.started() : null;
		if (watched != null && started != null) {
			write(call, result, request, response);
			finish(call, watched, started, request, response);
			return;
		}
		if (target.answersByAnnotation(response)) {
			return;
		}
		// Output that the handler has written precedes the value that it returns. If the
		// response has been sent, headers that Spring derives from the value come too
		// late.
		boolean late = call.written() > 0 || response.isCommitted();
		HandlerTarget.Answer answer = late ? null : target.answer(result, request, response);
		if (answer == null) {
			this.results.obtain().write(result, target.handler(), request, response);
			return;
		}
		if (answer.status() != 0) {
			response.setStatus(answer.status());
		}
		answer.headers().forEach((name, values) -> {
			response.setHeader(name, values.isEmpty() ? "" : values.get(0));
			values.stream().skip(1).forEach((value) -> response.addHeader(name, value));
		});
		Object body = answer.body();
		if (body != null) {
			if (response.getContentType() == null) {
				response.setContentType(HandlerTarget.contentType(body));
			}
		}
		else if (result instanceof HttpEntity<?> entity && entity.getBody() != null
				&& response.getContentType() == null) {
			// It is not sent with such a status, but filters and access logs see it.
			response.setContentType(HandlerTarget.contentType(entity.getBody()));
		}
		if (isSentAtOnce(result, body)) {
			response.flushBuffer();
		}
		call.answered(answer, response, () -> this.results.obtain().write(result, target.handler(), request, response));
	}

	private static @Nullable Object called(TypedCall call) throws Exception {
		try {
			return call.target().call(call.frame());
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void write(TypedCall call, @Nullable Object result, HttpServletRequest request,
			HttpServletResponse response) throws Exception {
		if (!call.target().answersByAnnotation(response)) {
			this.results.obtain().write(result, call.target().handler(), request, response);
		}
	}

	/** The handler has run, so the call ends here; later ones go over HTTP. */
	private void finish(TypedCall call, WatchedRequest watched, HandlerAsync first, HttpServletRequest request,
			HttpServletResponse response) throws Exception {
		call.target().leave(HandlerAsync.REASON);
		HandlerAsync started = first;
		while (started != null) {
			HandlerAsync.End end = started.await(call.frame());
			if (end == HandlerAsync.End.TIMED_OUT && !response.isCommitted()) {
				response.sendError(500);
			}
			if (end != HandlerAsync.End.DISPATCHED) {
				return;
			}
			watched.dispatchedAgain();
			write(call, called(call), request, response);
			started = watched.started();
		}
	}

	/**
	 * Whether filters and interceptors would be too late to change the response. Spring
	 * flushes that of an entity with a body. The length of text and bytes is known, which
	 * makes the container send them once they are complete.
	 */
	private static boolean isSentAtOnce(@Nullable Object result, @Nullable Object body) {
		// Also where the status forbids a body, which the container swallows.
		return (result instanceof HttpEntity<?> entity && entity.getBody() != null)
				|| (body instanceof CharSequence text && !text.isEmpty())
				|| (body instanceof byte[] bytes && bytes.length > 0);
	}

	/** The handler of a typed call, which interceptors take for any other. */
	private static final class TypedHandler extends HandlerMethod {

		private final TypedCall call;

		TypedHandler(HandlerMethod handler, TypedCall call) {
			super(handler);
			this.call = call;
		}

		TypedCall call() {
			return this.call;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return super.equals(other);
		}

		@Override
		public int hashCode() {
			return super.hashCode();
		}

	}

}
