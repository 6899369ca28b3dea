package io.github.vicinal.samples.trainticket.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

import io.github.vicinal.samples.trainticket.TrainTicket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServiceJarsTests {

	private static final String ROOT = "BOOT-INF/classes/io/github/vicinal/samples/trainticket/";

	@TempDir
	private Path directory;

	/** The jar of all services, without libraries. */
	private Path all() throws Exception {
		Path classes = Path.of(TrainTicket.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		Path jar = this.directory.resolve("all.jar");
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar));
				Stream<Path> files = Files.walk(classes)) {
			out.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
			out.write("Manifest-Version: 1.0\nStart-Class: a.B\n".getBytes(StandardCharsets.UTF_8));
			for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
				out.putNextEntry(new ZipEntry("BOOT-INF/classes/" + classes.relativize(file)));
				Files.copy(file, out);
			}
		}
		return jar;
	}

	private static Set<String> names(ZipFile jar) {
		Set<String> names = new TreeSet<>();
		jar.stream().map(ZipEntry::getName).forEach(names::add);
		return names;
	}

	@Test
	@DisplayName("a service has its own classes and the APIs that it calls")
	void ownClassesAndApis() throws Exception {
		Path written = new ServiceJars(all(), 18100).write(Service.TRAVEL, this.directory);
		try (ZipFile jar = new ZipFile(written.toFile())) {
			assertThat(names(jar))
				.contains(ROOT + "travel/TravelController.class", ROOT + "train/TrainApi.class",
						"BOOT-INF/classes/application.yml")
				.doesNotContain(ROOT + "train/TrainController.class", ROOT + "launch/Launcher.class",
						"BOOT-INF/classes/plans/two.yml");
			// Long lines are broken.
			assertThat(text(jar, "META-INF/MANIFEST.MF").replaceAll("\\R ", ""))
				.contains("Start-Class: io.github.vicinal.samples.trainticket.travel.TravelApplication");
			assertThat(text(jar, "BOOT-INF/classes/config/application.properties"))
				.contains("spring.application.name=travel", "server.port=18101")
				.contains("spring.http.serviceclient.train.base-url=http://localhost:18108");
		}
	}

	private static String text(ZipFile jar, String name) throws IOException {
		return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
	}

	@ParameterizedTest
	@EnumSource(Service.class)
	@DisplayName("no service has the application of another one, or code of the launcher")
	void nothingOfOthers(Service service) throws Exception {
		Path written = new ServiceJars(all(), 18100).write(service, this.directory);
		try (ZipFile jar = new ZipFile(written.toFile())) {
			assertThat(names(jar)).filteredOn((name) -> name.endsWith("Application.class"))
				.containsExactly("BOOT-INF/classes/" + service.application().getName().replace('.', '/') + ".class");
			assertThat(names(jar)).noneMatch((name) -> name.startsWith(ROOT + "launch/"));
		}
	}

}
