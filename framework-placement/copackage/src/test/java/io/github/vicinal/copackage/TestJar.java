package io.github.vicinal.copackage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Makes executable jars of Spring Boot that hold what a test needs, and nothing else. */
final class TestJar {

	private final Map<String, byte[]> entries = new LinkedHashMap<>();

	private String boot = "4.1.1";

	private String launcher = "launcher";

	private String start = "app.Main";

	private String attributes = "";

	static TestJar boot() {
		TestJar jar = new TestJar();
		return jar.library("spring-boot", "4.1.1");
	}

	TestJar bootVersion(String version) {
		this.boot = version;
		return this;
	}

	/** Names the class that starts the application. */
	TestJar launcher(String type) {
		this.launcher = type;
		return this;
	}

	/** Names the class that the launcher starts. */
	TestJar start(String type) {
		this.start = type;
		return this;
	}

	/** Adds an attribute of the manifest. */
	TestJar attribute(String name, String value) {
		this.attributes += name + ": " + value + "\n";
		return this;
	}

	TestJar entry(String path, byte[] bytes) {
		this.entries.put(path, bytes);
		return this;
	}

	TestJar resource(String path, String text) {
		return entry("BOOT-INF/classes/" + path, text.getBytes(StandardCharsets.UTF_8));
	}

	TestJar ownClass(String name, byte[] bytes) {
		return entry("BOOT-INF/classes/" + name + ".class", bytes);
	}

	/** A library with one class that is the same for the same version. */
	TestJar library(String artifact, String version) {
		return library(artifact, version, Map.of("lib/" + artifact.replace('-', '_') + "/Lib.class",
				type("lib/" + artifact.replace('-', '_') + "/Lib", version)));
	}

	TestJar library(String artifact, String version, Map<String, byte[]> content) {
		return entry("BOOT-INF/lib/%s-%s.jar".formatted(artifact, version), zip(content));
	}

