package io.github.vicinal.boot.topic;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods with {@link AffinityListener}, and subscribes them while the
 * application runs.
 *
 * @since 0.1.0
 */
public final class TopicListeners implements SmartInitializingSingleton, SmartLifecycle {

	private final ConfigurableListableBeanFactory beanFactory;

	private final Supplier<Topics> topics;

	private final TopicRooms rooms;

	private final List<Listener> listeners = new ArrayList<>();

	/** Guarded by this. */
	private final List<Subscription> subscriptions = new ArrayList<>();

	private volatile boolean running;

	/**
	 * Creates the listeners of an application.
	 * @param beanFactory with the beans
	 * @param topics what they are subscribed to; not asked for if there is no listener
	 * @param rooms what room each topic has
	 */
	public TopicListeners(ConfigurableListableBeanFactory beanFactory, Supplier<Topics> topics, TopicRooms rooms) {
		this.beanFactory = beanFactory;
		this.topics = topics;
		this.rooms = rooms;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
			if (type != null && AnnotationUtils.isCandidateClass(type, AffinityListener.class)) {
				MethodIntrospector.selectMethods(type, TopicListeners::isListener)
					.forEach((method) -> this.listeners.add(listener(name, method)));
			}
		}
	}

	private static boolean isListener(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, AffinityListener.class);
	}

	private Listener listener(String bean, Method method) {
		AffinityListener annotation = Objects
			.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, AffinityListener.class));
		String place = "%s.%s".formatted(method.getDeclaringClass().getSimpleName(), method.getName());
		if (method.getParameterCount() != 1) {
			throw new InvalidListenerException(
					"The listener %s must have one parameter, the payload or a Message of it, but has %d"
						.formatted(place, method.getParameterCount()));
		}
		if (method.getReturnType() != void.class) {
			throw new InvalidListenerException(
					"The listener %s must return nothing, but returns %s: publish an answer to a topic of its own"
						.formatted(place, method.getReturnType().getSimpleName()));
		}
		Type parameter = method.getGenericParameterTypes()[0];
		boolean whole = method.getParameterTypes()[0] == Message.class;
		if (whole && !(parameter instanceof ParameterizedType)) {
			throw new InvalidListenerException(
					"The listener %s takes a Message without a type: name the type of its payload, as in Message<Order>"
						.formatted(place));
		}
		Type payload = (whole && parameter instanceof ParameterizedType typed) ? typed.getActualTypeArguments()[0]
				: parameter;
		String topic = String.valueOf(this.beanFactory.resolveEmbeddedValue(annotation.topic()));
		String name = annotation.name().isEmpty() ? bean + "." + method.getName() : annotation.name();
		try {
			return new Listener(bean, method, whole, this.rooms.settings(topic, annotation.model(), payload),
					new SubscriberSettings(name, annotation.concurrency(), annotation.maxAttempts(),
							Duration.ofMillis(annotation.backOffMillis())));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidListenerException("The listener %s cannot be used: %s".formatted(place, ex.getMessage()));
		}
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		for (Listener listener : this.listeners) {
			Object bean = this.beanFactory.getBean(listener.bean());
			this.subscriptions.add(this.topics.get()
				.subscribe(listener.settings(), listener.subscriber(), new Invocation(bean,
						AopUtils.selectInvocableMethod(listener.method(), bean.getClass()), listener.whole())));
		}
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		this.subscriptions.forEach(Subscription::close);
		this.subscriptions.clear();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	private record Listener(String bean, Method method, boolean whole, TopicSettings<Object> settings,
			SubscriberSettings subscriber) {
	}

	/** Calls the method of a bean. */
	private record Invocation(Object bean, Method method, boolean whole) implements MessageHandler<Object> {

		private Invocation {
			ReflectionUtils.makeAccessible(method);
		}

		@Override
		public void handle(Message<Object> message) throws Exception {
			try {
				this.method.invoke(this.bean, this.whole ? message : message.payload());
			}
			catch (InvocationTargetException ex) {
				if (ex.getTargetException() instanceof Error error) {
					throw error;
				}
				throw (ex.getTargetException() instanceof Exception cause) ? cause : ex;
			}
		}

	}

}
