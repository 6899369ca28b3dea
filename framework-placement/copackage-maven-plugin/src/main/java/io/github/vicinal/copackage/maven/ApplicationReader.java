package io.github.vicinal.copackage.maven;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.copackage.Inventories;
import io.github.vicinal.copackage.Inventory;
import io.github.vicinal.copackage.Library;
import io.github.vicinal.launcher.Layout;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.DefaultProjectBuildingRequest;
import org.apache.maven.project.MavenProject;
import org.apache.maven.project.ProjectBuilder;
import org.apache.maven.project.ProjectBuildingException;
import org.apache.maven.project.ProjectBuildingRequest;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;
import org.jspecify.annotations.Nullable;

/** Finds out what belongs to an application, from what Maven knows. */
final class ApplicationReader {

	private static final Set<String> RUNTIME = Set.of(Artifact.SCOPE_COMPILE, Artifact.SCOPE_RUNTIME);

	private static final String BOOT = "org.springframework.boot:spring-boot";

	private final MavenSession session;

	private final ProjectBuilder projects;

	private final RepositorySystem repositories;

	ApplicationReader(MavenSession session, ProjectBuilder projects, RepositorySystem repositories) {
		this.session = session;
		this.projects = projects;
		this.repositories = repositories;
	}

	Inventory read(Application application) throws MojoExecutionException, IOException {
		String name = application.name();
		if (name == null || name.isBlank()) {
			throw new MojoExecutionException("An <application> has no <name>; each needs one");
		}
		if (!name.matches(Layout.NAME)) {
			throw new MojoExecutionException(
					"'%s' is no <name> of an application; use letters, digits, '.', '-' and '_'".formatted(name));
		}
		List<String> files = new ArrayList<>();
		List<File> poms = new ArrayList<>();
		if (application.file() != null) {
			files.add(name + "=" + application.file());
		}
		if (application.artifact() != null) {
			files.add(name + "=" + resolve(name, application.artifact()));
		}
		if (application.module() != null) {
			MavenProject module = module(name, application.module());
			File jar = executableJar(module);
			if (jar != null) {
				files.add(name + "=" + jar);
			}
			poms.add(module.getFile());
		}
		if (application.pom() != null) {
			poms.add(application.pom());
		}
		if (application.dockerfile() != null) {
			files.add(name + "=" + application.dockerfile());
		}
		if (files.isEmpty() && poms.isEmpty()) {
			throw new MojoExecutionException(
					"The application '%s' has no source; give <module>, <artifact>, <file> or <pom>".formatted(name));
		}
		Inventory inventory = null;
		for (Inventory each : files.isEmpty() ? List.<Inventory>of() : Inventories.read(files)) {
			inventory = (inventory != null) ? inventory.and(each) : each;
		}
		for (File pom : poms) {
			Inventory tree = tree(name, pom);
			inventory = (inventory != null) ? inventory.and(tree) : tree;
		}
		if (inventory == null) {
			throw new IllegalStateException(name);
		}
		inventory = inventory.withArguments(application.arguments());
		Integer port = application.port();
		return (port != null) ? inventory.with(Map.of("server.port", port.toString())) : inventory;
	}

	private MavenProject module(String name, String coordinates) throws MojoExecutionException {
		for (MavenProject each : this.session.getProjects()) {
			if (coordinates.equals(each.getGroupId() + ":" + each.getArtifactId())) {
				return each;
			}
		}
		throw new MojoExecutionException(
				"The module '%s' of '%s' is not part of this build; there are %s. Name one of them, or give its <artifact>"
					.formatted(coordinates, name,
							this.session.getProjects()
								.stream()
								.map((each) -> each.getGroupId() + ":" + each.getArtifactId())
								.toList()));
	}

	/**
	 * Jar that the plugin of Spring Boot has made of a module, if it is packaged already.
	 */
	private static @Nullable File executableJar(MavenProject module) throws IOException {
		List<Artifact> candidates = new ArrayList<>(module.getAttachedArtifacts());
		candidates.add(module.getArtifact());
		for (Artifact each : candidates) {
			File file = each.getFile();
			if (file != null && file.isFile() && file.getName().endsWith(".jar")
					&& Inventories.isExecutable(file.toPath())) {
				return file;
			}
		}
		return null;
	}

	private File resolve(String name, String coordinates) throws MojoExecutionException {
		try {
			ArtifactRequest request = new ArtifactRequest(new DefaultArtifact(coordinates),
					this.session.getCurrentProject().getRemoteProjectRepositories(), null);
			return this.repositories.resolveArtifact(this.session.getRepositorySession(), request)
				.getArtifact()
				.getFile();
		}
		catch (IllegalArgumentException ex) {
			throw new MojoExecutionException(
					"'%s', the <artifact> of '%s', is not groupId:artifactId[:extension[:classifier]]:version"
						.formatted(coordinates, name),
					ex);
		}
		catch (ArtifactResolutionException ex) {
			throw new MojoExecutionException(
					"The artifact '%s' of '%s' is not found: %s".formatted(coordinates, name, ex.getMessage()), ex);
		}
	}

	/** The dependencies that Maven would package. */
	private Inventory tree(String name, File pom) throws MojoExecutionException {
		ProjectBuildingRequest request = new DefaultProjectBuildingRequest(this.session.getProjectBuildingRequest());
		request.setResolveDependencies(true);
		request.setProject(null);
		MavenProject project;
		try {
			project = this.projects.build(pom, request).getProject();
		}
		catch (ProjectBuildingException ex) {
			throw new MojoExecutionException(
					"The dependencies of '%s' cannot be resolved from '%s': %s".formatted(name, pom, ex.getMessage()),
					ex);
		}
		List<Library> libraries = new ArrayList<>();
		String boot = "";
		for (Artifact each : project.getArtifacts()) {
			if (RUNTIME.contains(each.getScope())) {
				String coordinates = each.getGroupId() + ":" + each.getArtifactId();
				libraries.add(new Library(coordinates, each.getBaseVersion(), "", "", 0));
				boot = coordinates.equals(BOOT) ? each.getBaseVersion() : boot;
			}
		}
		return Inventory.of(name, boot, java(project), libraries);
	}

	private static int java(MavenProject project) {
		for (String property : List.of("maven.compiler.release", "java.version", "maven.compiler.target")) {
			String value = project.getProperties().getProperty(property, "").replaceFirst("^1\\.", "");
			if (value.matches("\\d{1,3}")) {
				return Integer.parseInt(value);
			}
		}
		return 0;
	}

}
