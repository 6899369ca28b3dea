package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;

import picocli.CommandLine;
import picocli.CommandLine.Command;

import io.github.vicinal.placement.model.InvalidModelException;

/** The entry to the command line. */
@Command(name = "vicinal-placement", mixinStandardHelpOptions = true, subcommands = SolveCommand.class,
		description = "Finds out what should run where.",
		footer = "Exit code 0: a feasible plan. 1: none was found. 2: bad usage or bad input.")
public final class PlacementCli {

	/**
	 * Runs the command line.
	 * @param arguments its arguments
	 */
	public static void main(String[] arguments) {
		System.exit(commandLine().execute(arguments));
	}

	static CommandLine commandLine() {
		CommandLine commandLine = new CommandLine(new PlacementCli());
		commandLine.setCaseInsensitiveEnumValuesAllowed(true);
		commandLine.setExecutionExceptionHandler((ex, command, result) -> {
			if (ex instanceof InvalidModelException || ex instanceof IOException) {
				boolean file = ex instanceof FileSystemException;
				command.getErr().println((file ? "Cannot read or write: " : "") + ex.getMessage());
				command.getErr().flush();
				return CommandLine.ExitCode.USAGE;
			}
			throw ex;
		});
		return commandLine;
	}

}
