package io.github.vicinal.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LayoutReaderTests {

	private static final String GOOD = """
			{"format": "vicinal-copackage", "version": 1, "shared": ["a.jar"], "applications": [
			  {"name": "one", "mainClass": "x.Main", "classPath": ["a.jar"], "arguments": ["--a=b"],
			   "systemProperties": {"c": "d"}, "startAfter": ["two"], "startTimeoutSeconds": 5, "essential": true},
			  {"name": "two", "mainClass": "y.Main", "classPath": []}]}
			""";

	@TempDir
	private Path directory;

	@BeforeEach
	void jar() throws IOException {
		Files.createFile(this.directory.resolve("a.jar"));
	}

	private Layout read(String json) {
		return new LayoutReader(this.directory).read(json);
	}

	@Test
	void readsAllThatAnApplicationHas() {
		Layout layout = read(GOOD);
		Layout.Application one = layout.applications().get(0);
		assertThat(one.arguments()).containsExactly("--a=b");
		assertThat(one.systemProperties()).containsEntry("c", "d");
		assertThat(one.startTimeout()).hasSeconds(5);
		assertThat(one.essential()).isTrue();
		assertThat(layout.inOrder()).extracting(Layout.Application::name).containsExactly("two", "one");
	}

	@Test
	void errorsAreNamed() {
		refused(GOOD.replace("\"version\": 1", "\"version\": 2"), "version '2'");
		refused(GOOD.replace("\"essential\"", "\"esential\""), "unknown member 'esential'");
		refused(GOOD.replace("\"classPath\": [\"a.jar\"]", "\"classPath\": [\"../a.jar\"]"), "outside the layout");
		refused(GOOD.replace("\"classPath\": [\"a.jar\"]", "\"classPath\": [\"/etc/passwd\"]"), "outside the layout");
		refused(GOOD.replace("\"classPath\": [\"a.jar\"]", "\"classPath\": [\"b.jar\"]"), "not there");
		refused(GOOD.replace("\"startTimeoutSeconds\": 5", "\"startTimeoutSeconds\": 0"), "startTimeoutSeconds is 0");
		refused(GOOD.replace("\"name\": \"two\"", "\"name\": \"one\""), "Two applications are called 'one'");
		refused(GOOD.replace("[\"two\"]", "[\"three\"]"), "'one' starts after 'three'");
		refused(GOOD.replace("\"name\": \"two\"", "\"name\": \"a/b\""), "'a/b' is no name");
		refused(GOOD.replace("\"essential\": true", "\"essential\": \"true\""), "applications[0].essential is true");
		refused(GOOD.replace("{\"c\": \"d\"}", "[\"c=d\"]"), "applications[0].systemProperties is [c=d]");
		refused(GOOD.replace("{\"c\": \"d\"}", "{\"c\": null}"), "systemProperties holds null");
		refused(GOOD.replace("\"a.jar\"", "\"a\\u0000.jar\""), "which is no path");
		refused(GOOD.replace("\"name\": \"two\"", "\"name\": \"..\""), "'..' is no name");
		refused(GOOD.replace("\"startTimeoutSeconds\": 5", "\"startTimeoutSeconds\": 5, \"startTimeoutSeconds\": 6"),
				"member 'startTimeoutSeconds' is there twice");
		refused("[]", "the layout is []");
		refused("{", "no JSON");
		refused("", "empty");
	}

	private void refused(String json, String part) {
		assertThatExceptionOfType(InvalidLayoutException.class).isThrownBy(() -> read(json))
			.withMessageContaining(part);
	}

	@Test
	void filesThatAreNoTextAreNamed() throws IOException {
		Files.write(this.directory.resolve(Layout.FILE), new byte[] { '{', (byte) 0xff, '}' });
		assertThatExceptionOfType(InvalidLayoutException.class)
			.isThrownBy(() -> new LayoutReader(this.directory).read())
			.withMessageContaining(Layout.FILE)
			.withMessageContaining("is no text in UTF-8");
	}

	@Test
	void thoseThatWaitForEachOtherAreRefused() {
		Layout layout = read(GOOD.replace("\"classPath\": []", "\"classPath\": [], \"startAfter\": [\"one\"]"));
		assertThatExceptionOfType(InvalidLayoutException.class).isThrownBy(layout::inOrder)
			.withMessageContaining("[one, two] wait for each other");
	}

	@Test
	void damagedFilesEndInAnErrorOfOurs() {
		Random random = new Random(3);
		for (int i = 0; i < 5000; i++) {
			StringBuilder damaged = new StringBuilder(GOOD);
			for (int k = 0; k <= i % 5; k++) {
				damaged.setCharAt(random.nextInt(damaged.length()), (char) (32 + random.nextInt(95)));
			}
			damaged.setLength(random.nextInt(10) == 0 ? random.nextInt(damaged.length()) : damaged.length());
			try {
				assertThat(read(damaged.toString()).applications()).isNotEmpty();
			}
			catch (InvalidLayoutException ex) {
				assertThat(ex.getMessage()).isNotBlank();
			}
		}
	}

}
