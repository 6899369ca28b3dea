package io.github.vicinal.boot.topic;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.Message;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.MethodParameter;
import org.springframework.format.support.DefaultFormattingConversionService;
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
	 * Returns the factory of invokers, with the converters and the validator of the
	 * application.
	 * @param beanFactory with the beans of the application
	 */
	static MessageHandlerMethodFactory factory(BeanFactory beanFactory) {
		DefaultMessageHandlerMethodFactory factory = new DefaultMessageHandlerMethodFactory();
		factory.setBeanFactory(beanFactory);
		beanFactory.getBeanProvider(MessageConverter.class).ifUnique(factory::setMessageConverter);
		beanFactory.getBeanProvider(Validator.class).ifUnique(factory::setValidator);
		if (beanFactory instanceof ListableBeanFactory beans) {
			DefaultFormattingConversionService headers = new DefaultFormattingConversionService();
			ApplicationConversionService.addBeans(headers, beans);
			factory.setConversionService(headers);
		}
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

	@Override
	public @Nullable Object invokeAll(List<Message<Object>> messages, @Nullable PendingAcknowledgement acknowledgement)
			throws Exception {
		return this.method.invoke(new ListenerBatch(messages, acknowledgement));
	}

	/** Resolves what is not of Spring Messaging. */
	private static final class OwnArguments implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == Message.class
					|| parameter.getParameterType() == Acknowledgement.class
					|| (parameter.getParameterType() == List.class && isMessage(element(parameter)));
		}

		private static boolean isMessage(@Nullable Class<?> type) {
			return type == Message.class || type == org.springframework.messaging.Message.class;
		}

		private static @Nullable Class<?> element(MethodParameter parameter) {
			return ListenerMethod.rawElement(parameter.getGenericParameterType());
		}

		@Override
		public @Nullable Object resolveArgument(MethodParameter parameter,
				org.springframework.messaging.Message<?> message) {
			if (message instanceof ListenerBatch batch) {
				if (parameter.getParameterType() == Acknowledgement.class) {
					return batch.acknowledgement;
				}
				return (element(parameter) == Message.class) ? batch.messages : batch.ofSpring();
			}
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

	/** A batch of messages of a topic as one message of Spring Messaging. */
	private static final class ListenerBatch implements org.springframework.messaging.Message<List<Object>> {

		private final List<Message<Object>> messages;

		private final @Nullable Acknowledgement acknowledgement;

		private final List<Object> payloads;

		private final Headers headers;

		ListenerBatch(List<Message<Object>> messages, @Nullable Acknowledgement acknowledgement) {
			this.messages = messages;
			this.acknowledgement = acknowledgement;
			this.payloads = messages.stream().map(Message::payload).toList();
			this.headers = new Headers(messages);
		}

		List<ListenerMessage> ofSpring() {
			return this.messages.stream().map((message) -> new ListenerMessage(message, null)).toList();
		}

		@Override
		public List<Object> getPayload() {
			return this.payloads;
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

		Headers(List<Message<Object>> messages) {
			super(Map.of(TopicHeaders.TOPIC, messages.get(0).topic(), TopicHeaders.BATCH_HEADERS,
					messages.stream().map(Headers::all).toList()), ID_VALUE_NONE, -1L);
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
