package io.github.vicinal.samples.trainticket.launch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Starts the services that are asked for in this JVM.
 */
@Command(name = "trainticket", mixinStandardHelpOptions = true, sortOptions = false,
		description = { "Starts services of the sample in this JVM and runs until it is stopped.",
				"Options with a dot in their name, such as --vicinal.enabled=false, are properties for all of them." })
public final class Launcher implements Callable<Integer> {

	private static final String ALL = "all";

	private static final Pattern PROPERTY = Pattern.compile("--([\\w-]+(\\.[\\w\\[\\]-]+)+=.*)", Pattern.DOTALL);

	@Option(names = "--services", paramLabel = "NAME", split = ",", description = "the services, or 'all'")
	private List<String> services = List.of();

	@Option(names = "--plan", paramLabel = "PLAN",
			description = "who shares a JVM with whom: spread, five, two, merged, recommended, or a YAML file")
	private @Nullable String plan;

	@Option(names = "--group", paramLabel = "NAME", description = "the group of the plan to start here")
	private @Nullable String group;

	@Option(names = "--base-port", paramLabel = "PORT", defaultValue = Service.DEFAULT_BASE_PORT,
			description = "port of the gateway; the other services follow (default: ${DEFAULT-VALUE})")
	private int basePort;

	@Option(names = "--stop-at-end-of-input",
			description = "stop when standard input ends, so that no process outlives the one that started it")
	private boolean stopAtEndOfInput;

	@Unmatched
	private List<String> others = new ArrayList<>();

	@Spec
	private @Nullable CommandSpec spec;

	private final Runnable exit;

	private Launcher(Runnable exit) {
		this.exit = exit;
	}

	/**
	 * Starts services and ends the JVM with the exit code; 2 stands for a mistake in the
	 * command line or a plan.
	 * @param args the command line
	 */
	public static void main(String[] args) {
		System.exit(commandLine(() -> System.exit(CommandLine.ExitCode.OK)).execute(args));
	}

	/**
	 * The command line parser, to which other commands may be added.
	 * @param exit ends the JVM, whatever it is doing, after its shutdown hooks
	 * @return the parser
	 */
	public static CommandLine commandLine(Runnable exit) {
		CommandLine commandLine = new CommandLine(new Launcher(exit));
		commandLine.setExecutionExceptionHandler((ex, command, parsed) -> {
			if (ex instanceof UsageException) {
				command.getErr().println("Error: " + ex.getMessage());
				return CommandLine.ExitCode.USAGE;
			}
			throw ex;
		});
		return commandLine;
	}

	@Override
	public Integer call() throws Exception {
		if (this.stopAtEndOfInput) {
			Thread watcher = new Thread(this::exitAtEndOfInput, "end-of-input");
			watcher.setDaemon(true);
			watcher.start();
		}
		long start = System.nanoTime();
		try (RunningServices running = start()) {
			println("%d services run after %.1f s: %s".formatted(running.services().size(),
					(System.nanoTime() - start) / 1e9, Service.names(running.services())));
			new CountDownLatch(1).await();
		}
		return CommandLine.ExitCode.OK;
	}

	private RunningServices start() {
		List<String> properties = this.others.stream().map(Launcher::property).toList();
		if (this.plan == null) {
			if (this.group != null) {
				throw new UsageException("--group '" + this.group + "' is given without --plan",
						"a group is a part of a plan", "add --plan, or use --services");
			}
			Function<Service, String> host = (service) -> "localhost";
			return RunningServices.start(chosenServices(), this.basePort, host, properties);
		}
		if (!this.services.isEmpty()) {
			throw new UsageException(
					"--plan '" + this.plan + "' and --services '" + String.join(",", this.services)
							+ "' are both given",
					"the services come from the command line or from a plan", "remove one of the two");
		}
		Plan read = PlanReader.read(this.plan);
		if (this.group == null) {
			throw new UsageException("--plan '" + this.plan + "' is given without --group",
					"one JVM runs one group; the plan has "
							+ String.join(", ", read.groups().stream().map(Plan.Group::name).toList()),
					"add --group");
		}
		return RunningServices.start(read.group(this.group).services(), this.basePort, read::host, properties);
	}

	private List<Service> chosenServices() {
		if (this.services.isEmpty()) {
			throw new UsageException("No service is chosen", "the launcher needs --services or --plan with --group",
					"for instance --services=all");
		}
		if (this.services.equals(List.of(ALL))) {
			return List.of(Service.values());
		}
		return List.copyOf(new LinkedHashSet<>(this.services.stream().map(Service::named).toList()));
	}

	private static String property(String argument) {
		if (!PROPERTY.matcher(argument).matches()) {
			throw new UsageException("Unknown argument '" + argument + "'",
					"an argument is one of the options, or a property such as --vicinal.enabled=false", "see --help");
		}
		return argument.substring(2);
	}

	private void println(String line) {
		if (this.spec != null) {
			this.spec.commandLine().getOut().println(line);
			this.spec.commandLine().getOut().flush();
		}
	}

	/**
	 * Watches the input from the very beginning: the process that started this one may
	 * end while the services are still starting.
	 */
	private void exitAtEndOfInput() {
		byte[] buffer = new byte[64];
		try {
			int read;
			do {
				read = System.in.read(buffer);
			}
			while (read >= 0);
		}
		catch (IOException ex) {
			println("Standard input cannot be read any more (" + ex.getMessage() + "); stopping");
		}
		this.exit.run();
	}

}
