package io.github.vicinal.launcher.logback;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.stream.Stream;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Answers SLF4J with the log of the application that asks. SLF4J uses it where the system
 * property {@code slf4j.provider} names it, since 2.0.9.
 *
 * @since 0.1.0
 */
public final class ApplicationLogProvider implements SLF4JServiceProvider {

	private static final String API_VERSION = "2.0.99";

	private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

	private final IMarkerFactory markers = new BasicMarkerFactory();

	private final ILoggerFactory routing = RoutedLogger::new;

	/** Creates the provider. */
	public ApplicationLogProvider() {
	}

	/**
	 * Returns where the caller's loggers come from: the context of the application that
	 * has the calling class. A shared class may keep its logger for all applications, so
	 * it gets one that looks for the application at each call. A shared class that asks
	 * for the context itself, as Spring Boot does, gets that of the current application.
	 */
	@Override
	public ILoggerFactory getLoggerFactory() {
		return STACK.walk(this::factory);
	}

	/** The first two frames are this class and the method that asks it. */
	private ILoggerFactory factory(Stream<StackFrame> frames) {
		Iterator<StackFrame> callers = frames.skip(2).iterator();
		Class<?> caller = callers.next().getDeclaringClass();
		boolean forLogger = caller == LoggerFactory.class;
		while (caller == LoggerFactory.class) {
			caller = callers.next().getDeclaringClass();
		}
		LoggerContext own = ApplicationLogs.of(caller);
		if (own != null) {
			return own;
		}
		return forLogger ? this.routing : ApplicationLogs.current();
	}

	@Override
	public IMarkerFactory getMarkerFactory() {
		return this.markers;
	}

	@Override
	public MDCAdapter getMDCAdapter() {
		return ApplicationLogs.mdc();
	}

	@Override
	public String getRequestedApiVersion() {
		return API_VERSION;
	}

	@Override
	public void initialize() {
		// Contexts are made when applications first ask for them.
	}

}
