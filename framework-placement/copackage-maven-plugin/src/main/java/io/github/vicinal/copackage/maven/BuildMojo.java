package io.github.vicinal.copackage.maven;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.copackage.Hoist;
import io.github.vicinal.copackage.Inventory;
import io.github.vicinal.copackage.LayoutBuilder;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Lays out applications for one JVM, if they may share it.
 *
 * @since 0.1.0
 */
@Mojo(name = "build", defaultPhase = LifecyclePhase.PACKAGE, threadSafe = true)
public final class BuildMojo extends AbstractCopackageMojo {

	/** Directory to which the layout is written. */
	@Parameter(property = "copackage.output", defaultValue = "${project.build.directory}/copackaged", required = true)
	private @Nullable File outputDirectory;

	/**
	 * Libraries that are loaded once: {@code none}, {@code stateless} or {@code known}.
	 */
	@Parameter(property = "copackage.hoist", defaultValue = "stateless")
	private String hoist = "stateless";

	/** Creates the goal; Maven does. */
	public BuildMojo() {
	}

	@Override
	void run(List<Inventory> inventories) throws IOException, MojoExecutionException, MojoFailureException {
		Hoist mode = hoist(this.hoist);
		check(inventories, (pair) -> pair.verdict().oneJvm());
		if (this.outputDirectory == null) {
			throw new IllegalStateException("Maven has not set up the goal");
		}
		new LayoutBuilder(arguments(), mode).build(inventories, this.outputDirectory.toPath());
		getLog().info("%d applications for one JVM in %s".formatted(inventories.size(), this.outputDirectory));
	}

	private static Hoist hoist(String text) throws MojoExecutionException {
		try {
			return Hoist.valueOf(text.strip().toUpperCase(Locale.ROOT));
		}
		catch (IllegalArgumentException ex) {
			throw new MojoExecutionException("<hoist> is '%s'; it is one of none, stateless, known".formatted(text));
		}
	}

	private Map<String, List<String>> arguments() {
		Map<String, List<String>> all = new LinkedHashMap<>();
		for (Application each : applications()) {
			List<String> given = new ArrayList<>(each.arguments());
			if (each.port() != null) {
				given.add(0, "--server.port=" + each.port());
			}
			all.put(String.valueOf(each.name()), given);
		}
		return all;
	}

}
