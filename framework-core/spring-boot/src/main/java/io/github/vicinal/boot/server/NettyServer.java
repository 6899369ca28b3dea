package io.github.vicinal.boot.server;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerConfig;
import reactor.netty.http.server.ProxyProtocolSupportType;

import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.boot.reactor.netty.NettyWebServer;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;

/**
 * Parts of an embedded Reactor Netty. Thread-safe.
 *
 * @param handler receives requests once their bytes have been parsed
 * @param loops the threads that execute them
 * @param config how requests are parsed
 * @param unlike treatment of requests that exchanges would miss, empty if there is none
 */
record NettyServer(HttpHandler handler, EventLoopGroup loops, HttpServerConfig config, Optional<String> unlike) {

	/** They set time-outs, sizes, compression and TLS, which are looked at here. */
	private static final String CUSTOMIZERS_OF_BOOT = "org.springframework.boot.reactor.netty.";

	/**
	 * Inspects a server.
	 * @param server the server
	 * @param factories what may have made it
	 * @throws UnknownLayoutException if it is not made as this class knows it
	 */
	static NettyServer of(NettyWebServer server, Collection<NettyReactiveWebServerFactory> factories)
			throws UnknownLayoutException {
		Object adapter = Fields.required(server, "handler");
		HttpHandler handler = (HttpHandler) Fields.required(adapter, "httpHandler");
		HttpServerConfig config = ((HttpServer) Fields.required(server, "httpServer")).configuration();
		EventLoopGroup loops = config.loopResources().onServer(config.isPreferNative());
		String unlike = (adapter.getClass() != ReactorHttpHandlerAdapter.class)
				? "its requests go to a " + adapter.getClass().getName()
				: unlike(config, (List<?>) Fields.required(server, "routeProviders"), factories);
		if (unlike == null && Boolean.TRUE.equals(Fields.get(config, "accessLogEnabled"))) {
			unlike = "the access log of Reactor Netty does not see exchanges";
		}
		return new NettyServer(handler, loops, config, Optional.ofNullable(unlike));
	}

	private static @Nullable String unlike(HttpServerConfig config, List<?> routes,
			Collection<NettyReactiveWebServerFactory> factories) {
		if (config.isSecure()) {
			return "it accepts TLS only, and exchanges have no certificates";
		}
		if (config.isForwarded()) {
			return "Reactor Netty reads forwarded headers (server.forward-headers-strategy=native)";
		}
		if (config.proxyProtocolSupportType() != ProxyProtocolSupportType.OFF) {
			return "Reactor Netty reads the proxy protocol";
		}
		if (!routes.isEmpty()) {
			return "it has routes of Reactor Netty";
		}
		if (config.minCompressionSize() >= 0) {
			return "Reactor Netty compresses responses (server.compression.enabled)";
		}
		for (NettyReactiveWebServerFactory factory : factories) {
			if (factory.getClass() != NettyReactiveWebServerFactory.class) {
				return "the application creates Reactor Netty itself (%s)".formatted(factory.getClass().getName());
			}
			for (NettyServerCustomizer customizer : factory.getServerCustomizers()) {
				if (!customizer.getClass().getName().startsWith(CUSTOMIZERS_OF_BOOT)) {
					return "the application customizes Reactor Netty (%s)".formatted(customizer.getClass().getName());
				}
			}
		}
		return factories.isEmpty() ? "it is not known how Reactor Netty was created" : null;
	}

	/** Returns one of the threads. */
	EventLoop loop() {
		return this.loops.next();
	}

}
