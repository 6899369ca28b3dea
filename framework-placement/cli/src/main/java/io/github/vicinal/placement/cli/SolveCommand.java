package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.copackage.ConflictChecker;
import io.github.vicinal.copackage.CopackageMergeChecker;
import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.Inventory;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.ExactSolver;
import io.github.vicinal.placement.solver.PlacementSolver;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.Solvers;
import io.github.vicinal.placement.solver.Value;
import io.github.vicinal.placement.solver.VicinalSolver;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Reads what there is and what was seen of it, and finds a plan. */
@Command(name = "solve", mixinStandardHelpOptions = true, versionProvider = PlacementCli.Version.class,
		sortOptions = false,
		description = "Finds a plan for a model, an instance or a compose file, and has it verified.")
final class SolveCommand implements Callable<Integer> {

	private static final Duration LONG = Duration.ofSeconds(3);

	/** Maximum time of a search or a window. */
	private static final Duration LONGEST = Duration.ofDays(365);

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Mixin
	@SuppressWarnings("NullAway.Init")
	private Inputs inputs;

	@Mixin
	@SuppressWarnings("NullAway.Init")
	private Terms terms;

	@Option(names = "--solver", paramLabel = "NAME", defaultValue = VicinalSolver.NAME,
			description = "vicinal (default), spread, binpack, first-fit-affinity, paper-knapsack, node-knapsack, shift-swap-replace; exact where its jar is on the class path")
	@SuppressWarnings("NullAway.Init")
	private String solver;

	@Option(names = "--time", paramLabel = "TIME", defaultValue = "2s", converter = DurationConverter.class,
			description = "how long to search: 500ms, 2s, 1m (default ${DEFAULT-VALUE})")
	@SuppressWarnings("NullAway.Init")
	private Duration time;

	@Option(names = "--iterations", paramLabel = "N",
			description = "search for this number of iterations instead: same seed, same plan")
	private @Nullable Long iterations;

	@Option(names = "--seed", paramLabel = "N", defaultValue = "1",
			description = "decides all random choices (default ${DEFAULT-VALUE})")
	private long seed;

	@Option(names = "--routing", paramLabel = "uniform|local",
			description = "how calls choose among replicas (default: what the model says, or uniform)")
	private @Nullable String routing;

	@Option(names = "--weights", paramLabel = "C,U[,M[,H]]",
			description = "weights of traffic, imbalance, moves and used hosts (default: what the model says, or 1,0,0,0)")
	private @Nullable String weights;

	@Option(names = "--max-moves", paramLabel = "N",
			description = "the most replicas that may leave the host they run on now (default: no limit)")
	private @Nullable Integer maxMoves;

	@Mixin
	@SuppressWarnings("NullAway.Init")
	private Outputs outputs;

	@Option(names = "--application", paramLabel = "NAME=FILE",
			description = "jar, pom.xml, bill of materials or Dockerfile of a service; says which services may share a JVM")
	private List<String> applications = List.of();

	@Option(names = "--accept", paramLabel = "RULE", split = ",",
			description = "findings of this rule of copackage keep no services apart, such as jvm-wide-call")
	private List<String> accepted = List.of();

	@Option(names = "--port", paramLabel = "NAME=PORT",
			description = "the port that a service gets where it shares a JVM (default: what its files say)")
	private Map<String, Integer> ports = new LinkedHashMap<>();

	@Option(names = "--saved-mib", paramLabel = "MIB", defaultValue = "" + JvmSharing.DEFAULT_SAVED_MIB,
			description = "memory that a service saves if it is not the first of its JVM (default: ${DEFAULT-VALUE})")
	private long savedMib;

	@Option(names = "--explain",
			description = "say what keeps the heaviest traffic between hosts there, and where the figures of what services need come from")
	private boolean explain;

	@Option(names = "--quiet", description = "no assignment and no progress, only the summary")
	private boolean quiet;

	@Override
	public Integer call() throws IOException {
		PrintWriter out = this.spec.commandLine().getOut();
		PlacementSolver chosen = solver();
		int moves = (this.maxMoves != null) ? this.maxMoves : -1;
		if (this.maxMoves != null && this.maxMoves < 0) {
			throw usage(
					"--max-moves is %d; it must be at least 0, or be left out for no limit".formatted(this.maxMoves));
		}
		if (this.iterations != null && this.iterations < 1) {
			throw usage("--iterations is %d; it must be at least 1".formatted(this.iterations));
		}
		this.outputs.check();
		PlacementModel model = objective(this.terms.of(this.inputs.read()));
		Budget budget = (this.iterations != null) ? Budget.ofIterations(this.iterations, this.seed)
				: Budget.ofTime(this.time, this.seed);
		Recommendation found = new Recommender(chosen, MovePolicy.defaults(), merges(model)).recommend(model, moves,
				budget, progress());
		Summary.verdict(found, out);
		if (!this.quiet) {
			Summary.assignment(model, found, out);
		}
		Summary.print(model, found, out);
		if (this.explain) {
			Explanation.print(model, found, out);
		}
		out.flush();
		this.outputs.write(model, found);
		return (found.action() == Recommendation.Action.NONE) ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
	}

