package io.github.vicinal.boot.client;

import java.util.function.Supplier;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Lets clients that are built from the application's {@code WebClient.Builder} ask peers
 * for their paths, on requests that belong to a channel.
 */
final class WebClientPostProcessor implements BeanPostProcessor {

	private final Supplier<HttpLegs> legs;

	/**
	 * Creates the post-processor.
	 * @param legs connects proxies and filters
	 */
	public WebClientPostProcessor(Supplier<HttpLegs> legs) {
		this.legs = legs;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof WebClient.Builder builder) {
			builder.filter(ReactiveRequests.filter(this.legs.get()));
		}
		return bean;
	}

}
