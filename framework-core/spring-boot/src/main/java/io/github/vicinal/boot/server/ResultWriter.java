package io.github.vicinal.boot.server;

import java.lang.reflect.Type;
import java.util.List;
import java.util.concurrent.CompletionStage;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Writes a handler's result into a response as Spring MVC does, where the response says
 * more than the value. Thread-safe.
 */
final class ResultWriter {

	private static final boolean REACTIVE = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ResultWriter.class.getClassLoader());

	private final HandlerMethodReturnValueHandlerComposite handlers = new HandlerMethodReturnValueHandlerComposite();

	private ResultWriter(@Nullable List<HandlerMethodReturnValueHandler> handlers) {
		this.handlers.addHandlers(handlers);
	}

	/** Returns the writer of an application, which asks its handler adapter. */
	static ResultWriter of(ApplicationContext context) {
		RequestMappingHandlerAdapter adapter = context.getBeanProvider(RequestMappingHandlerAdapter.class)
			.getIfAvailable();
		return new ResultWriter((adapter != null) ? adapter.getReturnValueHandlers() : null);
	}

	/**
	 * Writes a result, or what an asynchronous one has become.
	 * @throws Exception what Spring MVC would have passed to exception handlers
	 */
	void write(@Nullable Object result, HandlerMethod handler, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		MethodParameter type = isLater(handler) ? new CompletedResult(handler, result)
				: handler.getReturnValueType(result);
		this.handlers.handleReturnValue(result, type, new ModelAndViewContainer(),
				new ServletWebRequest(request, response));
	}

	private static boolean isLater(HandlerMethod handler) {
		Class<?> declared = handler.getReturnType().getParameterType();
		return CompletionStage.class.isAssignableFrom(declared)
				|| (REACTIVE && Publisher.class.isAssignableFrom(declared));
	}

	/**
	 * The type of what a future or a publisher has become, as Spring MVC sees it in its
	 * second dispatch.
	 */
	private static final class CompletedResult extends SynthesizingMethodParameter {

		private final Class<?> containing;

		private final @Nullable Object result;

		private final Type type;

		CompletedResult(HandlerMethod handler, @Nullable Object result) {
			super(handler.getMethod(), -1);
			this.containing = handler.getBeanType();
			this.result = result;
			ResolvableType declared = ResolvableType.forMethodReturnType(handler.getMethod(), handler.getBeanType());
			ResolvableType element = declared.getGeneric();
			this.type = (isMany(declared.toClass()) ? ResolvableType.forClassWithGenerics(List.class, element)
					: element)
				.getType();
		}

		private static boolean isMany(Class<?> declared) {
			return REACTIVE && Publisher.class.isAssignableFrom(declared) && !Mono.class.isAssignableFrom(declared);
		}

		@Override
		public Class<?> getContainingClass() {
			return this.containing;
		}

		@Override
		public Class<?> getParameterType() {
			return (this.result != null) ? this.result.getClass() : ResolvableType.forType(this.type).toClass();
		}

		@Override
		public Type getGenericParameterType() {
			return this.type;
		}

		@Override
		public CompletedResult clone() {
			return this;
		}

	}

}
