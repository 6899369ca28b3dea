package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Gives channels to HTTP interface clients that an application makes itself, with
 * {@code HttpServiceProxyFactory}, and declares as beans.
 */
final class ChannelProxyPostProcessor implements BeanPostProcessor {

	private static final String HTTP_SERVICE_ADVICE = "org.springframework.web.service.invoker.HttpServiceProxyFactory$";

	private final Supplier<ClientChannels> channels;

	private final Supplier<@Nullable Duration> timeout;

	private final Supplier<Boolean> balanced;

	/**
	 * Creates the post-processor.
	 * @param channels the channels
	 * @param timeout how long HTTP clients wait for an answer
	 * @param balanced whether HTTP clients may be load-balanced
	 */
	public ChannelProxyPostProcessor(Supplier<ClientChannels> channels, Supplier<@Nullable Duration> timeout,
			Supplier<Boolean> balanced) {
		this.channels = channels;
		this.timeout = timeout;
		this.balanced = balanced;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen() && isHttpServiceClient(advised)) {
			for (Class<?> type : advised.getProxiedInterfaces()) {
				ClientChannel channel = this.channels.get()
					.channel(type, new ClientFacts(null, beanName, false, CallTargets.FIXED, null, this.balanced.get(),
							this.timeout.get(), List.of()));
				if (channel != null) {
					channel.client(advised);
					advised.addAdvice(0, new ChannelAdvice(channel));
				}
			}
		}
		return bean;
	}

	/** A client that has passed here already begins with a {@link ChannelAdvice}. */
	private static boolean isHttpServiceClient(Advised advised) {
		return advised.getAdvisors().length > 0 && ClassUtils.getUserClass(advised.getAdvisors()[0].getAdvice())
			.getName()
			.startsWith(HTTP_SERVICE_ADVICE);
	}

}
