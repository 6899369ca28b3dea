package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

import io.github.vicinal.copackage.InvalidInputException;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.PrintableText;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The entry to the command line. */
@Command(name = "vicinal-placement", mixinStandardHelpOptions = true, versionProvider = PlacementCli.Version.class,
		subcommands = SolveCommand.class, description = "Finds out what should run where.",
		footer = "Exit code 0: a feasible plan. 1: none was found. 2: bad usage, bad input, or an output that cannot be written. "
				+ "130 and 143: ended by Ctrl-C or by SIGTERM; the best plan so far is printed and written.")
public final class PlacementCli {

	/**
	 * Runs the command line.
	 * @param arguments its arguments
	 */
	public static void main(String[] arguments) {
		Interruption interruption = Interruption.install(Thread.currentThread());
		int code;
		try {
			code = commandLine().execute(arguments);
		}
		catch (OutOfMemoryError ex) {
			// The memory that did not suffice is free again, so the message fits.
			System.err.println("The model does not fit into %d MiB of heap; give more by JAVA_TOOL_OPTIONS=-Xmx4g"
				.formatted(Runtime.getRuntime().maxMemory() >> 20));
			code = CommandLine.ExitCode.USAGE;
		}
		interruption.written();
		System.exit(code);
	}

	static CommandLine commandLine() {
		CommandLine commandLine = new CommandLine(new PlacementCli());
		commandLine.setCaseInsensitiveEnumValuesAllowed(true);
		commandLine.setExecutionExceptionHandler((ex, command, result) -> {
			if (ex instanceof InvalidModelException || ex instanceof InvalidInputException
					|| ex instanceof IOException) {
				command.getErr().println(PrintableText.escaped(message(ex)));
				command.getErr().flush();
				return CommandLine.ExitCode.USAGE;
			}
			throw ex;
		});
		commandLine.setParameterExceptionHandler((ex, arguments) -> {
			CommandLine command = ex.getCommandLine();
			command.getErr().println(ex.getMessage());
			if (!CommandLine.UnmatchedArgumentException.printSuggestions(ex, command.getErr())) {
				command.getErr().printf("'%s --help' shows all options%n", command.getCommandSpec().qualifiedName());
			}
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
		return ((ex instanceof FileSystemException) ? "Cannot read or write " : "") + ex.getMessage();
	}

	/** The version that the manifest of the jar names. */
	static final class Version implements IVersionProvider {

		@Override
		public String[] getVersion() {
			String version = PlacementCli.class.getPackage().getImplementationVersion();
			return new String[] { "vicinal-placement " + Objects.requireNonNullElse(version, "of an unknown version") };
		}

	}

}
