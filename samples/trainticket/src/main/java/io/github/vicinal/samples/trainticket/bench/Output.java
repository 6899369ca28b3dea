package io.github.vicinal.samples.trainticket.bench;

import java.io.PrintWriter;
import java.nio.charset.Charset;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Destination of what commands print. */
final class Output {

	private Output() {
	}

	/**
	 * Returns the writer of a command line.
	 * @param spec the command, or {@code null} if it runs without a command line
	 * @return its writer, or one for the standard output
	 */
	static PrintWriter of(@Nullable CommandSpec spec) {
		return (spec != null) ? spec.commandLine().getOut()
				: new PrintWriter(System.out, false, Charset.defaultCharset());
	}

}
