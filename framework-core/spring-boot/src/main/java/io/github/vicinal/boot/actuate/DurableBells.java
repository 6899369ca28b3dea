package io.github.vicinal.boot.actuate;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.vicinal.topic.DurableTopics;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Recognises topics in memory by which durable topics wake their subscribers. People who
 * look at topics need not know them. Thread-safe.
 */
final class DurableBells implements Predicate<String> {

	private final ConfigurableListableBeanFactory beanFactory;

	DurableBells(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public boolean test(String topic) {
		return existing(this.beanFactory, DurableTopics.class).anyMatch((topics) -> topics.isBell(topic));
	}

	/**
	 * Returns beans that are there, as observers must not open the resources of topics.
	 */
	static <T> Stream<T> existing(ConfigurableListableBeanFactory beanFactory, Class<T> type) {
		return Arrays.stream(beanFactory.getBeanNamesForType(type, false, false))
			.filter(beanFactory::containsSingleton)
			.map((name) -> beanFactory.getBean(name, type));
	}

}
