package io.github.vicinal.boot.topic;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds the methods with {@link AffinityListener}, and subscribes them while the
 * application runs.
 */
final class TopicListeners implements SmartInitializingSingleton, SmartLifecycle {

	private final ConfigurableListableBeanFactory beanFactory;

	private final TopicPlaces places;

	private final TopicRooms rooms;

	private final AffinityListenerRegistry registry;

	/** Payload of each dead-letter topic, which listeners may share. */
	private final Map<String, Type> letters = new ConcurrentHashMap<>();

	private volatile boolean running;

	/**
	 * Creates the listeners of an application.
	 * @param beanFactory with the beans
	 * @param places where each topic is; not asked if there is no listener
	 * @param rooms what room each topic has
	 * @param registry where the listeners are found by their ids
	 */
	public TopicListeners(ConfigurableListableBeanFactory beanFactory, TopicPlaces places, TopicRooms rooms,
			AffinityListenerRegistry registry) {
		this.beanFactory = beanFactory;
		this.places = places;
		this.rooms = rooms;
		this.registry = registry;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getBeanNamesForType(Object.class)) {
			// The proxy in front of it is a bean, too.
			Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetClass(name);
			if (type != null && AnnotationUtils.isCandidateClass(type, AffinityListener.class)) {
				MethodIntrospector.selectMethods(type, TopicListeners::isListener)
					.forEach((method) -> register(name, type, method));
			}
		}
	}

	private @Nullable Class<?> targetClass(String name) {
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		return (type != null && ScopedObject.class.isAssignableFrom(type))
				? AutoProxyUtils.determineTargetClass(this.beanFactory, ScopedProxyUtils.getTargetBeanName(name))
				: type;
	}

	/** Returns whether a method has one of the {@link #annotations(Method)}. */
	static boolean isListener(Method method) {
		return mergedAnnotations(method).isPresent(AffinityListener.class);
	}

	/**
	 * Returns what a method says about itself. What it overrides says nothing then.
	 * @param method a method of a bean
	 * @return the annotations, one for each subscription
	 */
	static List<AffinityListener> annotations(Method method) {
		return mergedAnnotations(method).stream(AffinityListener.class)
			.filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	private static MergedAnnotations mergedAnnotations(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
	}

	private void register(String bean, Class<?> type, Method method) {
		List<AffinityListener> annotations = annotations(method);
		for (AffinityListener annotation : annotations) {
			String id = bean + "." + method.getName();
			if (!annotation.id().isEmpty()) {
				id = resolve(annotation.id());
			}
			else if (annotations.size() > 1) {
				id += "." + resolve(annotation.topic());
			}
			this.registry.register(container(bean, type, method, annotation, id));
		}
	}

	private AffinityListenerContainer container(String bean, Class<?> type, Method method, AffinityListener annotation,
			String id) {
		String place = "%s.%s".formatted(method.getDeclaringClass().getSimpleName(), method.getName());
		ListenerMethod parameters = ListenerMethod.of(method, type, place, annotation.maxBatch());
		String name = annotation.name().isEmpty() ? bean + "." + method.getName() : resolve(annotation.name());
		if (annotation.concurrency() > 1 && annotation.model() == TopicModel.PUB_SUB) {
			throw new InvalidListenerException(
					"The listener %s has a concurrency of %d, but subscribers of a PUB_SUB topic get its messages one after the other: remove the concurrency, or let publishers and subscribers use the model STREAM"
						.formatted(place, annotation.concurrency()));
		}
		try {
			TopicSettings<Object> settings = this.rooms.settings(resolve(annotation.topic()), annotation.model(),
					parameters.payload());
			SubscriberSettings subscriber = new SubscriberSettings(name, annotation.concurrency(),
					annotation.maxAttempts(), Duration.ofMillis(annotation.backOffMillis()), annotation.maxBatch());
			DeadLetters deadLetters = deadLetters(annotation, parameters, name);
			TopicErrorHandler errorHandler = errorHandler(annotation, place);
			return new AffinityListenerContainer(id, place, autoStartup(annotation, place), () -> {
				if (deadLetters != null) {
					deadLetters.open();
				}
				return this.places.of(settings.name())
					.subscribe(settings, subscriber, new ListenerHandler(invoker(bean, method),
							parameters.acknowledges(), errorHandler, deadLetters));
			});
		}
		catch (IllegalArgumentException | TopicException ex) {
			throw new InvalidListenerException("The listener %s cannot be used: %s".formatted(place, ex.getMessage()));
		}
	}

	private ListenerInvoker invoker(String name, Method method) {
		Object bean = this.beanFactory.getBean(name);
		Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
		return ListenerMethod.MESSAGING ? MessagingInvoker.create(this.beanFactory, bean, invocable)
				: new PlainInvoker(bean, invocable);
	}

	private String resolve(String value) {
		return String.valueOf(this.beanFactory.resolveEmbeddedValue(value));
	}

	private boolean autoStartup(AffinityListener annotation, String place) {
		String value = resolve(annotation.autoStartup()).toLowerCase(Locale.ROOT);
		if (!value.equals("true") && !value.equals("false")) {
			throw new InvalidListenerException(
					"The autoStartup of listener %s must be true or false, not '%s'".formatted(place, value));
		}
		return value.equals("true");
	}

	private @Nullable DeadLetters deadLetters(AffinityListener annotation, ListenerMethod parameters, String name) {
		if (annotation.deadLetter().isEmpty()) {
			return null;
		}
		String topic = resolve(annotation.deadLetter());
		if (topic.equals(resolve(annotation.topic()))) {
			throw new IllegalArgumentException(
					"the dead-letter topic is '%s' itself, which would go round in circles".formatted(topic));
		}
		// Fails for a name or a room that is not valid.
		this.rooms.settings(topic, TopicModel.STREAM, parameters.payload());
		this.letters.merge(topic, parameters.payload(), TopicListeners::common);
		return new DeadLetters(() -> this.places.of(topic), topic,
				() -> this.rooms.settings(topic, TopicModel.STREAM, this.letters.getOrDefault(topic, byte[].class)),
				name);
	}

	/** Returns a type that is written as both are: JSON, text, or else bytes. */
	private static Type common(Type one, Type other) {
		if (one.equals(other)) {
			return one;
		}
		return (isJson(one) && isJson(other)) ? Object.class : byte[].class;
	}

	private static boolean isJson(Type type) {
		return type != byte[].class && type != String.class;
	}

	private @Nullable TopicErrorHandler errorHandler(AffinityListener annotation, String place) {
		if (annotation.errorHandler().isEmpty()) {
			return null;
		}
		String name = resolve(annotation.errorHandler());
		try {
			return this.beanFactory.getBean(name, TopicErrorHandler.class);
		}
		catch (BeansException ex) {
			throw new InvalidListenerException(
					"The listener %s names the error handler '%s', but there is no TopicErrorHandler of this name: %s"
						.formatted(place, name, ex.getMessage()));
		}
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		this.registry.getListenerContainers()
			.stream()
			.filter(AffinityListenerContainer::isAutoStartup)
			.forEach(AffinityListenerContainer::start);
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		// Each waits for the messages that it has, and for no other listener.
		List<Thread> stopping = this.registry.getListenerContainers().stream().map((container) -> {
			String name = "vicinal-listener-stop-" + container.getListenerId();
			Thread thread = new Thread(null, container::stop, name, 0, false);
			thread.start();
			return thread;
		}).toList();
		try {
			for (Thread each : stopping) {
				each.join();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
