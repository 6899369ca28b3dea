package io.github.vicinal.boot.server;

import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
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
	 * Writes a result.
	 * @throws Exception what Spring MVC would have passed to exception handlers
	 */
	void write(@Nullable Object result, HandlerMethod handler, HttpServletRequest request, HttpServletResponse response)
			throws Exception {
		this.handlers.handleReturnValue(result, handler.getReturnValueType(result), new ModelAndViewContainer(),
				new ServletWebRequest(request, response));
	}

}
