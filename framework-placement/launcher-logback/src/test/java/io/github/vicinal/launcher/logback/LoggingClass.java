package io.github.vicinal.launcher.logback;

import java.lang.reflect.Constructor;
import java.util.List;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** A class of an application, of which each loader has its own. */
final class LoggingClass {

	private static final ListAppender<ILoggingEvent> RECORDED = new ListAppender<>();

	private LoggingClass() {
	}

	static LoggerContext context() {
		return (LoggerContext) LoggerFactory.getILoggerFactory();
	}

	static LoggerContext contextOfLogger() {
		return ((Logger) LoggerFactory.getLogger(LoggingClass.class)).getLoggerContext();
	}

	static void record() {
		RECORDED.start();
		context().getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(RECORDED);
	}

	/** Logs with a logger such as shared classes get. */
	static void logBySharedClass() throws ReflectiveOperationException {
		// This class and that logger are in packages of different loaders.
		Constructor<?> constructor = Class.forName("io.github.vicinal.launcher.logback.RoutedLogger")
			.getDeclaredConstructor(String.class);
		constructor.setAccessible(true);
		((org.slf4j.Logger) constructor.newInstance("library")).warn("shared");
	}

	static List<String> recorded() {
		return RECORDED.list.stream()
			.filter((event) -> event.getLoggerName().equals("library"))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

}
