package io.github.vicinal.copackage.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import javax.inject.Inject;

import io.github.vicinal.copackage.ConflictChecker;
import io.github.vicinal.copackage.InvalidInputException;
import io.github.vicinal.copackage.Inventory;
import io.github.vicinal.copackage.PairReport;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.ProjectBuilder;
import org.eclipse.aether.RepositorySystem;
import org.jspecify.annotations.Nullable;

/** Common part of both goals: the applications, and the accepted findings. */
abstract class AbstractCopackageMojo extends AbstractMojo {

	/**
	 * The applications, at least two, in the order of their start. Each has a
	 * {@code name} and one or more of: {@code module} (groupId:artifactId in this build),
	 * {@code artifact} (coordinates of its executable jar), {@code file} (a jar or a bill
	 * of materials), {@code pom} (its effective dependencies are read) and
	 * {@code dockerfile}; also {@code port} and {@code arguments}.
	 */
	@Parameter(required = true)
	private List<Application> applications = new ArrayList<>();

	/** Rules whose findings stand in nobody's way, such as {@code jvm-wide-call}. */
	@Parameter(property = "copackage.accept")
	private List<String> accept = new ArrayList<>();

	/** File to which the report is written as JSON. */
	@Parameter(property = "copackage.report", defaultValue = "${project.build.directory}/copackage-report.json")
	private @Nullable File report;

	/** Does nothing if {@code true}. */
	@Parameter(property = "copackage.skip", defaultValue = "false")
	private boolean skip;

	@Parameter(defaultValue = "${session}", readonly = true, required = true)
	private @Nullable MavenSession session;

	@Inject
	private @Nullable ProjectBuilder projects;

	@Inject
	private @Nullable RepositorySystem repositories;

	@Override
	public final void execute() throws MojoExecutionException, MojoFailureException {
		if (this.skip) {
			getLog().info("copackage is skipped");
			return;
		}
		try {
			run(read());
		}
		catch (InvalidInputException ex) {
			throw new MojoExecutionException(ex.getMessage(), ex);
		}
		catch (IOException ex) {
			throw new MojoExecutionException("A file cannot be read or written: " + ex.getMessage(), ex);
		}
	}

	abstract void run(List<Inventory> inventories) throws IOException, MojoExecutionException, MojoFailureException;

	List<Application> applications() {
		return this.applications;
	}

	private List<Inventory> read() throws MojoExecutionException, IOException {
		if (this.applications.size() < 2) {
			throw new MojoExecutionException("<applications> names %d; one application alone has no conflicts"
				.formatted(this.applications.size()));
		}
		if (this.session == null || this.projects == null || this.repositories == null) {
			throw new IllegalStateException("Maven has not set up the goal");
		}
		ApplicationReader reader = new ApplicationReader(this.session, this.projects, this.repositories);
		List<Inventory> inventories = new ArrayList<>();
		Set<String> names = new HashSet<>();
		for (Application each : this.applications) {
			Inventory inventory = reader.read(each);
			if (!names.add(inventory.name())) {
				throw new MojoExecutionException(
						"Two applications are called '%s'; each needs a <name> of its own".formatted(inventory.name()));
			}
			inventories.add(inventory);
		}
		return inventories;
	}

	/**
	 * Checks all pairs, and writes the report.
	 * @param allowed decides whether a pair is as close as it must be
	 * @throws MojoFailureException if a pair is not
	 */
	void check(List<Inventory> inventories, Predicate<PairReport> allowed) throws IOException, MojoFailureException {
		List<PairReport> pairs = ConflictChecker.accepting(this.accept).pairs(inventories);
		if (this.report != null) {
			Path file = this.report.toPath();
			Path directory = file.toAbsolutePath().getParent();
			if (directory != null) {
				Files.createDirectories(directory);
			}
			Files.writeString(file, PairReport.json(pairs));
		}
		PairReport.table(pairs).lines().forEach(getLog()::info);
		List<PairReport> refused = pairs.stream().filter(allowed.negate()).toList();
		if (!refused.isEmpty()) {
			throw new MojoFailureException(
					"These may not come as close as they should:%n%s".formatted(PairReport.table(refused)));
		}
	}

}
