package io.github.vicinal.boot.topic;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/** Calls a listener with the payload, the message and the acknowledgement. */
final class PlainInvoker implements ListenerInvoker {

	private final Object bean;

	private final Method method;

	PlainInvoker(Object bean, Method method) {
		this.bean = bean;
		this.method = method;
		ReflectionUtils.makeAccessible(method);
	}

	@Override
	public @Nullable Object invoke(Message<Object> message, @Nullable PendingAcknowledgement acknowledgement)
			throws Exception {
		Class<?>[] types = this.method.getParameterTypes();
		@Nullable Object[] arguments = new @Nullable Object[types.length];
		for (int i = 0; i < types.length; i++) {
			arguments[i] = (types[i] == Message.class) ? message
					: (types[i] == Acknowledgement.class) ? acknowledgement : message.payload();
		}
		return invoke(arguments);
	}

	@Override
	public @Nullable Object invokeAll(List<Message<Object>> messages, @Nullable PendingAcknowledgement acknowledgement)
			throws Exception {
		Type[] types = this.method.getGenericParameterTypes();
		@Nullable Object[] arguments = new @Nullable Object[types.length];
		for (int i = 0; i < types.length; i++) {
			arguments[i] = (types[i] == Acknowledgement.class) ? acknowledgement
					: (ListenerMethod.rawElement(types[i]) == Message.class) ? messages
							: messages.stream().map(Message::payload).toList();
		}
		return invoke(arguments);
	}

	private @Nullable Object invoke(@Nullable Object[] arguments) throws Exception {
		try {
			return this.method.invoke(this.bean, arguments);
		}
		catch (InvocationTargetException ex) {
			if (ex.getTargetException() instanceof Error error) {
				throw error;
			}
			throw (ex.getTargetException() instanceof Exception cause) ? cause : ex;
		}
	}

}
