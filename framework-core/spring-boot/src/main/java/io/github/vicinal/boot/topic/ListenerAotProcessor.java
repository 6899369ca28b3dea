package io.github.vicinal.boot.topic;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.vicinal.topic.AffinityListener;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/** Has native images keep listeners and the types of their payloads. */
final class ListenerAotProcessor implements BeanRegistrationAotProcessor {

	private final BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = bean.getBeanClass();
		if (!AnnotationUtils.isCandidateClass(type, AffinityListener.class)) {
			return null;
		}
		ReflectionUtils.MethodFilter isListener = TopicListeners::isListener;
		Set<Method> methods = MethodIntrospector.selectMethods(type, isListener);
		if (methods.isEmpty()) {
			return null;
		}
		return (context, code) -> methods
			.forEach((method) -> register(context.getRuntimeHints().reflection(), type, method));
	}

	private void register(ReflectionHints hints, Class<?> type, Method method) {
		hints.registerMethod(method, ExecutableMode.INVOKE);
		TopicListeners.annotations(method)
			.forEach((annotation) -> this.payloads.registerReflectionHints(hints,
					ListenerMethod.of(method, type, method.toString(), annotation.maxBatch()).payload()));
	}

}
