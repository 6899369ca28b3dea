package io.github.vicinal.boot.exchange;

import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;

/**
 * Turns requests of {@code WebClient} into exchanges, in front of the JDK's connector.
 * Changes that other connectors make to requests are not known, so their requests go over
 * HTTP. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ExchangeConnectors implements PlainConnector {

	private static final Logger logger = LoggerFactory.getLogger(ExchangeConnectors.class);

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
	public ClientHttpConnector of(Library library) {
		ClientHttpConnector connector = library.delegate();
		if (!(connector instanceof JdkClientHttpConnector known)
				|| connector.getClass() != JdkClientHttpConnector.class) {
			logger.info("Requests of {} go over HTTP: Vicinal makes exchanges of the JDK's connector only "
					+ "(spring.http.clients.reactive.connector=jdk)", connector.getClass().getName());
			return connector;
		}
		try {
			return new ExchangeConnector(this.exchanges, this.threads, library, JdkConnector.of(known));
		}
		catch (UnknownLayoutException ex) {
			logger.warn("Requests of the JDK's connector go over HTTP: it cannot be inspected ({})", ex.getMessage());
			return connector;
		}
	}

}