	/** A class of which the source is given. */
	static byte[] compiled(Path directory, String name, String source) throws IOException {
		Path file = directory.resolve(name + ".java");
		Path target = directory.resolve(name.replace('.', '/') + ".class");
		SimpleJavaFileObject given = new SimpleJavaFileObject(file.toUri(), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source;
			}

			@Override
			public boolean isNameCompatible(String simpleName, Kind kind) {
				return true;
			}

		};
		boolean done = ToolProvider.getSystemJavaCompiler()
			.getTask(null, null, null, List.of("-d", directory.toString(), "--release", "17"), null, List.of(given))
			.call();
		if (!done) {
			throw new IllegalArgumentException(source);
		}
		return Files.readAllBytes(target);
	}

	/** A class with a constant, so that its bytes depend on it. */
	static byte[] type(String name, String constant) {
		return type(name, Opcodes.V17, constant, null, null);
	}

	static byte[] javaVersion(String name, int java) {
		return type(name, 44 + java, "", null, null);
	}

	/** A class with a method that calls a static method. */
	static byte[] caller(String name, String owner, String method, String descriptor) {
		return type(name, Opcodes.V17, "", owner, method + descriptor);
	}

	private static byte[] type(String name, int version, String constant, String owner, String call) {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		writer.visit(version, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, "CONSTANT", "Ljava/lang/String;",
				null, constant);
		if (call != null) {
			int open = call.indexOf('(');
			MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "call", "()V", null,
					null);
			method.visitCode();
			if (call.charAt(open + 1) == 'I') {
				method.visitInsn(Opcodes.ICONST_1);
			}
			else if (call.charAt(open + 1) != ')') {
				method.visitInsn(Opcodes.ACONST_NULL);
			}
			method.visitMethodInsn(Opcodes.INVOKESTATIC, owner, call.substring(0, open), call.substring(open), false);
			method.visitInsn(Opcodes.RETURN);
			method.visitMaxs(0, 0);
			method.visitEnd();
		}
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with a method that calls static methods of one class. */
	static byte[] callers(String name, String owner, String... called) {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "call", "()V", null, null);
		method.visitCode();
		for (String each : called) {
			method.visitMethodInsn(Opcodes.INVOKESTATIC, owner, each, "()V", false);
		}
		method.visitInsn(Opcodes.RETURN);
		method.visitMaxs(0, 0);
		method.visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with static methods. */
	static byte[] methods(String name, String... methods) {
		return staticMethods(name, "java/lang/Object", methods);
	}

	static byte[] subclass(String name, String parent) {
		return staticMethods(name, parent);
	}

	private static byte[] staticMethods(String name, String parent, String... methods) {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, parent, null);
		for (String each : methods) {
			MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, each, "()V", null, null);
			method.visitCode();
			method.visitInsn(Opcodes.RETURN);
			method.visitMaxs(0, 0);
			method.visitEnd();
		}
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with a static field that never changes. */
	static byte[] constant(String name, String field) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, field, "L" + name + ";", null,
				null);
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with a method that reads a static field of another one. */
	static byte[] getter(String name, String owner, String field) {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "call", "()V", null, null);
		method.visitCode();
		method.visitFieldInsn(Opcodes.GETSTATIC, owner, field, "L" + owner + ";");
		method.visitInsn(Opcodes.POP);
		method.visitInsn(Opcodes.RETURN);
		method.visitMaxs(0, 0);
		method.visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** An enumeration with one constant, which has a field. */
	static byte[] enumeration(String name, int access, String field, String descriptor) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_ENUM, name, null,
				"java/lang/Enum", null);
		int constant = Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
		writer.visitField(constant | Opcodes.ACC_PUBLIC | Opcodes.ACC_ENUM, "INSTANCE", "L" + name + ";", null, null);
		writer.visitField(constant | Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC, "$VALUES", "[L" + name + ";", null,
				null);
		writer.visitField(access, field, descriptor, null, null);
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with a static field that its source does not have. */
	static byte[] generated(String name, String field) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC, field,
				"L" + name + ";", null, null);
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class that keeps something in a static field. */
	static byte[] stateful(String name) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitField(Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, "CACHE", "Ljava/util/Map;", null, null);
		writer.visitEnd();
		return writer.toByteArray();
	}

	/**
	 * A class with a static field and a static method that stores its argument there, or
	 * adds it to what is there.
	 */
	static byte[] setter(String name, String method, String field, String add) {
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitField(Opcodes.ACC_STATIC, "KEPT", field, null, null);
		MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, method, "(" + field + ")V",
				null, null);
		code.visitCode();
		if (add.isEmpty()) {
			code.visitVarInsn(Opcodes.ALOAD, 0);
			code.visitFieldInsn(Opcodes.PUTSTATIC, name, "KEPT", field);
		}
		else {
			code.visitFieldInsn(Opcodes.GETSTATIC, name, "KEPT", field);
			code.visitVarInsn(Opcodes.ALOAD, 0);
			code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, field.substring(1, field.length() - 1), add,
					"(Ljava/lang/Object;)V", false);
		}
		code.visitInsn(Opcodes.RETURN);
		code.visitMaxs(0, 0);
		code.visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	/** A class with an annotation. */
	static byte[] annotated(String name, String annotation) {
		ClassWriter writer = new ClassWriter(0);
		writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
		writer.visitAnnotation("L" + annotation + ";", true).visitEnd();
		writer.visitEnd();
		return writer.toByteArray();
	}

	static byte[] zip(Map<String, byte[]> content) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		write(bytes, content, false);
		return bytes.toByteArray();
	}

	Path write(Path directory, String name) throws IOException {
		Map<String, byte[]> all = new LinkedHashMap<>();
		all.put("META-INF/MANIFEST.MF",
				"Manifest-Version: 1.0\nMain-Class: %s\nStart-Class: %s\nSpring-Boot-Version: %s\n%s"
					.formatted(this.launcher, this.start, this.boot, this.attributes)
					.getBytes(StandardCharsets.UTF_8));
		all.putAll(this.entries);
		Path file = directory.resolve(name + ".jar");
		try (OutputStream out = Files.newOutputStream(file)) {
			write(out, all, true);
		}
		return file;
	}

	private static void write(OutputStream target, Map<String, byte[]> content, boolean storeJars) {
		try (ZipOutputStream out = new ZipOutputStream(target)) {
			for (Map.Entry<String, byte[]> each : content.entrySet()) {
				ZipEntry entry = new ZipEntry(each.getKey());
				entry.setTime(0);
				if (storeJars && each.getKey().endsWith(".jar")) {
					CRC32 checksum = new CRC32();
					checksum.update(each.getValue());
					entry.setMethod(ZipEntry.STORED);
					entry.setSize(each.getValue().length);
					entry.setCrc(checksum.getValue());
				}
				out.putNextEntry(entry);
				out.write(each.getValue());
				out.closeEntry();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
