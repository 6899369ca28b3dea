package io.github.vicinal.benchmarks;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** One measurement that has a name. */
public interface Measurement {

	/**
	 * Returns the name on the command line.
	 * @return a lower-case name
	 */
	String name();

	/**
	 * Returns what is measured, in one line.
	 * @return a sentence without a full stop
	 */
	String description();

	/**
	 * Measures.
	 * @param settings how
	 * @return the figures and the bars
	 * @throws Exception if something could not be measured
	 */
	Report run(Settings settings) throws Exception;

	/** The requested measurement is not possible; the message says what to do. */
	final class UsageException extends Exception {

		private static final long serialVersionUID = 1;

		/**
		 * Creates the exception.
		 * @param message what is wrong, and the remedy
		 */
		public UsageException(String message) {
			super(message);
		}

	}

	/**
	 * Settings of a measurement.
	 *
	 * @param quick whether a rough figure is enough
	 * @param trainTicketJar the executable jar of the TrainTicket sample, or {@code null}
	 * @param progress receives progress lines
	 * @param options further options of the command line, by name
	 */
	record Settings(boolean quick, @Nullable Path trainTicketJar, PrintWriter progress, Map<String, String> options) {

		/**
		 * Reports progress.
		 * @param format a format
		 * @param arguments its arguments
		 */
		public void say(String format, Object... arguments) {
			this.progress.printf(format + "%n", arguments);
			this.progress.flush();
		}

	}

}
