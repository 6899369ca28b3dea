package io.github.vicinal.placement.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.RecommendationJson;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

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

	@Option(names = "--override-moves", paramLabel = "all|worthwhile|N",
			description = "moves that the override makes: all, the first ones that are worth making, or the first N (default all)")
	private @Nullable String overrideMoves;

	/** Refuses what could not be written, before a search. */
	void check() throws IOException {
		String moves = this.overrideMoves;
		if (moves != null && !moves.matches("all|worthwhile|[0-9]{1,9}")) {
			throw new InvalidModelException(
					"--override-moves is '%s'; it is all, worthwhile or a number".formatted(moves));
		}
		if (moves != null && this.override == null) {
			throw new InvalidModelException(
					"--override-moves is for an override; add --compose-override OUT, or leave it out");
		}
		Map<Path, String> options = new LinkedHashMap<>();
		option(options, "--json", this.json);
		option(options, "--model-out", this.model);
		option(options, "--svg", this.svg);
		option(options, "--dot", this.dot);
		option(options, "--compose-override", this.override);
	}

	/** Two options must not name one file, since one text would be lost. */
	private static void option(Map<Path, String> options, String name, @Nullable Path file) throws IOException {
		if (file != null && !isWrittenInPlace(file)) {
			directory(name + " ", file);
		}
		String other = (file != null) ? options.put(file.toAbsolutePath().normalize(), name) : null;
		if (other != null) {
			throw new InvalidModelException(
					"%s and %s name one file, '%s'; write them into two".formatted(other, name, file));
		}
	}

	private int moves(Recommendation found) {
		int all = found.moves().size();
		String moves = Objects.requireNonNullElse(this.overrideMoves, "all");
		return switch (moves) {
			case "all" -> all;
			case "worthwhile" -> found.worthwhileMoves();
			default -> Math.min(all, Integer.parseInt(moves));
		};
	}

	/** Makes all texts before the first file, so that an error leaves nothing behind. */
	void write(PlacementModel model, Recommendation found) throws IOException {
		Map<Path, String> texts = new LinkedHashMap<>();
		if (this.json != null) {
			texts.put(this.json, new RecommendationJson().write(found) + System.lineSeparator());
		}
		if (this.model != null) {
			texts.put(this.model, new ModelJson().write(model) + System.lineSeparator());
		}
		if (this.svg != null) {
			texts.put(this.svg, Figure.svg(this.figure, model, found));
		}
		if (this.dot != null) {
			texts.put(this.dot, Figure.dot(model, found));
		}
		if (this.override != null) {
			texts.put(this.override, ComposeOverride.of(model, found, moves(found)));
		}
		Map<Path, Path> parts = new LinkedHashMap<>();
		try {
			for (Map.Entry<Path, String> text : texts.entrySet()) {
				Path file = text.getKey();
				if (!isWrittenInPlace(file)) {
					Path part = part(file);
					parts.put(file, part);
					write(part, text.getValue(), file);
				}
			}
			for (Map.Entry<Path, Path> part : parts.entrySet()) {
				Files.move(part.getValue(), part.getKey(), StandardCopyOption.REPLACE_EXISTING);
			}
		}
		finally {
			for (Path part : parts.values()) {
				Files.deleteIfExists(part);
			}
		}
		for (Map.Entry<Path, String> text : texts.entrySet()) {
			if (!parts.containsKey(text.getKey())) {
				write(text.getKey(), text.getValue(), text.getKey());
			}
		}
	}

	private static void write(Path to, String text, Path named) throws IOException {
		try {
			Files.writeString(to, text);
		}
		catch (IOException ex) {
			throw failed(named, ex);
		}
	}

	/** The system says what happened, and not where. */
	private static IOException failed(Path file, IOException ex) {
		String why = (ex instanceof FileSystemException) ? ex.getClass().getSimpleName()
				: String.valueOf(ex.getMessage());
		return new IOException(
				"'%s' cannot be written (%s); make room there, or choose another place".formatted(file, why), ex);
	}

	/**
	 * Whether something else than a file is there: a pipe, a device or a link, such as
	 * /dev/stdout, which a new file must not replace.
	 */
	private static boolean isWrittenInPlace(Path file) {
		return Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
				&& !Files.isDirectory(file);
	}

	private static Path directory(String option, Path file) throws IOException {
		Path directory = file.toAbsolutePath().normalize().getParent();
		if (directory == null || Files.isDirectory(file)) {
			throw new IOException("%s'%s' is a directory; give a file".formatted(option, file));
		}
		if (!Files.isDirectory(directory)) {
			throw new IOException("%s'%s': the directory '%s' does not exist; make it, or choose another place"
				.formatted(option, file, directory));
		}
		if (!Files.isWritable(directory)) {
			throw new AccessDeniedException(directory.toString());
		}
		return directory;
	}

	/**
	 * Makes a new file beside another one, which it will replace: each file is there as a
	 * whole or not at all. It has the other one's permissions, or those of any new file.
	 */
	private static Path part(Path file) throws IOException {
		Path part = directory("", file).resolve(".placement-" + UUID.randomUUID() + ".part");
		try {
			Files.createFile(part);
		}
		catch (IOException ex) {
			throw failed(file, ex);
		}
		PosixFileAttributeView to = Files.getFileAttributeView(part, PosixFileAttributeView.class);
		if (to != null && Files.exists(file)) {
			to.setPermissions(Files.getPosixFilePermissions(file));
		}
		return part;
	}

}
