package io.github.vicinal.boot.exchange;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The application of {@link ExchangeDetailTests} on Jetty. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(ExchangeDetailTests.DetailController.class)
class JettyDetails {

	@Bean
	Log log() {
		return new Log();
	}

	@Bean
	WebServerFactoryCustomizer<JettyServletWebServerFactory> logging(Log log) {
		return (factory) -> factory.addServerCustomizers((server) -> server.setRequestLog(log));
	}

	/** Keeps the lines of the request log. */
	private static final class Log implements RequestLog, ExchangeDetailTests.AccessLog {

		private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

		@Override
		public BlockingQueue<String> lines() {
			return this.lines;
		}

		@Override
		public void log(Request request, Response response) {
			this.lines.add("%s %s %d %d".formatted(request.getMethod(), request.getHttpURI().getPathQuery(),
					response.getStatus(), Response.getContentBytesWritten(response)));
		}

	}

}
