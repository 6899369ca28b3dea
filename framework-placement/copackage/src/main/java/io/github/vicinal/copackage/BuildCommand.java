package io.github.vicinal.copackage;

import java.io.IOException;
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
@Command(name = "build", mixinStandardHelpOptions = true, versionProvider = CopackageCli.Version.class,
		description = { "Lays out applications for one JVM, in the order of their start, or for one container.",
				"Their own jars are not changed." })
final class BuildCommand implements Callable<Integer> {

	/** Characters of an instruction that are shown. */
	private static final int LONGEST = 100;

	@Mixin
	private final Selection selection = new Selection();

	@Option(names = { "-o", "--output" }, required = true, paramLabel = "DIRECTORY", description = "where to")
	private Path output = Path.of("");

	@Option(names = "--processes",
			description = "one container with a process for each application, instead of one JVM; needs their Dockerfiles")
	private boolean processes;

	@Option(names = "--oci",
			description = "an OCI image layout with the applications for one JVM, instead of a directory")
	private boolean oci;

	@Option(names = "--base", paramLabel = "LAYOUT[:TAG]",
			description = "a local OCI image layout with a JDK, which the image is built on; without it, the image has no Java")
	private @Nullable String base;

	@Option(names = "--platform", paramLabel = "OS/ARCHITECTURE", description = "of the image; default: linux/amd64")
	private String platform = "linux/amd64";

	@Option(names = "--tag", paramLabel = "TAG", description = "name of the image in its layout; default: latest")
	private String tag = "latest";

	@Mixin
	private final Hoisted hoisted = new Hoisted();

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws Exception {
		PrintWriter out = out();
		if (this.processes && this.oci) {
			throw new InvalidInputException("--processes and --oci are both given; an image runs one JVM");
		}
		if (!this.oci && this.base != null) {
			throw new InvalidInputException(
					"--base '%s' is given without --oci; only an image has a base".formatted(this.base));
		}
		List<Inventory> inventories = this.selection.inventories();
		if (!mayBeTogether(inventories, out)) {
			return CommandLine.ExitCode.SOFTWARE;
		}
		if (this.processes) {
			mayHaveOneBase(inventories);
			MergedContainer.write(inventories, this.selection.arguments(), this.output);
			out.printf("%d applications for one container in %s%n", inventories.size(), this.output);
			inventories.forEach((each) -> sayWhatIsMissing(each, out));
		}
		else if (this.oci) {
			image(inventories, out);
		}
		else {
			layOut(inventories, this.output, out);
			out.printf("%d applications for one JVM in %s%nRun them%s: java -jar %s%n", inventories.size(), this.output,
					newerJava(inventories), this.output.resolve("launcher/vicinal-launcher.jar"));
		}
		out.flush();
		return CommandLine.ExitCode.OK;
	}

	/**
	 * Looks at what the container of several processes has once.
	 * @throws InvalidInputException if its user or its Java is not for all of them, and
	 * that is not accepted
	 */
	private void mayHaveOneBase(List<Inventory> inventories) {
		ConflictChecker checker = this.selection.checker();
		Inventory first = inventories.get(0);
		for (Inventory each : inventories) {
			String user = user(first);
			if (!user.equals(user(each)) && !checker.accepts(Finding.Rule.USER)) {
				throw new InvalidInputException(
						"'%s' runs as %s and '%s' as %s, and a container has one user; name one in both Dockerfiles, or let all run as %s with --accept user"
							.formatted(first.name(), user, each.name(), user(each), user));
			}
		}
		ImageJava java = ImageJava.of(first.container());
		JavaNeed need = JavaNeed.of(inventories);
		if (java.version() > 0 && java.version() < need.version() && !checker.accepts(Finding.Rule.JAVA)) {
			throw new InvalidInputException(
					"The image of '%s', which is the first and the base of all, has %s, and %s; name the application with the newest Java first, or, if its image has another one, --accept java"
						.formatted(first.name(), java, need));
		}
	}

	private static void sayWhatIsMissing(Inventory inventory, PrintWriter out) {
		Container container = inventory.container();
		if (container != null && !container.others().isEmpty()) {
			out.printf("The Dockerfile of '%s' says more; add by hand what is needed:%n", inventory.name());
			container.others()
				.forEach((line) -> out.printf("  %s%n",
						(line.length() > LONGEST) ? line.substring(0, LONGEST) + "..." : line));
		}
	}

	private static String user(Inventory inventory) {
		Container container = inventory.container();
		return (container == null || container.user().isEmpty()) ? "the user of its image"
				: "'" + container.user() + "'";
	}

	private void layOut(List<Inventory> inventories, Path directory, PrintWriter out) throws IOException {
		Map<String, String> kept = new LayoutBuilder(this.selection.arguments(), this.hoisted.mode()).build(inventories,
				directory, this.output);
		this.hoisted.print(inventories, kept, out);
	}

	private void image(List<Inventory> inventories, PrintWriter out) throws IOException {
		OciImage image = new OciImage(this.base, this.platform, this.tag);
		String java = java(inventories);
		try (WorkDirectory work = WorkDirectory.beside(this.output.toAbsolutePath().normalize())) {
			layOut(inventories, work.path().resolve("layout"), out);
			image.write(work.path().resolve("layout"), inventories, this.output);
		}
		out.printf("%d applications for one JVM in the image oci:%s:%s%s%n", inventories.size(), this.output, this.tag,
				java);
	}

	/**
	 * Compares the Java of the base with that which is needed.
	 * @return what is to be said of it; empty if it is new enough
	 * @throws InvalidInputException if it is too old, and that is not accepted
	 */
	private String java(List<Inventory> inventories) throws IOException {
		JavaNeed need = JavaNeed.of(inventories);
		String name = this.base;
		if (need.version() == 0) {
			return "";
		}
		if (name == null) {
			return ", without Java: it needs %d or newer".formatted(need.version());
		}
		int java = OciBase.read(name, this.platform).java();
		if (java == 0) {
			return "; '%s' does not say which Java it has (JAVA_VERSION), and the image needs %d or newer"
				.formatted(name, need.version());
		}
		if (java < need.version() && !this.selection.checker().accepts(Finding.Rule.JAVA)) {
			throw new InvalidInputException(
					"'%s' has Java %d, and %s; take a base with that or a newer one, or, if its JAVA_VERSION is wrong, --accept java"
						.formatted(name, java, need));
		}
		return "";
	}

	/** What runs this command is likely to run the layout, too. */
	private static String newerJava(List<Inventory> inventories) {
		JavaNeed need = JavaNeed.of(inventories);
		return (need.version() > Runtime.version().feature())
				? " with Java %d or newer (%s)".formatted(need.version(), need) : "";
	}

	private PrintWriter out() {
		CommandSpec command = this.spec;
		return (command != null) ? command.commandLine().getOut()
				: new PrintWriter(System.out, true, StandardCharsets.UTF_8);
	}

	private boolean mayBeTogether(List<Inventory> inventories, PrintWriter out) {
		ConflictChecker checker = this.selection.checker();
		List<PairReport> reports = checker.pairs(inventories);
		GroupReport group = checker.group(inventories, reports);
		if (mayBe(group.verdict())) {
			return true;
		}
		List<PairReport> refused = reports.stream().filter((each) -> !mayBe(each.verdict())).toList();
		out.print(ReportText.table(refused, group));
		out.printf("%nNothing was written: these may not share a %s%n", this.processes ? "container" : "JVM");
		out.flush();
		return false;
	}

	private boolean mayBe(Verdict verdict) {
		return this.processes ? verdict != Verdict.FORBIDDEN : verdict.oneJvm();
	}

}
