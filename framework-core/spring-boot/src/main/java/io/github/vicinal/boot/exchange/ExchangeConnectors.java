package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.util.Collection;

import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.exchange.ReactiveLibrary.UnsupportedClientException;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.path.PathKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;

/**
 * Turns requests of {@code WebClient} into exchanges, in front of the connectors of
 * Reactor Netty and of the JDK's client. Changes that other connectors make to requests
 * are not known, so their requests go over HTTP. Thread-safe.
 */
final class ExchangeConnectors implements PlainConnector {

	private static final Logger logger = LoggerFactory.getLogger(ExchangeConnectors.class);

	private static final String JDK = "org.springframework.http.client.reactive.JdkClientHttpConnector";

	private static final String NETTY = "org.springframework.http.client.reactive.ReactorClientHttpConnector";

	private final Exchanges exchanges;

	private final ExchangeThreads threads = new ExchangeThreads();

	/**
	 * Creates the connectors of an application.
	 * @param exchanges makes exchanges
	 */
	public ExchangeConnectors(Exchanges exchanges) {
		this.exchanges = exchanges;
	}

	@Override
	public Collection<PathKind> paths(URI target) {
		return this.exchanges.paths(target, false);
	}

	@Override
	public ClientHttpConnector of(Library library) {
		ClientHttpConnector connector = library.delegate();
		String name = connector.getClass().getName();
		try {
			ReactiveLibrary known = switch (name) {
				case JDK -> JdkConnector.of((JdkClientHttpConnector) connector);
				case NETTY -> Netty.of(connector);
				default -> null;
			};
			if (known != null) {
				return new ExchangeConnector(this.exchanges, this.threads, library, known);
			}
			logger.info("Requests of {} go over HTTP: Vicinal makes exchanges of Reactor Netty and the JDK's client "
					+ "(spring.http.clients.reactive.connector=reactor or jdk)", name);
		}
		catch (UnsupportedClientException ex) {
			logger.info("Requests of {} go over HTTP: its client has settings of the application that exchanges do "
					+ "not have: {}", name, ex.getMessage());
		}
		catch (UnknownLayoutException ex) {
			logger.warn("Requests of {} go over HTTP: it cannot be inspected ({})", name, ex.getMessage());
		}
		return connector;
	}

	/** Loaded only where Reactor Netty is. */
	private static final class Netty {

		static ReactiveLibrary of(ClientHttpConnector connector)
				throws UnknownLayoutException, UnsupportedClientException {
			return NettyConnector.of((ReactorClientHttpConnector) connector);
		}

	}

}
