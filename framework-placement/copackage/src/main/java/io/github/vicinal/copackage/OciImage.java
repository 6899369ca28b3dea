package io.github.vicinal.copackage;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.launcher.Layout;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes applications that are laid out for one JVM as an OCI image layout. What changes
 * least is lowest: the launcher and what is shared, then libraries, then a layer for each
 * application, then {@code copackage.json}. The same input gives the same digests.
 *
 * @since 0.1.0
 */
final class OciImage {

	private static final String HOME = "applications";

	private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

	private static final String CONFIG = "application/vnd.oci.image.config.v1+json";

	private static final String LAYER = "application/vnd.oci.image.layer.v1.tar";

	private static final String DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip";

	private final JsonMapper mapper = JsonMapper.builder().build();

	private final @Nullable String base;

	private final String platform;

	private final String tag;

	/**
	 * Creates a writer.
	 * @param base a local OCI image layout, which {@code :TAG} may follow, with a JDK; or
	 * {@code null} for an image of the applications alone
	 * @param platform such as {@code linux/amd64}
	 * @param tag name of the image in its layout
	 */
	OciImage(@Nullable String base, String platform, String tag) {
		if (!platform.matches("[a-z0-9]+/[a-z0-9_]+")) {
			throw new InvalidInputException("'%s' is no platform; write one such as linux/amd64".formatted(platform));
		}
		if (!tag.matches("[\\w][\\w.-]{0,127}")) {
			throw new InvalidInputException("'%s' is no tag; use letters, digits, '.', '-' and '_'".formatted(tag));
		}
		this.base = base;
		this.platform = platform;
		this.tag = tag;
	}

	/**
	 * Writes an image. It appears as a whole or not at all.
	 * @param layout what {@link LayoutBuilder} has written
	 * @param inventories its applications
	 * @param directory a directory that does not exist
	 * @throws IOException if it cannot be written
	 * @throws InvalidInputException if the directory exists, or the base cannot be used
	 */
	public void write(Path layout, List<Inventory> inventories, Path directory) throws IOException {
		Path target = directory.toAbsolutePath().normalize();
		if (Files.exists(target)) {
			throw new InvalidInputException(
					"'%s' is there already; name a directory that does not exist".formatted(directory));
		}
		OciBase below = (this.base != null) ? OciBase.read(this.base, this.platform) : null;
		try (WorkDirectory work = WorkDirectory.beside(target)) {
			new Writing(work.path(), below, user(inventories)).write(layout, inventories);
			Files.move(work.path(), target);
		}
		catch (IOException ex) {
			throw WorkDirectory.unwritten(directory, ex);
		}
	}

	/** The user that all Dockerfiles name; empty for that of the base. */
	private static String user(List<Inventory> inventories) {
		Set<String> users = new LinkedHashSet<>();
		inventories.forEach((each) -> {
			Container container = each.container();
			users.add((container != null) ? container.user() : "");
		});
		return (users.size() == 1) ? users.iterator().next() : "";
	}

	/** The blobs of one image. */
	private final class Writing {

		private final Path work;

		private final Path blobs;

		private final @Nullable OciBase below;

		private final String user;

		private final ArrayNode layers = OciImage.this.mapper.createArrayNode();

		private final List<String> diffIds = new ArrayList<>();

		private final List<String> history = new ArrayList<>();

		Writing(Path work, @Nullable OciBase below, String user) throws IOException {
			this.work = work;
			this.blobs = Files.createDirectories(work.resolve("blobs/sha256"));
			this.below = below;
			this.user = user;
		}

