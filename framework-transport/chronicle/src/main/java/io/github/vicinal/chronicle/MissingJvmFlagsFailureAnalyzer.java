package io.github.vicinal.chronicle;

import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the flags that the JVM lacks, in the two forms in which they can be given. */
final class MissingJvmFlagsFailureAnalyzer extends AbstractFailureAnalyzer<MissingJvmFlagsException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingJvmFlagsException cause) {
		String arguments = String.join(" \\\n    ", cause.flags());
		return new FailureAnalysis(
				"%s Chronicle Queue, which does not start without %d flags that this JVM was started without."
					.formatted(cause.use().subject(), cause.flags().size()),
				"""
						Start the JVM with

						    %s

						or, for an executable jar, put into its manifest

						    Add-Exports: %s
						    Add-Opens: %s

						or %s.
						""".formatted(arguments, packages(cause, "--add-exports="), packages(cause, "--add-opens="),
						cause.use().alternative()),
				cause);
	}

	private static String packages(MissingJvmFlagsException cause, String flag) {
		return cause.flags()
			.stream()
			.filter((each) -> each.startsWith(flag))
			.map((each) -> each.substring(flag.length(), each.lastIndexOf('=')))
			.collect(Collectors.joining(" "));
	}

}
