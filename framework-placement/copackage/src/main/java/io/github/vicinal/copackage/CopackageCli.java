package io.github.vicinal.copackage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The entry to the command line. */
@Command(name = "copackage", mixinStandardHelpOptions = true, versionProvider = CopackageCli.Version.class,
		subcommands = { CheckCommand.class, BuildCommand.class, RunCommand.class },
		description = "Finds out which applications may share a JVM, and lays them out.",
		footer = "Exit code 0: they may, or it is done. 1: they may not. 2: bad usage or bad input.")
public final class CopackageCli {

	/**
	 * Runs the command line.
	 * @param arguments its arguments
	 */
	public static void main(String[] arguments) {
		System.exit(commandLine().execute(arguments));
	}

	static CommandLine commandLine() {
		CommandLine commandLine = new CommandLine(new CopackageCli());
		commandLine.setCaseInsensitiveEnumValuesAllowed(true);
		commandLine.setExecutionExceptionHandler((ex, command, result) -> {
			Exception cause = (ex instanceof UncheckedIOException unchecked) ? unchecked.getCause() : ex;
			if (cause instanceof InvalidInputException || cause instanceof IOException) {
				command.getErr().println(message(cause));
				command.getErr().flush();
				return CommandLine.ExitCode.USAGE;
			}
			throw ex;
		});
		commandLine.setParameterExceptionHandler((ex, arguments) -> {
			CommandLine command = ex.getCommandLine();
			command.getErr().println(ex.getMessage());
			command.getErr().printf("'%s --help' shows all options%n", command.getCommandSpec().qualifiedName());
			command.getErr().flush();
			return CommandLine.ExitCode.USAGE;
		});
		return commandLine;
	}

	private static String message(Exception ex) {
		if (ex instanceof NoSuchFileException missing) {
			return "There is no file '%s'".formatted(missing.getFile());
		}
		if (ex instanceof AccessDeniedException denied) {
			return "'%s' may not be read or written; check its permissions".formatted(denied.getFile());
		}
		return String.valueOf(ex.getMessage());
	}

	/** The version that the manifest of the jar names. */
	static final class Version implements IVersionProvider {

		@Override
		public String[] getVersion() {
			String version = CopackageCli.class.getPackage().getImplementationVersion();
			return new String[] { "copackage " + Objects.requireNonNullElse(version, "of an unknown version") };
		}

	}

}
