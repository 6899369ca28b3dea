package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.hc.client5.http.config.Configurable;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.CloseableHttpResponse;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.protocol.RedirectLocations;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

import io.github.vicinal.boot.client.HttpSockets.HttpSocket;

/**
 * The application's Apache HTTP client, whose requests to peers of this host go over a
 * Unix domain socket. Cookies, credentials, interceptors, time-outs, retries and
 * redirects remain what the application made them, as only the connection differs. It
 * tells a call that its answer, or its failure, is that of another server.
 */
final class SocketHttpClient extends CloseableHttpClient implements Configurable {

	/** Where a response over the socket sends a request is no longer this peer. */
	private static final class SocketContext extends HttpClientContext {

		private final RequestConfig original;

		/** Whether anything was answered, so that a failure is not the socket's. */
		private boolean answered;

		SocketContext(RequestConfig original, Path socket) {
			this.original = original;
			super.setRequestConfig(RequestConfig.copy(original).setUnixDomainSocket(socket).build());
		}

		@Override
		public void setResponse(HttpResponse response) {
			super.setResponse(response);
			this.answered = true;
			super.setRequestConfig(this.original);
		}

	}

	private final CloseableHttpClient delegate;

	private final HttpLegs legs;

	private final HttpSockets sockets;

	/** Why this client cannot use sockets, once that has shown. */
	private volatile @Nullable String unable;

	private SocketHttpClient(CloseableHttpClient delegate, HttpLegs legs, HttpSockets sockets) {
		this.delegate = delegate;
		this.legs = legs;
		this.sockets = sockets;
	}

	/**
	 * Lets the requests of a factory go over sockets.
	 * @return whether they do, and calls are told of redirects
	 */
	static boolean install(HttpComponentsClientHttpRequestFactory factory, HttpLegs legs, HttpSockets sockets) {
		if (factory.getHttpClient() instanceof CloseableHttpClient client && !(client instanceof SocketHttpClient)) {
			factory.setHttpClient(new SocketHttpClient(client, legs, sockets));
		}
		return factory.getHttpClient() instanceof SocketHttpClient;
	}

	@Override
	protected CloseableHttpResponse doExecute(HttpHost target, ClassicHttpRequest request, HttpContext context)
			throws IOException {
		HttpLeg leg = this.legs.current();
		URI asked = (leg != null) ? leg.sent() : null;
		if (leg == null || asked == null || !leg.executing()) {
			return delegate(target, request, context);
		}
		URI uri = leg.target(asked);
		HttpSocket socket = null;
		String problem = (context.getClass() != HttpClientContext.class)
				? "the HTTP client has contexts of the application's own" : this.unable;
		if (problem == null && leg.confirms()) {
			// The socket leads to the same instance for ever.
			return execute(leg, target, request, HttpClientContext.castOrCreate(context));
		}
		if (problem == null) {
			socket = this.sockets.find(leg.channel(), uri);
		}
		else {
			this.sockets.tcp(leg.channel(), HttpAddress.of(uri), problem);
		}
		HttpClientContext known = HttpClientContext.castOrCreate(context);
		return (socket != null) ? overSocket(socket, leg, uri, target, request, known)
				: execute(leg, target, request, known);
	}

	/** What replaces this method does not return what a client has to return. */
	@SuppressWarnings("deprecation")
	private CloseableHttpResponse delegate(HttpHost target, ClassicHttpRequest request, HttpContext context)
			throws IOException {
		return this.delegate.execute(target, request, context);
	}

	private CloseableHttpResponse execute(HttpLeg leg, HttpHost target, ClassicHttpRequest request,
			HttpClientContext context) throws IOException {
		try {
			return delegate(target, request, context);
		}
		finally {
			RedirectLocations followed = context.getRedirectLocations();
			if (followed != null && followed.size() > 0) {
				leg.redirected();
			}
		}
	}

	private CloseableHttpResponse overSocket(HttpSocket socket, HttpLeg leg, URI uri, HttpHost target,
			ClassicHttpRequest request, HttpClientContext context) throws IOException {
		RequestConfig config = context.getRequestConfig();
		if (config == null) {
			config = getConfig();
		}
		SocketContext overSocket = new SocketContext((config != null) ? config : RequestConfig.DEFAULT, socket.path());
		try {
			return execute(leg, target, request, overSocket);
		}
		catch (SocketException ex) {
			if (overSocket.answered || !isRefused(ex, socket.path())) {
				throw ex;
			}
			this.sockets.refused(leg.channel(), uri, socket, String.valueOf(ex.getMessage()));
		}
		catch (UnsupportedOperationException ex) {
			// Raised when the route is planned, of a client that uses a proxy.
			this.unable = String.valueOf(ex.getMessage());
			this.sockets.tcp(leg.channel(), HttpAddress.of(uri), this.unable);
		}
		return execute(leg, target, request, context);
	}

	/**
	 * Returns whether a failure is one of connecting, so that nothing was sent. A socket
	 * whose file is gone, as while its server stops, has no exception class of its own,
	 * and a text that depends on the locale: connecting once more gives the same one.
	 */
	private static boolean isRefused(SocketException failure, Path file) {
		if (failure instanceof ConnectException) {
			return true;
		}
		try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			channel.connect(UnixDomainSocketAddress.of(file));
			return false;
		}
		catch (IOException ex) {
			return ex.getClass() == failure.getClass() && !Files.exists(file)
					&& String.valueOf(ex.getMessage()).equals(failure.getMessage());
		}
	}

	@Override
	public @Nullable RequestConfig getConfig() {
		return (this.delegate instanceof Configurable configurable) ? configurable.getConfig() : null;
	}

	@Override
	public void close() throws IOException {
		this.delegate.close();
	}

	@Override
	public void close(CloseMode mode) {
		this.delegate.close(mode);
	}

}
