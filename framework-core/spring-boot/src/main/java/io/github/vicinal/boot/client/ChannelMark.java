package io.github.vicinal.boot.client;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.web.service.invoker.HttpRequestValues;

/** Marks the requests that a client's proxy makes of calls, and adds nothing to them. */
interface ChannelMark extends HttpRequestValues.Processor {

	/**
	 * Returns a mark of the call that the thread is on.
	 * @param legs knows the calls of channels
	 */
	static ChannelMark of(HttpLegs legs) {
		return (method, parameters, arguments, values) -> legs.mark(method, values);
	}

	@Override
	void process(Method method, MethodParameter[] parameters, @Nullable Object[] arguments,
			HttpRequestValues.Builder builder);

}
