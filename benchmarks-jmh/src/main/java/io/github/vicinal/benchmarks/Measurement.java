package io.github.vicinal.benchmarks;

import java.io.PrintWriter;
import java.nio.file.Path;

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

	/**
	 * How to measure.
	 *
	 * @param quick whether a rough figure is enough
	 * @param trainTicketJar the executable jar of the TrainTicket sample, or {@code null}
	 * @param progress receives lines for people who wait
	 */
	record Settings(boolean quick, @Nullable Path trainTicketJar, PrintWriter progress) {

		/**
		 * Tells people who wait.
		 * @param format a format
		 * @param arguments its arguments
		 */
		public void say(String format, Object... arguments) {
			this.progress.printf(format + "%n", arguments);
			this.progress.flush();
		}

	}

}
