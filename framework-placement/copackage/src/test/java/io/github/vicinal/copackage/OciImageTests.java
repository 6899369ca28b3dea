package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Images are read back as a container engine reads them. */
class OciImageTests {

	private static final String PLATFORM = "linux/amd64";

	@TempDir
	private Path directory;

	private Path layout;

	private List<Inventory> inventories;

	@BeforeEach
	void build() throws IOException {
		List<String> files = new ArrayList<>();
		for (String name : List.of("one", "two")) {
			Path jar = TestJar.boot()
				.library("common", "1", Map.of("state/Cache.class", TestJar.stateful("state/Cache")))
				.resource("application.properties", "server.port=" + (name.equals("one") ? 7001 : 7002))
				.ownClass(
						name + "/a/package/with/a/name/that/needs/more/than/one/hundred/characters/in/the/archive/Main",
						TestJar.type("Main", name))
				.write(this.directory, name);
			Path dockerfile = Files.writeString(this.directory.resolve(name + ".dockerfile"),
					"FROM eclipse-temurin:21-jre\nUSER 1001\nENV MODE=prod NAME_OF_%1$s=$MODE-1 OF=%1$s PATH=/opt:$PATH\nVOLUME /data/%1$s\n"
						.formatted(name));
			files.addAll(List.of(name + "=" + jar, name + "=" + dockerfile));
		}
		this.inventories = Inventories.read(files);
		this.layout = this.directory.resolve("layout");
		new LayoutBuilder(Map.of("one", List.of("--a=b")), Hoist.STATELESS).build(this.inventories, this.layout);
	}

	private Path write(String name, String base) throws IOException {
		Path image = this.directory.resolve(name);
		new OciImage(base, PLATFORM, "latest").write(this.layout, this.inventories, image);
		return image;
	}

	private static JsonNode json(Path file) throws IOException {
		return JsonMapper.builder().build().readTree(Files.readAllBytes(file));
	}

	/** The blob of a descriptor, whose digest and size are right. */
	private static Path blob(Path image, JsonNode descriptor) throws IOException {
		Path file = image.resolve("blobs").resolve(descriptor.path("digest").asString().replace(':', '/'));
		assertThat(descriptor.path("size").asLong()).isEqualTo(Files.size(file));
		assertThat(descriptor.path("digest").asString())
			.isEqualTo("sha256:" + BootJar.sha256(Files.readAllBytes(file)));
		return file;
	}

	/** Files and their content, as all layers together give them. */
	private Map<String, byte[]> files(Path image, JsonNode manifest) throws IOException {
		Map<String, byte[]> files = new TreeMap<>();
		for (JsonNode layer : manifest.path("layers")) {
			byte[] tar = Files.readAllBytes(blob(image, layer));
			int position = 0;
			while (tar[position] != 0) {
				String prefix = text(tar, position + 345, 155);
				String name = (prefix.isEmpty() ? "" : prefix + "/") + text(tar, position, 100);
				int size = Integer.parseInt(text(tar, position + 124, 11), 8);
				assertThat(text(tar, position + 108, 7)).isEqualTo("%07o".formatted(1001));
				byte[] content = new byte[size];
				System.arraycopy(tar, position + 512, content, 0, size);
				files.put(name, content);
				position += 512 + (size + 511) / 512 * 512;
			}
		}
		return files;
	}

	private static String text(byte[] bytes, int offset, int length) {
		return new String(bytes, offset, length, StandardCharsets.UTF_8).replaceFirst("\0.*", "");
	}

