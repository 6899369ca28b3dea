package io.github.vicinal.copackage;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

import picocli.CommandLine.Option;

/** The option that says which libraries are loaded once. */
final class Hoisted {

	@Option(names = "--hoist", paramLabel = "LIBRARIES",
			description = { "libraries that are loaded once for all: none, stateless (those that keep no state), "
					+ "or known (in addition Spring and others whose state may be shared); default: stateless" })
	private Hoist mode = Hoist.STATELESS;

	Hoist mode() {
		return this.mode;
	}

	/** Says which libraries are loaded once, and why others are not. */
	void print(List<Inventory> inventories, Map<String, String> kept, PrintWriter out) {
		if (this.mode == Hoist.KNOWN) {
			int all = inventories.get(0).libraries().size();
			out.printf("%d of the %d libraries of '%s' are loaded once%n", all - kept.size(), all,
					inventories.get(0).name());
			kept.forEach((library, reason) -> out.printf("  not %s: %s%n", library, reason));
		}
	}

}
