package io.github.vicinal.testkit;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Configuration of a client of the kit, as an application would write it. Instances are
 * immutable; an environment may cache what it builds by instance.
 *
 * @since 0.1.0
 */
public final class KitClient {

	/** A {@code RestClient} with nothing special about it. */
	public static final KitClient BLOCKING = new KitClient("blocking", false, null, (builder) -> {
	}, (builder) -> {
	}, (builder) -> {
	});

	/** A {@code WebClient} with nothing special about it. */
	public static final KitClient REACTIVE = new KitClient("reactive", true, null, (builder) -> {
	}, (builder) -> {
	}, (builder) -> {
	});

	private final String name;

	private final boolean reactive;

	private final @Nullable Duration readTimeout;

	private final Consumer<RestClient.Builder> restClient;

	private final Consumer<WebClient.Builder> webClient;

	private final Consumer<HttpServiceProxyFactory.Builder> proxyFactory;

	private KitClient(String name, boolean reactive, @Nullable Duration readTimeout,
			Consumer<RestClient.Builder> restClient, Consumer<WebClient.Builder> webClient,
			Consumer<HttpServiceProxyFactory.Builder> proxyFactory) {
		this.name = name;
		this.reactive = reactive;
		this.readTimeout = readTimeout;
		this.restClient = restClient;
		this.webClient = webClient;
		this.proxyFactory = proxyFactory;
	}

	/**
	 * Return this client with a read timeout.
	 * @param timeout how long to wait for an answer
	 * @return a new instance
	 */
	public KitClient withReadTimeout(Duration timeout) {
		return new KitClient(this.name + ", times out", this.reactive, timeout, this.restClient, this.webClient,
				this.proxyFactory);
	}

	/**
	 * Return this client with a customised {@code RestClient}.
	 * @param customizer what to do to the builder
	 * @return a new instance
	 */
	public KitClient withRestClient(Consumer<RestClient.Builder> customizer) {
		return new KitClient(this.name + ", customised", this.reactive, this.readTimeout,
				this.restClient.andThen(customizer), this.webClient, this.proxyFactory);
	}

	/**
	 * Return this client with a customised {@code WebClient}.
	 * @param customizer what to do to the builder
	 * @return a new instance
	 */
	public KitClient withWebClient(Consumer<WebClient.Builder> customizer) {
		return new KitClient(this.name + ", customised", this.reactive, this.readTimeout, this.restClient,
				this.webClient.andThen(customizer), this.proxyFactory);
	}

	/**
	 * Return this client with a customised proxy factory.
	 * @param customizer what to do to the builder
	 * @return a new instance
	 */
	public KitClient withProxyFactory(Consumer<HttpServiceProxyFactory.Builder> customizer) {
		return new KitClient(this.name + ", customised", this.reactive, this.readTimeout, this.restClient,
				this.webClient, this.proxyFactory.andThen(customizer));
	}

	/**
	 * Returns whether the proxy uses a {@code WebClient} rather than a
	 * {@code RestClient}.
	 * @return {@code true} for a {@code WebClient}
	 */
	public boolean isReactive() {
		return this.reactive;
	}

	/**
	 * Returns the client's time-out, which the environment sets on the request factory,
	 * connector or property of its applications.
	 * @return the timeout, or {@code null} for a long one
	 */
	public @Nullable Duration readTimeout() {
		return this.readTimeout;
	}

	/**
	 * Apply the customisations, after the environment's own.
	 * @param builder the builder of a client that is not {@linkplain #isReactive()
	 * reactive}
	 */
	public void customize(RestClient.Builder builder) {
		this.restClient.accept(builder);
	}

	/**
	 * Apply the customisations, after the environment's own.
	 * @param builder the builder of a {@linkplain #isReactive() reactive} client
	 */
	public void customize(WebClient.Builder builder) {
		this.webClient.accept(builder);
	}

	/**
	 * Apply the customisations, after the environment's own.
	 * @param builder the builder of the proxy factory
	 */
	public void customize(HttpServiceProxyFactory.Builder builder) {
		this.proxyFactory.accept(builder);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
