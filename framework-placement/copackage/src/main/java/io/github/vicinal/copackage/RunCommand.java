package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lays out applications and runs them. */
@Command(name = "run", mixinStandardHelpOptions = true,
		description = "Lays out applications for one JVM and runs them until it is stopped.")
final class RunCommand implements Callable<Integer> {

	@Mixin
	private final Selection selection = new Selection();

	@Mixin
	private final Hoisted hoisted = new Hoisted();

	@Option(names = "--jvm-option", paramLabel = "OPTION", description = "of the JVM that runs them, such as -Xmx512m")
	private List<String> jvmOptions = List.of();

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws Exception {
		List<Inventory> inventories = this.selection.inventories();
		ConflictChecker checker = this.selection.checker();
		List<PairReport> reports = checker.pairs(inventories);
		GroupReport group = checker.group(inventories, reports);
		CommandSpec command = this.spec;
		if (!group.verdict().oneJvm()) {
			if (command != null) {
				List<PairReport> refused = reports.stream().filter((each) -> !each.verdict().oneJvm()).toList();
				command.commandLine().getOut().print(ReportText.table(refused, group));
				command.commandLine().getOut().flush();
			}
			return CommandLine.ExitCode.SOFTWARE;
		}
		Path directory = Files.createTempDirectory("copackage");
		try {
			return run(inventories, directory);
		}
		finally {
			FileTree.delete(directory);
		}
	}

	private int run(List<Inventory> inventories, Path directory) throws IOException, InterruptedException {
		Path layout = directory.resolve("layout");
		new LayoutBuilder(this.selection.arguments(), this.hoisted.mode()).build(inventories, layout);
		List<String> line = new ArrayList<>();
		line.add(ProcessHandle.current().info().command().orElse("java"));
		line.addAll(this.jvmOptions);
		line.addAll(List.of("-jar", layout.resolve("launcher/vicinal-launcher.jar").toString()));
		Process process = new ProcessBuilder(line).inheritIO().start();
		// A signal to this process is meant for that one.
		Thread hook = new Thread(() -> {
			process.destroy();
			process.onExit().join();
			FileTree.delete(directory);
		});
		Runtime.getRuntime().addShutdownHook(hook);
		return process.waitFor();
	}

}
