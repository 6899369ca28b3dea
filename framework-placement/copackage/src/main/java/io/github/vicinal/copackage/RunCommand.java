package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lays out applications and runs them. */
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = CopackageCli.Version.class,
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
		CountDownLatch over = new CountDownLatch(1);
		Runtime.getRuntime().addShutdownHook(new Thread(interruption(Thread.currentThread(), over)));
		try {
			return run(inventories, directory);
		}
		finally {
			FileTree.delete(directory);
			over.countDown();
		}
	}

	/** Makes a thread end what it does before the JVM ends. */
	private static Runnable interruption(Thread thread, CountDownLatch over) {
		return () -> {
			if (over.getCount() == 0) {
				return;
			}
			thread.interrupt();
			try {
				over.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		};
	}

	private int run(List<Inventory> inventories, Path directory) throws IOException {
		Path layout = directory.resolve("layout");
		new LayoutBuilder(this.selection.arguments(), this.hoisted.mode()).build(inventories, layout);
		List<String> line = new ArrayList<>();
		line.add(ProcessHandle.current().info().command().orElse("java"));
		line.addAll(this.jvmOptions);
		line.addAll(
				List.of("-jar", layout.resolve("launcher/vicinal-launcher.jar").toString(), "--stop-at-end-of-input"));
		// If this process is killed, the pipe to the launcher ends, and the applications
		// stop.
		Process process = new ProcessBuilder(line).inheritIO().redirectInput(ProcessBuilder.Redirect.PIPE).start();
		try {
			return process.waitFor();
		}
		catch (InterruptedException ex) {
			// A signal to this process is meant for the launcher.
			process.destroy();
			return process.onExit().join().exitValue();
		}
	}

}
