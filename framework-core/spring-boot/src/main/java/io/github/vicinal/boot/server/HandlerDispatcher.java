package io.github.vicinal.boot.server;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Lets the container dispatch a request in the middle of a typed call, whose handler must
 * not run again. Later calls go over HTTP.
 */
final class HandlerDispatcher implements RequestDispatcher {

	/** Why later calls of such a handler go over HTTP. */
	static final String REASON = "the handler forwards or includes other requests";

	private final HandlerTarget target;

	private final RequestDispatcher dispatcher;

	HandlerDispatcher(HandlerTarget target, RequestDispatcher dispatcher) {
		this.target = target;
		this.dispatcher = dispatcher;
	}

	@Override
	public void forward(ServletRequest request, ServletResponse response) throws ServletException, IOException {
		this.target.leave(REASON);
		this.dispatcher.forward(whole(HttpServletRequest.class, request), whole(HttpServletResponse.class, response));
	}

	@Override
	public void include(ServletRequest request, ServletResponse response) throws ServletException, IOException {
		this.target.leave(REASON);
		this.dispatcher.include(whole(HttpServletRequest.class, request), whole(HttpServletResponse.class, response));
	}

	/**
	 * Returns a view that is no wrapper: the container puts its own wrapper below those
	 * of the application, around what it takes for its own object.
	 */
	private static <T> T whole(Class<T> type, Object message) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return method.invoke(message, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

}
