package io.github.vicinal.boot.server;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ApplicationListenerMethodAdapter;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.support.ServletRequestHandledEvent;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Finds out whether an application listens to the event that the dispatcher servlet
 * publishes for each request.
 */
final class RequestListeners {

	private static final ResolvableType EVENT = ResolvableType.forClass(ServletRequestHandledEvent.class);

	/**
	 * Listeners that get all events and do nothing with this one, by the name of the
	 * class itself.
	 */
	private static final Set<String> NEUTRAL = Set
		.of("org.springframework.boot.devtools.restart.RestartApplicationListener");

	private RequestListeners() {
	}

	/**
	 * Finds a listener.
	 * @param context the application, whose parents get its events, too
	 * @return what was found, or {@code null}
	 */
	static @Nullable String foreign(ApplicationContext context) {
		for (ApplicationContext next = context; next != null; next = next.getParent()) {
			String found = foreignIn(next);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private static @Nullable String foreignIn(ApplicationContext context) {
		if (!(context instanceof AbstractApplicationContext known)) {
			return "the application context %s".formatted(name(context.getClass()));
		}
		String multicaster = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
		if (context.containsLocalBean(multicaster)) {
			Class<?> type = context.getBean(multicaster, ApplicationEventMulticaster.class).getClass();
			if (type != SimpleApplicationEventMulticaster.class) {
				return "the event multicaster %s".formatted(name(type));
			}
		}
		Set<Object> ruledOut = Collections.newSetFromMap(new IdentityHashMap<>());
		ConfigurableListableBeanFactory beans = known.getBeanFactory();
		for (String bean : beans.getBeanNamesForType(ApplicationListener.class, true, false)) {
			boolean gets = mayGet(beans, bean);
			Object made = beans.getSingleton(bean);
			if (made == null && gets) {
				return "the event listener bean %s".formatted(bean);
			}
			if (made != null && !gets) {
				ruledOut.add(made);
			}
		}
		for (ApplicationListener<?> listener : known.getApplicationListeners()) {
			if (!NEUTRAL.contains(listener.getClass().getName()) && !ruledOut.contains(listener) && gets(listener)) {
				return "the event listener %s".formatted((listener instanceof ApplicationListenerMethodAdapter)
						? listener.toString() : name(AopUtils.getTargetClass(listener)));
			}
		}
		return null;
	}

	private static boolean gets(ApplicationListener<?> listener) {
		GenericApplicationListener asked = (listener instanceof GenericApplicationListener generic) ? generic
				: new GenericApplicationListenerAdapter(listener);
		return asked.supportsEventType(EVENT) && asked.supportsSourceType(DispatcherServlet.class);
	}

	/**
	 * Returns whether the definition of a bean leaves it open that it gets the event, as
	 * Spring decides it: the class of a lambda does not say what it gets, the method that
	 * makes it does.
	 */
	private static boolean mayGet(ConfigurableListableBeanFactory beans, String bean) {
		Class<?> type = beans.getType(bean, false);
		if (type == null || SmartApplicationListener.class.isAssignableFrom(type)
				|| GenericApplicationListener.class.isAssignableFrom(type)) {
			return true;
		}
		return mayGet(ResolvableType.forClass(type)) && (!beans.containsBeanDefinition(bean)
				|| mayGet(beans.getMergedBeanDefinition(bean).getResolvableType()));
	}

	private static boolean mayGet(ResolvableType listener) {
		ResolvableType declared = listener.as(ApplicationListener.class).getGeneric();
		return declared.resolve() == null || declared.isAssignableFrom(EVENT);
	}

	private static String name(Class<?> type) {
		return ClassUtils.getShortName(type);
	}

}