	@Test
	void imageHoldsTheLayoutInLayers() throws IOException {
		Path image = write("image", null);
		assertThat(json(image.resolve("oci-layout")).path("imageLayoutVersion").asString()).isEqualTo("1.0.0");
		JsonNode entry = json(image.resolve("index.json")).path("manifests").get(0);
		assertThat(entry.path("annotations").path("org.opencontainers.image.ref.name").asString()).isEqualTo("latest");
		JsonNode manifest = json(blob(image, entry));
		JsonNode config = json(blob(image, manifest.path("config")));
		assertThat(manifest.path("layers").size()).isEqualTo(2 + 2 + 1);
		List<String> ids = new ArrayList<>();
		config.path("rootfs").path("diff_ids").forEach((each) -> ids.add(each.asString()));
		List<String> digests = new ArrayList<>();
		manifest.path("layers").forEach((each) -> digests.add(each.path("digest").asString()));
		assertThat(ids).isEqualTo(digests);
		assertThat(config.path("config").path("Entrypoint").toString())
			.isEqualTo("[\"java\",\"-jar\",\"/applications/launcher/vicinal-launcher.jar\"]");
		assertThat(config.path("config").path("User").asString()).isEqualTo("1001");
		assertThat(config.path("config").path("ExposedPorts").propertyNames()).containsExactlyInAnyOrder("7001/tcp",
				"7002/tcp");
		assertThat(config.path("config").path("Env").toString())
			.isEqualTo("[\"MODE=prod\",\"NAME_OF_one=prod-1\",\"NAME_OF_two=prod-1\"]");
		assertThat(config.path("config").path("Volumes").propertyNames()).containsExactlyInAnyOrder("/data/one",
				"/data/two");
		Map<String, byte[]> files = files(image, manifest);
		try (Stream<Path> walk = Files.walk(this.layout)) {
			for (Path file : (Iterable<Path>) walk.filter(Files::isRegularFile)::iterator) {
				assertThat(files).containsEntry("applications/" + this.layout.relativize(file),
						Files.readAllBytes(file));
			}
		}
	}

	@Test
	void theSameInputGivesTheSameDigest() throws IOException {
		assertThat(Files.readString(write("first", null).resolve("index.json")))
			.isEqualTo(Files.readString(write("second", null).resolve("index.json")));
	}

	/** A jar that is packed anew bears no time of its build. */
	@Test
	void theSameInputGivesTheSameLauncher() throws IOException {
		try (JarFile jar = new JarFile(this.layout.resolve("launcher/vicinal-launcher.jar").toFile())) {
			assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class")).isNotNull();
			assertThat(jar.stream().map(JarEntry::getTimeLocal).distinct()).hasSize(1)
				.allSatisfy((time) -> assertThat(time).isBefore(LocalDateTime.of(2000, 1, 1, 0, 0)));
		}
	}

	/** Docker does not run them again for an image that is built on this one. */
	@Test
	void instructionsForTheNextBuildDoNotStay() throws IOException {
		Path base = write("base", null);
		JsonNode entry = json(base.resolve("index.json")).path("manifests").get(0);
		ObjectNode manifest = (ObjectNode) json(blob(base, entry));
		ObjectNode config = (ObjectNode) json(blob(base, manifest.path("config")));
		config.withObject("/config").putArray("OnBuild").add("RUN x");
		config.remove("history");
		manifest.set("config", added(base, config));
		ObjectNode index = (ObjectNode) json(base.resolve("index.json"));
		ObjectNode changed = (ObjectNode) index.path("manifests").get(0);
		changed.setAll(added(base, manifest));
		Files.writeString(base.resolve("index.json"), index.toString());
		Path image = write("image", base.toString());
		JsonNode built = json(blob(image,
				json(blob(image, json(image.resolve("index.json")).path("manifests").get(0))).path("config")));
		assertThat(built.path("config").has("OnBuild")).isFalse();
		// It has one for each layer, or none.
		assertThat(built.has("history")).isFalse();
	}

	private static ObjectNode added(Path image, JsonNode content) throws IOException {
		byte[] bytes = content.toString().getBytes(StandardCharsets.UTF_8);
		String digest = BootJar.sha256(bytes);
		Files.write(image.resolve("blobs/sha256").resolve(digest), bytes);
		return JsonMapper.builder()
			.build()
			.createObjectNode()
			.put("digest", "sha256:" + digest)
			.put("size", bytes.length);
	}

