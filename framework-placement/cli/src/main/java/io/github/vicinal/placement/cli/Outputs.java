package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.RecommendationJson;

/** Files that a plan is written to. */
final class Outputs {

	@Option(names = "--json", paramLabel = "OUT", description = "write the recommendation to this file, too")
	private @Nullable Path json;

	@Option(names = "--model-out", paramLabel = "OUT", description = "write the model with its traffic to this file")
	private @Nullable Path model;

	@Option(names = "--svg", paramLabel = "OUT", description = "draw the services to this file")
	private @Nullable Path svg;

	@Option(names = "--figure", paramLabel = "hosts|graph|annotated", defaultValue = "hosts",
			description = "what --svg draws: services on their hosts, who calls whom, or that with weights (default ${DEFAULT-VALUE})")
	@SuppressWarnings("NullAway.Init")
	private Figure.Kind figure;

	@Option(names = "--dot", paramLabel = "OUT", description = "write the services and their hosts for Graphviz")
	private @Nullable Path dot;

	@Option(names = "--compose-override", paramLabel = "OUT",
			description = "write a docker-compose override that places services by node.hostname")
	private @Nullable Path override;

	void write(PlacementModel model, Recommendation found) throws IOException {
		if (this.json != null) {
			write(this.json, new RecommendationJson().write(found) + System.lineSeparator());
		}
		if (this.model != null) {
			write(this.model, new ModelJson().write(model) + System.lineSeparator());
		}
		if (this.svg != null) {
			write(this.svg, Figure.svg(this.figure, model, found));
		}
		if (this.dot != null) {
			write(this.dot, Figure.dot(model, found));
		}
		if (this.override != null) {
			write(this.override, ComposeOverride.of(model, found));
		}
	}

	/** The file is there as a whole or not at all. */
	private static void write(Path file, String text) throws IOException {
		Path directory = file.toAbsolutePath().getParent();
		if (directory == null || !Files.isDirectory(directory)) {
			throw new IOException("the directory of " + file + " does not exist");
		}
		Path part = Files.createTempFile(directory, ".placement", ".part");
		try {
			Files.writeString(part, text);
			Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
		}
		finally {
			Files.deleteIfExists(part);
		}
	}

}
