package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.path.PathKind;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Lets clients that are built from the application's {@code WebClient.Builder} ask peers
 * for their paths, on requests that belong to a channel.
 */
final class WebClientPostProcessor implements BeanPostProcessor {

	private final Supplier<HttpLegs> legs;

	/** Returns the paths that exchanges may take. */
	private final Function<URI, Collection<PathKind>> exchanges;

	/**
	 * Creates the post-processor.
	 * @param legs connects proxies and filters
	 * @param exchanges returns the paths that exchanges may take
	 */
	public WebClientPostProcessor(Supplier<HttpLegs> legs, Function<URI, Collection<PathKind>> exchanges) {
		this.legs = legs;
		this.exchanges = exchanges;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof WebClient.Builder builder) {
			builder.filter(ReactiveRequests.filter(this.legs.get(), this.exchanges));
		}
		return bean;
	}

}
