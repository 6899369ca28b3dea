package io.github.vicinal.copackage;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lays out applications. */
@Command(name = "build", mixinStandardHelpOptions = true,
		description = { "Lays out applications for one JVM, in the order of their start, or for one container.",
				"Their own jars are not changed." })
final class BuildCommand implements Callable<Integer> {

	@Mixin
	private final Selection selection = new Selection();

	@Option(names = { "-o", "--output" }, required = true, paramLabel = "DIRECTORY", description = "where to")
	private Path output = Path.of("");

	@Option(names = "--processes",
			description = "one container with a process for each application, instead of one JVM; needs their Dockerfiles")
	private boolean processes;

	@Mixin
	private final Hoisted hoisted = new Hoisted();

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws Exception {
		PrintWriter out = out();
		List<Inventory> inventories = this.selection.inventories();
		if (!mayBeTogether(inventories, out)) {
			return CommandLine.ExitCode.SOFTWARE;
		}
		if (this.processes) {
			MergedContainer.write(inventories, this.output);
			out.printf("%d applications for one container in %s%n", inventories.size(), this.output);
		}
		else {
			Map<String, String> kept = new LayoutBuilder(this.selection.arguments(), this.hoisted.mode())
				.build(inventories, this.output);
			this.hoisted.print(inventories, kept, out);
			out.printf("%d applications for one JVM in %s%nRun them: java -jar %s%n", inventories.size(), this.output,
					this.output.resolve("launcher/vicinal-launcher.jar"));
		}
		out.flush();
		return CommandLine.ExitCode.OK;
	}

	private PrintWriter out() {
		CommandSpec command = this.spec;
		return (command != null) ? command.commandLine().getOut()
				: new PrintWriter(System.out, true, StandardCharsets.UTF_8);
	}

	private boolean mayBeTogether(List<Inventory> inventories, PrintWriter out) {
		List<PairReport> refused = this.selection.checker()
			.pairs(inventories)
			.stream()
			.filter((each) -> this.processes ? each.verdict() == Verdict.FORBIDDEN : !each.verdict().oneJvm())
			.toList();
		if (!refused.isEmpty()) {
			out.print(ReportText.table(refused));
			out.printf("%nNothing was written: these may not share a %s%n", this.processes ? "container" : "JVM");
			out.flush();
		}
		return refused.isEmpty();
	}

}