	private PlacementSolver solver() {
		try {
			return Solvers.named(this.solver);
		}
		catch (IllegalArgumentException ex) {
			return exact().orElseThrow(() -> usage(String.valueOf(ex.getMessage())));
		}
	}

	private Optional<ExactSolver> exact() {
		try {
			return ServiceLoader.load(ExactSolver.class)
				.stream()
				.map(ServiceLoader.Provider::get)
				.filter((one) -> one.name().equals(this.solver))
				.findFirst();
		}
		catch (ServiceConfigurationError | LinkageError ex) {
			throw usage("The solver '%s' cannot be loaded (%s): put it and its libraries beside the command line's own"
				.formatted(this.solver, ex.getMessage()));
		}
	}

	private PlacementModel objective(PlacementModel model) {
		Objective objective = model.objective();
		if (this.routing != null) {
			objective = objective.with(Routing.of(this.routing));
		}
		if (this.weights != null) {
			List<Double> given = new ArrayList<>();
			for (String weight : this.weights.split(",", -1)) {
				try {
					given.add(Double.parseDouble(weight));
				}
				catch (NumberFormatException ex) {
					throw usage("--weights has '%s', which is not a number".formatted(weight));
				}
			}
			if (given.size() > 4) {
				throw usage("--weights has %d numbers; there are four weights".formatted(given.size()));
			}
			while (given.size() < 4) {
				given.add(0.0);
			}
			objective = objective.weighted(given.get(0), given.get(1), given.get(2), given.get(3));
		}
		return objective.equals(model.objective()) ? model : model.with(objective);
	}

	private CommandLine.ParameterException usage(String message) {
		return new CommandLine.ParameterException(this.spec.commandLine(), message);
	}

	/** Reports progress on the error stream, so that the output carries results only. */
	private Progress progress() {
		if (this.quiet || (this.iterations == null && this.time.compareTo(LONG) <= 0)) {
			return Progress.none();
		}
		PrintWriter err = this.spec.commandLine().getErr();
		return new Progress() {

			private long nextMillis = 1000;

			@Override
			public boolean report(Duration elapsed, long iterations, Value best) {
				if (elapsed.toMillis() >= this.nextMillis) {
					this.nextMillis = elapsed.toMillis() + 1000;
					err.printf(Locale.ROOT, "%4d s: objective %.6f, traffic %.3f %%%s%n", elapsed.toSeconds(),
							best.objective(), 100 * best.communication(), best.feasible() ? "" : ", does not fit yet");
					err.flush();
				}
				return true;
			}

		};
	}

	/** Reads durations as people write them. */
	static final class DurationConverter implements ITypeConverter<Duration> {

		private static final Pattern SIMPLE = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

		@Override
		public Duration convert(String text) {
			Matcher matcher = SIMPLE.matcher(text);
			Duration duration = null;
			if (matcher.matches()) {
				long count = Long.parseLong(matcher.group(1));
				duration = switch (matcher.group(2)) {
					case "ms" -> Duration.ofMillis(count);
					case "s" -> Duration.ofSeconds(count);
					case "m" -> Duration.ofMinutes(count);
					case "h" -> Duration.ofHours(count);
					default -> Duration.ofDays(count);
				};
			}
			else {
				try {
					duration = Duration.parse(text);
				}
				catch (DateTimeParseException ex) {
					// Said below.
				}
			}
			if (duration == null || duration.isNegative() || duration.isZero()) {
				throw new TypeConversionException("'%s' is not a time such as 500ms, 2s, 1m or 1h".formatted(text));
			}
			if (duration.compareTo(LONGEST) > 0) {
				throw new TypeConversionException("'%s' is longer than %d days".formatted(text, LONGEST.toDays()));
			}
			return duration;
		}

	}

	private MergeChecker merges(PlacementModel model) throws IOException {
		this.ports.forEach((name, port) -> {
			if (this.applications.stream().noneMatch((each) -> each.startsWith(name + "="))) {
				throw usage("--port names '%s', which no --application describes".formatted(name));
			}
			if (port < 0 || port > 65_535) {
				throw usage("--port %s=%d: a port is from 0 to 65535".formatted(name, port));
			}
		});
		if (this.applications.isEmpty()) {
			for (String option : List.of("--accept", "--saved-mib")) {
				if (this.spec.commandLine().getParseResult().hasMatchedOption(option)) {
					throw usage("%s is for files of services; add --application NAME=FILE, or leave it out"
						.formatted(option));
				}
			}
			return MergeChecker.none();
		}
		List<Inventory> read = Inventories.read(this.applications);
		for (Inventory each : read) {
			if (!model.serviceIndex().containsKey(each.name())) {
				throw usage("--application names '%s', which is not among the services %s".formatted(each.name(),
						model.serviceIndex().keySet()));
			}
		}
		return new CopackageMergeChecker(read, this.ports, ConflictChecker.accepting(this.accepted), this.savedMib);
	}

}
