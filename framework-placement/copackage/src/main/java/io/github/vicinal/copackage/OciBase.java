package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * An image of a local OCI layout, which another one is built on. What its files say is
 * checked: digests, sizes and media types.
 *
 * @param directory the layout
 * @param layers descriptors of its layers, the lowest first
 * @param config its configuration
 */
record OciBase(Path directory, List<JsonNode> layers, ObjectNode config) {

	private static final long MAX_JSON_BYTES = 4L << 20;

	private static final int MAX_NESTING = 3;

	private static final Pattern DIGEST = Pattern.compile("sha256:([0-9a-f]{64})");

	private static final String VERSION = "[a-zA-Z-]*(?:1\\.)?(\\d{1,3})(?!\\d)";

	/**
	 * Variables of images with a JDK, the surest first: 8u412, 1.8.0, 17.0.2,
	 * jdk-21.0.5+11; /usr/lib/jvm/java-17-amazon-corretto.
	 */
	private static final List<Pattern> JAVA = List.of(Pattern.compile("JAVA_VERSION=" + VERSION + ".*"),
			Pattern.compile("JAVA_HOME=.*/" + VERSION + "[^/]*/?"));

	private static final Set<String> INDEXES = Set.of("application/vnd.oci.image.index.v1+json",
			"application/vnd.docker.distribution.manifest.list.v2+json");

	private static final Set<String> MANIFESTS = Set.of("application/vnd.oci.image.manifest.v1+json",
			"application/vnd.docker.distribution.manifest.v2+json");

	/**
	 * Reads an image.
	 * @param layout the directory, which {@code :TAG} may follow
	 * @param platform such as {@code linux/amd64}
	 * @throws InvalidInputException if there is no such image
	 */
	static OciBase read(String layout, String platform) throws IOException {
		String tag = "";
		Path directory = Path.of(layout);
		if (!Files.isDirectory(directory) && layout.lastIndexOf(':') > 0) {
			tag = layout.substring(layout.lastIndexOf(':') + 1);
			directory = Path.of(layout.substring(0, layout.lastIndexOf(':')));
		}
		if (!Files.isRegularFile(directory.resolve("oci-layout"))) {
			throw new InvalidInputException(
					"'%s' is no OCI image layout: it has no file 'oci-layout'; make one with 'skopeo copy docker://IMAGE oci:DIRECTORY:TAG'"
						.formatted(directory));
		}
		JsonNode manifest = manifest(directory, json(directory.resolve("index.json")), tag, platform, 0);
		JsonNode config = blob(directory, manifest.path("config"));
		if (!(config instanceof ObjectNode object)) {
			throw new InvalidInputException("The configuration of the image in '%s' is no object".formatted(directory));
		}
		List<JsonNode> layers = new ArrayList<>();
		manifest.path("layers").forEach(layers::add);
		if (layers.size() != config.path("rootfs").path("diff_ids").size()) {
			throw new InvalidInputException("The image in '%s' has %d layers, and its configuration names %d"
				.formatted(directory, layers.size(), config.path("rootfs").path("diff_ids").size()));
		}
		return new OciBase(directory, layers, object);
	}

	/** Returns the Java version that its variables name; 0 if they name none. */
	int java() {
		for (Pattern pattern : JAVA) {
			for (JsonNode each : this.config.path("config").path("Env")) {
				Matcher matcher = pattern.matcher(each.asString(""));
				if (matcher.matches()) {
					return Integer.parseInt(matcher.group(1));
				}
			}
		}
		return 0;
	}

	private static JsonNode manifest(Path directory, JsonNode index, String tag, String platform, int depth)
			throws IOException {
		List<String> seen = new ArrayList<>();
		for (JsonNode each : index.path("manifests")) {
			String name = each.path("annotations").path("org.opencontainers.image.ref.name").asString("");
			JsonNode its = each.path("platform");
			String of = its.isMissingNode() ? platform
					: its.path("os").asString("") + "/" + its.path("architecture").asString("");
			seen.add(name.isEmpty() ? of : name);
			if ((!tag.isEmpty() && !name.equals(tag)) || !of.equals(platform)) {
				continue;
			}
			String type = each.path("mediaType").asString("");
			if (MANIFESTS.contains(type)) {
				return blob(directory, each);
			}
			if (INDEXES.contains(type) && depth < MAX_NESTING) {
				return manifest(directory, blob(directory, each), "", platform, depth + 1);
			}
		}
		throw new InvalidInputException("'%s' has no image%s for %s; it has %s".formatted(directory,
				tag.isEmpty() ? "" : " '" + tag + "'", platform, seen));
	}

	private static JsonNode blob(Path directory, JsonNode descriptor) throws IOException {
		Path file = file(directory, descriptor);
		byte[] bytes = bytes(file);
		if (!BootJar.sha256(bytes).equals(file.getFileName().toString())) {
			throw new InvalidInputException("'%s' has other bytes than its name says".formatted(file));
		}
		return tree(file, bytes);
	}

	/** The file of a blob: its digest is never taken for a path. */
	static Path file(Path directory, JsonNode descriptor) {
		String digest = descriptor.path("digest").asString("");
		Matcher matcher = DIGEST.matcher(digest);
		if (!matcher.matches()) {
			throw new InvalidInputException(
					"'%s' names a blob '%s', which is no digest of SHA-256".formatted(directory, digest));
		}
		Path file = directory.resolve("blobs/sha256").resolve(matcher.group(1));
		if (!Files.isRegularFile(file)) {
			throw new InvalidInputException(
					"'%s' lacks the blob '%s'; copy the image again".formatted(directory, digest));
		}
		return file;
	}

	private static JsonNode json(Path file) throws IOException {
		return tree(file, bytes(file));
	}

	private static byte[] bytes(Path file) throws IOException {
		if (Files.size(file) > MAX_JSON_BYTES) {
			throw new InvalidInputException("'%s' has more than %d bytes".formatted(file, MAX_JSON_BYTES));
		}
		return Files.readAllBytes(file);
	}

	private static JsonNode tree(Path file, byte[] bytes) {
		try {
			return JsonMapper.builder().build().readTree(bytes);
		}
		catch (JacksonException ex) {
			throw new InvalidInputException("'%s' is no JSON: %s".formatted(file,
					String.valueOf(ex.getOriginalMessage()).replaceFirst(" \\(start marker .*", "")));
		}
	}

}
