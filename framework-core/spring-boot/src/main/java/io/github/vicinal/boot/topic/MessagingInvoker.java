package io.github.vicinal.boot.topic;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.Validator;

/**
 * Calls a listener whose arguments Spring Messaging resolves. Loaded only where that is
 * present.
 */
final class MessagingInvoker implements ListenerInvoker {

	private final InvocableHandlerMethod method;

	private MessagingInvoker(InvocableHandlerMethod method) {
		this.method = method;
	}

	/**
	 * Returns the factory of invokers, with the converter and the validator of the
	 * application.
	 * @param beanFactory with the beans of the application
	 */
	static MessageHandlerMethodFactory factory(BeanFactory beanFactory) {
		DefaultMessageHandlerMethodFactory factory = new DefaultMessageHandlerMethodFactory();
		factory.setBeanFactory(beanFactory);
		beanFactory.getBeanProvider(MessageConverter.class).ifUnique(factory::setMessageConverter);
		beanFactory.getBeanProvider(Validator.class).ifUnique(factory::setValidator);
		factory.setCustomArgumentResolvers(List.of(new OwnArguments()));
		factory.afterPropertiesSet();
		return factory;
	}

	static MessagingInvoker create(BeanFactory beanFactory, Object bean, Method method) {
		return new MessagingInvoker(factory(beanFactory).createInvocableHandlerMethod(bean, method));
	}

	@Override
	public @Nullable Object invoke(Message<Object> message, @Nullable PendingAcknowledgement acknowledgement)
			throws Exception {
		return this.method.invoke(new ListenerMessage(message, acknowledgement));
	}

	/** Resolves what is not of Spring Messaging. */
	private static final class OwnArguments implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == Message.class
					|| parameter.getParameterType() == Acknowledgement.class;
		}

		@Override
		public @Nullable Object resolveArgument(MethodParameter parameter,
				org.springframework.messaging.Message<?> message) {
			ListenerMessage known = (ListenerMessage) message;
			return (parameter.getParameterType() == Message.class) ? known.message : known.acknowledgement;
		}

	}

	/** A message of a topic as one of Spring Messaging. */
	private static final class ListenerMessage implements org.springframework.messaging.Message<Object> {

		private final Message<Object> message;

		private final @Nullable Acknowledgement acknowledgement;

		private final Headers headers;

		ListenerMessage(Message<Object> message, @Nullable Acknowledgement acknowledgement) {
			this.message = message;
			this.acknowledgement = acknowledgement;
			this.headers = new Headers(message);
		}

		@Override
		public Object getPayload() {
			return this.message.payload();
		}

		@Override
		public MessageHeaders getHeaders() {
			return this.headers;
		}

	}

	/**
	 * Headers without an id and a time of their own, which would cost more than the
	 * message.
	 */
	private static final class Headers extends MessageHeaders {

		private static final long serialVersionUID = 1L;

		Headers(Message<?> message) {
			super(all(message), ID_VALUE_NONE, -1L);
		}

		private static Map<String, Object> all(Message<?> message) {
			Map<String, Object> headers = new HashMap<>(message.headers());
			headers.put(TopicHeaders.TOPIC, message.topic());
			headers.put(TopicHeaders.PUBLISHER, message.publisher());
			headers.put(TopicHeaders.SEQUENCE, message.sequence());
			headers.put(TopicHeaders.REDELIVERED, message.redelivered());
			return headers;
		}

	}

}
