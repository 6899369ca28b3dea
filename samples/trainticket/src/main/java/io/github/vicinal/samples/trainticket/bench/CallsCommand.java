package io.github.vicinal.samples.trainticket.bench;

import java.io.PrintWriter;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

import io.github.vicinal.samples.trainticket.travel.TripQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Prints the calls of searches, with their arguments.
 */
@Command(name = "calls", mixinStandardHelpOptions = true, sortOptions = false,
		description = { "Prints every call between services that searches lead to, a line each:",
				"depth, caller, whether the answer depends on seed data alone, method with arguments.",
				"An empty line ends a search. The first is the one that the user interface proposes." })
public final class CallsCommand implements Callable<Integer> {

	/** Ways that trains go: each station leads to those after it. */
	private static final List<List<String>> LINES = List.of(
			List.of("Shang Hai", "Nan Jing", "Shi Jia Zhuang", "Tai Yuan"),
			List.of("Nan Jing", "Xu Zhou", "Ji Nan", "Bei Jing"),
			List.of("Tai Yuan", "Shi Jia Zhuang", "Nan Jing", "Shang Hai"),
			List.of("Shang Hai Hong Qiao", "Jia Xing Nan", "Hang Zhou"),
			List.of("Nan Jing", "Zhen Jiang", "Wu Xi", "Su Zhou", "Shang Hai"), List.of("Shang Hai", "Su Zhou"));

	private static final int DAYS = 30;

	@Option(names = "--searches", paramLabel = "N", defaultValue = "1000",
			description = "how many (default: ${DEFAULT-VALUE})")
	private int searches;

	@Option(names = "--seed", paramLabel = "N", defaultValue = "1",
			description = "of the stations and days (default: ${DEFAULT-VALUE})")
	private long seed;

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() {
		PrintWriter out = Output.of(this.spec);
		CallTrace trace = new CallTrace();
		Random random = new Random(this.seed);
		LocalDate tomorrow = LocalDate.now(ZoneId.systemDefault()).plusDays(1);
		for (int i = 0; i < this.searches; i++) {
			TripQuery query = (i == 0) ? new TripQuery("Nan Jing", "Shang Hai", tomorrow) : query(random, tomorrow);
			trace.advancedSearch(query).forEach(out::println);
			out.println();
		}
		out.flush();
		return CommandLine.ExitCode.OK;
	}

	private static TripQuery query(Random random, LocalDate tomorrow) {
		List<String> line = LINES.get(random.nextInt(LINES.size()));
		int to = 1 + random.nextInt(line.size() - 1);
		return new TripQuery(line.get(random.nextInt(to)), line.get(to), tomorrow.plusDays(random.nextInt(DAYS)));
	}

}
