package io.github.vicinal.copackage;

import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says how close each pair of applications may come. */
@Command(name = "check", mixinStandardHelpOptions = true, versionProvider = CopackageCli.Version.class,
		description = "Says how close each pair of applications may come, and what stands in the way.")
final class CheckCommand implements Callable<Integer> {

	@Mixin
	private final Selection selection = new Selection();

	@Option(names = "--json", description = "for programs")
	private boolean json;

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws Exception {
		List<Inventory> inventories = this.selection.inventories();
		if (inventories.size() < 2) {
			throw new InvalidInputException("One application alone has no conflicts; name at least two");
		}
		ConflictChecker checker = this.selection.checker();
		List<PairReport> reports = checker.pairs(inventories);
		GroupReport group = checker.group(inventories, reports);
		CommandSpec command = this.spec;
		if (command != null) {
			command.commandLine()
				.getOut()
				.print(this.json ? ReportText.json(reports, group) : ReportText.table(reports, group));
			command.commandLine().getOut().flush();
		}
		return group.verdict().oneJvm() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
	}

}
