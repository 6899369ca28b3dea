package io.github.vicinal.boot.exchange;

import java.io.CharArrayWriter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.apache.catalina.valves.AbstractAccessLogValve;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The application of {@link ExchangeDetailTests} on Tomcat. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(ExchangeDetailTests.DetailController.class)
class TomcatDetails {

	@Bean
	Log log() {
		return new Log();
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> logging(Log log) {
		return (factory) -> factory.addEngineValves(log);
	}

	/** Keeps the lines of the access log. */
	private static final class Log extends AbstractAccessLogValve implements ExchangeDetailTests.AccessLog {

		private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

		Log() {
			setPattern("%m %U%q %s %B");
			setAsyncSupported(true);
		}

		@Override
		public BlockingQueue<String> lines() {
			return this.lines;
		}

		@Override
		protected void log(CharArrayWriter message) {
			this.lines.add(message.toString());
		}

	}

}
