package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import org.jspecify.annotations.Nullable;

/**
 * The JDK's client for one request, which remembers whether the client followed a
 * redirect: the connector does not keep the response that says so. Thread-safe.
 */
final class AskingJdkClient extends HttpClient {

	private final HttpClient delegate;

	private volatile boolean redirected;

	AskingJdkClient(HttpClient delegate) {
		this.delegate = delegate;
	}

	/** Returns whether the response is that of the server that was asked. */
	boolean isOwn() {
		return !this.redirected;
	}

	private <T> HttpResponse<T> seen(HttpResponse<T> response) {
		this.redirected = response.previousResponse().isPresent();
		return response;
	}

	@Override
	public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
			throws IOException, InterruptedException {
		return seen(this.delegate.send(request, handler));
	}

	/** Cancels the request with the future, as the delegate does. */
	@Override
	public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
		return watched(this.delegate.sendAsync(request, handler));
	}

	@Override
	public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler,
			@Nullable PushPromiseHandler<T> pushes) {
		return watched(this.delegate.sendAsync(request, handler, pushes));
	}

	/** Dependents of the client's future cancel the request. */
	private <T> CompletableFuture<HttpResponse<T>> watched(CompletableFuture<HttpResponse<T>> sent) {
		return sent.thenApply(this::seen);
	}

	@Override
	public Optional<CookieHandler> cookieHandler() {
		return this.delegate.cookieHandler();
	}

	@Override
	public Optional<Duration> connectTimeout() {
		return this.delegate.connectTimeout();
	}

	@Override
	public Redirect followRedirects() {
		return this.delegate.followRedirects();
	}

	@Override
	public Optional<ProxySelector> proxy() {
		return this.delegate.proxy();
	}

	@Override
	public SSLContext sslContext() {
		return this.delegate.sslContext();
	}

	@Override
	public SSLParameters sslParameters() {
		return this.delegate.sslParameters();
	}

	@Override
	public Optional<Authenticator> authenticator() {
		return this.delegate.authenticator();
	}

	@Override
	public Version version() {
		return this.delegate.version();
	}

	@Override
	public Optional<Executor> executor() {
		return this.delegate.executor();
	}

}
