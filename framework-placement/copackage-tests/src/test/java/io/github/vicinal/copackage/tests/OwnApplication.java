package io.github.vicinal.copackage.tests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * An executable jar with the libraries of a test application, and classes whose source is
 * in a test. Its main class is {@code own.Main}.
 */
final class OwnApplication {

	private static final String CLASSES = "BOOT-INF/classes";

	private static final String LIBRARIES = "BOOT-INF/lib";

	private final Path base;

	private final Map<String, String> sources = new LinkedHashMap<>();

	private final Map<String, String> resources = new LinkedHashMap<>();

	private final Map<String, String> beside = new LinkedHashMap<>();

	private final List<Path> libraries = new ArrayList<>();

	private final List<String> removed = new ArrayList<>();

	private final Map<String, String> attributes = new LinkedHashMap<>();

	private int classFileVersion;

	private OwnApplication(Path base) {
		this.base = base;
	}

	static OwnApplication withLibrariesOf(String name) {
		return new OwnApplication(RunningLayout.jar(name));
	}

	/** Adds the class {@code own.Main}, of which only the body is given. */
	OwnApplication main(String body) {
		return source("Main", """
				package own;

				import java.io.*;
				import java.net.*;
				import java.util.*;
				import java.util.concurrent.*;
				import org.springframework.beans.factory.annotation.*;
				import org.springframework.boot.*;
				import org.springframework.boot.autoconfigure.*;
				import org.springframework.context.annotation.*;
				import org.springframework.web.bind.annotation.*;

				@SpringBootApplication
				@RestController
				public class Main {
				""" + body + "\n}\n");
	}

	/** Adds a class of the package {@code own}. */
	OwnApplication source(String type, String text) {
		this.sources.put(type, text);
		return this;
	}

	/** Adds a file of the class path, or replaces one of the test application. */
	OwnApplication resource(String path, String text) {
		this.resources.put(path, text);
		return this;
	}

	/** Adds a file where Spring Boot's plugin leaves those of {@code META-INF}. */
	OwnApplication beside(String path, String text) {
		this.beside.put(path, text);
		return this;
	}

	/** Adds a library from the class path of the test, by the beginning of its name. */
	OwnApplication library(String name) {
		this.libraries.add(RunningLayout.library(name));
		return this;
	}

	/** Leaves out libraries of the test application whose names begin so. */
	OwnApplication without(String... names) {
		this.removed.addAll(List.of(names));
		return this;
	}

	OwnApplication attribute(String name, String value) {
		this.attributes.put(name, value);
		return this;
	}

	/** Claims a version of Java for the classes. */
	OwnApplication classFileVersion(int version) {
		this.classFileVersion = version;
		return this;
	}

	Path write(Path directory, String name) throws IOException {
		Path work = Files.createDirectories(directory.resolve(name + "-work"));
		Path classes = compile(work);
		Path jar = Files.copy(this.base, directory.resolve(name + ".jar"));
		try (FileSystem target = FileSystems.newFileSystem(jar, Map.of("compressionMethod", "STORED"))) {
			Path own = target.getPath(CLASSES);
			delete(own.resolve("io"));
			copy(classes, own);
			write(this.resources, own);
			write(this.beside, target.getPath("/"));
			Path there = target.getPath(LIBRARIES);
			for (Path each : list(there)) {
				if (isRemoved(each)) {
					Files.delete(each);
				}
			}
			for (Path each : this.libraries) {
				Files.copy(each, there.resolve(each.getFileName().toString()));
			}
			manifest(target.getPath("META-INF/MANIFEST.MF"));
		}
		return jar;
	}

	private boolean isRemoved(Path library) {
		return this.removed.stream().anyMatch(library.getFileName().toString()::startsWith);
	}

	private static List<Path> list(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.toList();
		}
	}

	private static void write(Map<String, String> files, Path directory) throws IOException {
		for (Map.Entry<String, String> each : files.entrySet()) {
			Path file = directory.resolve(each.getKey());
			Files.createDirectories(file.getParent());
			Files.writeString(file, each.getValue());
		}
	}

	private void manifest(Path file) throws IOException {
		Manifest manifest;
		try (InputStream in = Files.newInputStream(file)) {
			manifest = new Manifest(in);
		}
		manifest.getMainAttributes().put(new Attributes.Name("Start-Class"), "own.Main");
		this.attributes.forEach((name, value) -> manifest.getMainAttributes().put(new Attributes.Name(name), value));
		try (OutputStream out = Files.newOutputStream(file)) {
			manifest.write(out);
		}
	}

	private Path compile(Path work) throws IOException {
		List<String> classPath = new ArrayList<>();
		try (FileSystem source = FileSystems.newFileSystem(this.base)) {
			Path there = Files.createDirectories(work.resolve("lib"));
			for (Path each : list(source.getPath(LIBRARIES))) {
				if (!isRemoved(each)) {
					Path copy = Files.copy(each, there.resolve(each.getFileName().toString()));
					classPath.add(copy.toString());
				}
			}
		}
		this.libraries.forEach((each) -> classPath.add(each.toString()));
		List<Path> files = new ArrayList<>();
		for (Map.Entry<String, String> each : this.sources.entrySet()) {
			files.add(Files.writeString(work.resolve(each.getKey() + ".java"), each.getValue()));
		}
		Path classes = Files.createDirectories(work.resolve("classes"));
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter said = new StringWriter();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
			List<String> options = List.of("-d", classes.toString(), "-cp",
					String.join(java.io.File.pathSeparator, classPath), "-parameters", "-proc:none", "--release", "17");
			if (!compiler.getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
				.call()) {
				throw new IllegalStateException(said.toString());
			}
		}
		return classes;
	}

	private void copy(Path from, Path to) throws IOException {
		try (Stream<Path> files = Files.walk(from)) {
			for (Path each : (Iterable<Path>) files::iterator) {
				Path target = to.resolve(from.relativize(each).toString());
				if (Files.isDirectory(each)) {
					Files.createDirectories(target);
				}
				else {
					byte[] bytes = Files.readAllBytes(each);
					bytes[7] = (this.classFileVersion > 0) ? (byte) this.classFileVersion : bytes[7];
					Files.write(target, bytes);
				}
			}
		}
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
				Files.delete(each);
			}
		}
	}

}
