package io.github.vicinal.copackage.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One application, as the configuration of the plugin describes it. Maven sets the
 * fields.
 *
 * @since 0.1.0
 */
public final class Application {

	/** Name of the application, and prefix of its output. */
	private @Nullable String name;

	/** {@code groupId:artifactId} of a module of this build. */
	private @Nullable String module;

	/** {@code groupId:artifactId[:extension[:classifier]]:version} of its jar. */
	private @Nullable String artifact;

	/** Its jar, or a bill of materials. */
	private @Nullable File file;

	/** Its pom, of which the effective dependencies are read. */
	private @Nullable File pom;

	/** Its Dockerfile. */
	private @Nullable File dockerfile;

	/** The port that it gets. */
	private @Nullable Integer port;

	/** Arguments of its main method. */
	private List<String> arguments = new ArrayList<>();

	/** Creates an application; Maven does. */
	public Application() {
	}

	@Nullable String name() {
		return this.name;
	}

	@Nullable String module() {
		return this.module;
	}

	@Nullable String artifact() {
		return this.artifact;
	}

	@Nullable File file() {
		return this.file;
	}

	@Nullable File pom() {
		return this.pom;
	}

	@Nullable File dockerfile() {
		return this.dockerfile;
	}

	@Nullable Integer port() {
		return this.port;
	}

	List<String> arguments() {
		return this.arguments;
	}

}