		void write(Path layout, List<Inventory> inventories) throws IOException {
			if (this.below != null) {
				for (JsonNode each : this.below.layers()) {
					this.layers.add(copy(this.below, each));
				}
			}
			layer("launcher and shared libraries", (tar) -> {
				tar.directories(HOME);
				tar.tree(layout.resolve("launcher"), HOME + "/launcher");
				tar.tree(layout.resolve("shared"), HOME + "/shared");
			});
			layer("libraries", (tar) -> tar.tree(layout.resolve("lib"), HOME + "/lib"));
			for (Inventory each : inventories) {
				String path = "apps/" + each.name();
				layer(each.name(), (tar) -> {
					tar.directories(HOME + "/apps");
					tar.tree(layout.resolve(path), HOME + "/" + path);
				});
			}
			layer(Layout.FILE, (tar) -> tar.file(layout.resolve(Layout.FILE), HOME + "/" + Layout.FILE));
			ObjectNode manifest = OciImage.this.mapper.createObjectNode();
			manifest.put("schemaVersion", 2).put("mediaType", MANIFEST);
			manifest.set("config", blob(config(inventories), CONFIG));
			manifest.set("layers", this.layers);
			ObjectNode index = OciImage.this.mapper.createObjectNode();
			index.put("schemaVersion", 2).put("mediaType", "application/vnd.oci.image.index.v1+json");
			ObjectNode descriptor = blob(manifest, MANIFEST);
			String[] parts = OciImage.this.platform.split("/", -1);
			descriptor.putObject("platform").put("architecture", parts[1]).put("os", parts[0]);
			descriptor.putObject("annotations").put("org.opencontainers.image.ref.name", OciImage.this.tag);
			index.putArray("manifests").add(descriptor);
			Files.writeString(this.work.resolve("index.json"), OciImage.this.mapper.writeValueAsString(index));
			Files.writeString(this.work.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
		}

		private ObjectNode config(List<Inventory> inventories) {
			ObjectNode config = (this.below != null) ? this.below.config().deepCopy()
					: OciImage.this.mapper.createObjectNode();
			String[] parts = OciImage.this.platform.split("/", -1);
			config.put("architecture", parts[1]).put("os", parts[0]);
			ObjectNode run = config.withObject("/config");
			run.putArray("Entrypoint").add("java").add("-jar").add("/" + HOME + "/launcher/vicinal-launcher.jar");
			run.remove("Cmd");
			// A build on the base runs these, and hands them on to nobody.
			run.remove("OnBuild");
			run.put("WorkingDir", "/" + HOME);
			if (!this.user.isEmpty()) {
				run.put("User", this.user);
			}
			environment(run, inventories);
			Set<Integer> ports = new LinkedHashSet<>();
			inventories.forEach((each) -> ports.addAll(ConflictChecker.ports(each)));
			ports.forEach((port) -> run.withObject("/ExposedPorts").putObject(port + "/tcp"));
			ObjectNode rootfs = config.withObject("/rootfs");
			rootfs.put("type", "layers");
			ArrayNode ids = rootfs.withArray("/diff_ids");
			this.diffIds.forEach(ids::add);
			// Programs expect an entry for each layer, or none.
			if (this.below == null || config.has("history")) {
				ArrayNode past = config.withArray("/history");
				this.history.forEach((each) -> past.addObject().put("created_by", "copackage build: " + each));
			}
			return config;
		}

		/**
		 * Adds variables and volumes of the Dockerfiles to those of the base. What they
		 * say differently, and was accepted, is left out.
		 */
		private void environment(ObjectNode run, List<Inventory> inventories) {
			Map<String, String> variables = new LinkedHashMap<>();
			run.path("Env").forEach((each) -> {
				String[] parts = each.asString("").split("=", 2);
				variables.put(parts[0], (parts.length == 2) ? parts[1] : "");
			});
			EnvironmentClashes.common(inventories).forEach(variables::put);
			if (!variables.isEmpty()) {
				ArrayNode array = run.putArray("Env");
				variables.forEach((name, value) -> array.add(name + "=" + value));
			}
			for (Inventory each : inventories) {
				Container container = each.container();
				if (container != null) {
					new TreeSet<>(container.volumes())
						.forEach((volume) -> run.withObject("/Volumes").putObject(volume));
				}
			}
		}

		private void layer(String what, Content content) throws IOException {
			Path file = this.work.resolve("layer.tar");
			// The user that runs it creates the socket for commands beside it.
			int owner = this.user.matches("\\d{1,6}(:\\d+)?") ? Integer.parseInt(this.user.split(":", 2)[0]) : 0;
			try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file));
					TarWriter tar = new TarWriter(out, owner)) {
				content.write(tar);
			}
			String digest = digest(file);
			ObjectNode descriptor = descriptor(LAYER, digest, Files.size(file));
			Files.move(file, this.blobs.resolve(digest), StandardCopyOption.REPLACE_EXISTING);
			this.layers.add(descriptor);
			this.diffIds.add("sha256:" + digest);
			this.history.add(what);
		}

		private ObjectNode blob(ObjectNode value, String type) throws IOException {
			byte[] bytes = OciImage.this.mapper.writeValueAsString(value).getBytes(StandardCharsets.UTF_8);
			String digest = BootJar.sha256(bytes);
			Files.write(this.blobs.resolve(digest), bytes);
			return descriptor(type, digest, bytes.length);
		}

		private ObjectNode descriptor(String type, String digest, long size) {
			return OciImage.this.mapper.createObjectNode()
				.put("mediaType", type)
				.put("digest", "sha256:" + digest)
				.put("size", size);
		}

		/** Copies a layer of the base, and checks its bytes on the way. */
		private ObjectNode copy(OciBase from, JsonNode descriptor) throws IOException {
			Path source = OciBase.file(from.directory(), descriptor);
			String digest = source.getFileName().toString();
			Path copy = this.blobs.resolve(digest);
			Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING);
			if (!digest(copy).equals(digest)) {
				throw new InvalidInputException("'%s' has other bytes than its name says".formatted(source));
			}
			String type = descriptor.path("mediaType").asString("");
			return descriptor(type.equals(DOCKER_LAYER) ? LAYER + "+gzip" : type, digest, Files.size(copy));
		}

	}

	private static String digest(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new UncheckedIOException(new IOException(ex));
		}
	}

	/** Content of a layer. */
	@FunctionalInterface
	private interface Content {

		void write(TarWriter tar) throws IOException;

	}

}