	/** An image of this kind serves as a base, too. */
	@Test
	void layersOfTheBaseAreBelow() throws IOException {
		Path base = write("base", null);
		JsonNode below = json(blob(base, json(base.resolve("index.json")).path("manifests").get(0)));
		Path image = write("image", base + ":latest");
		JsonNode manifest = json(blob(image, json(image.resolve("index.json")).path("manifests").get(0)));
		assertThat(manifest.path("layers").size()).isEqualTo(10);
		for (int i = 0; i < 5; i++) {
			assertThat(manifest.path("layers").get(i).path("digest"))
				.isEqualTo(below.path("layers").get(i).path("digest"));
		}
		assertThat(files(image, manifest)).isNotEmpty();
		assertThat(json(blob(image, manifest.path("config"))).path("config").path("Env").size()).isEqualTo(3);
		assertThat(json(blob(image, manifest.path("config"))).path("rootfs").path("diff_ids").size()).isEqualTo(10);
	}

	@Test
	void aFileThatIsNoBaseIsNamed() throws IOException {
		Path base = write("base", null);
		refused(this.directory.toString(), "is no OCI image layout");
		refused(base + ":other", "has no image 'other' for linux/amd64; it has [latest]");
		assertThatExceptionOfType(InvalidInputException.class)
			.isThrownBy(() -> new OciImage(null, PLATFORM, "latest").write(this.layout, this.inventories, base))
			.withMessageContaining("is there already");
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> new OciImage(null, "x", "latest"));
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> new OciImage(null, PLATFORM, "a b"));
		String index = Files.readString(base.resolve("index.json"));
		Files.writeString(base.resolve("index.json"), index.replaceAll("sha256:[0-9a-f]+", "sha256:../../etc/passwd"));
		refused(base.toString(), "which is no digest of SHA-256");
		Files.writeString(base.resolve("index.json"), index);
		Path manifest = blob(base, json(base.resolve("index.json")).path("manifests").get(0));
		Files.writeString(manifest, Files.readString(manifest) + " ");
		refused(base.toString(), "has other bytes than its name says");
		assertThat(this.directory.resolve("image")).doesNotExist();
	}

	private void refused(String base, String message) {
		assertThatExceptionOfType(InvalidInputException.class).isThrownBy(() -> write("image", base))
			.withMessageContaining(message);
	}

	/** Whatever the files of a base hold, it is used or refused. */
	@Test
	void damagedBasesEndInAnErrorThatNamesThem() throws IOException {
		Path base = write("base", null);
		byte[] index = Files.readAllBytes(base.resolve("index.json"));
		Random random = new Random(18);
		for (int i = 0; i < 300; i++) {
			byte[] damaged = index.clone();
			for (int k = 0; k < 1 + random.nextInt(4); k++) {
				damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(128);
			}
			Files.write(base.resolve("index.json"), damaged);
			try {
				OciBase.read(base.toString(), PLATFORM);
			}
			catch (InvalidInputException ex) {
				assertThat(ex).hasMessageContaining(base.toString());
			}
		}
	}

	/** Programs that know the format find nothing wrong. */
	@Test
	void otherProgramsReadIt() throws IOException, InterruptedException {
		assumeThat(List.of(Path.of("/usr/bin/skopeo"), Path.of("/usr/bin/umoci"))).as("skopeo and umoci are installed")
			.allMatch(Files::isExecutable);
		Path image = write("image", null);
		assertThat(run("skopeo", "inspect", "--config", "oci:" + image + ":latest")).contains("vicinal-launcher.jar");
		run("skopeo", "copy", "oci:" + image + ":latest", "oci:" + this.directory.resolve("copy") + ":copied");
		run("umoci", "unpack", "--rootless", "--image", image + ":latest", this.directory.resolve("bundle").toString());
		Path unpacked = this.directory.resolve("bundle/rootfs/applications/copackage.json");
		assertThat(unpacked).hasSameTextualContentAs(this.layout.resolve("copackage.json"));
	}

	private static String run(String... line) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
		String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(said).isZero();
		return said;
	}

}
