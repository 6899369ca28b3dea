package io.github.vicinal.samples.trainticket;

import io.github.vicinal.samples.trainticket.bench.BenchCommand;
import io.github.vicinal.samples.trainticket.bench.CallsCommand;
import io.github.vicinal.samples.trainticket.bench.DemoCommand;
import io.github.vicinal.samples.trainticket.bench.LoopCommand;
import io.github.vicinal.samples.trainticket.launch.JarsCommand;
import io.github.vicinal.samples.trainticket.launch.Launcher;
import picocli.CommandLine;

/**
 * Main class of the jar: starts services, or drives those of child JVMs.
 */
public final class TrainTicket {

	private TrainTicket() {
	}

	/**
	 * Runs a command and ends the JVM with its exit code; 2 stands for a mistake in the
	 * command line or a plan.
	 * @param args the command line
	 */
	public static void main(String[] args) {
		System.exit(commandLine(() -> System.exit(CommandLine.ExitCode.OK)).execute(args));
	}

	/**
	 * The command line parser with all commands.
	 * @param exit ends the JVM, whatever it is doing, after its shutdown hooks
	 * @return the parser
	 */
	static CommandLine commandLine(Runnable exit) {
		CommandLine commandLine = Launcher.commandLine(exit)
			.addSubcommand(new DemoCommand())
			.addSubcommand(new BenchCommand())
			.addSubcommand(new LoopCommand())
			.addSubcommand(new CallsCommand())
			.addSubcommand(new JarsCommand());
		// Commands that are added do not inherit the handler.
		return commandLine.setExecutionExceptionHandler(commandLine.getExecutionExceptionHandler());
	}

}
