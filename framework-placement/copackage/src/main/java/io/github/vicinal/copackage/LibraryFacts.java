package io.github.vicinal.copackage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What decides whether a library may be loaded once for several applications: whether its
 * classes keep state, and which other packages they name.
 *
 * @param packages that it has
 * @param named packages that its classes name
 * @param state a static field that may keep something of an application; {@code null} if
 * there is none
 */
record LibraryFacts(Set<String> packages, Set<String> named, @Nullable String state) {

	/** Types of static final fields whose values never change. */
	private static final Set<String> CONSTANT = Set.of("Ljava/lang/String;", "Ljava/lang/Integer;", "Ljava/lang/Long;",
			"Ljava/lang/Boolean;", "Ljava/lang/Double;", "Ljava/lang/Byte;", "Ljava/lang/Short;",
			"Ljava/lang/Character;", "Ljava/lang/Float;", "Ljava/lang/Class;", "Ljava/math/BigInteger;",
			"Ljava/math/BigDecimal;", "Ljava/util/regex/Pattern;", "Ljava/nio/charset/Charset;",
			"Ljava/time/Duration;");

	private static final int CONSTANT_UTF8 = 1;

	private static final int CONSTANT_CLASS = 7;

	private static final Pattern DESCRIPTOR = Pattern.compile("L([\\w$/]+)[;<]");

	static LibraryFacts read(byte[] jar) throws IOException {
		Set<String> packages = new HashSet<>();
		Set<String> named = new HashSet<>();
		StateFinder finder = new StateFinder();
		try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
			for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
				String path = entry.getName();
				if (path.startsWith("META-INF/services/")) {
					// Whoever implements it is found through the loader of an
					// application.
					finder.found("it finds implementations by " + path);
				}
				if (!path.endsWith(".class") || path.endsWith("module-info.class")) {
					continue;
				}
				if (path.startsWith("META-INF/")) {
					finder.found("it has classes for other versions of Java");
					continue;
				}
				packages.add(packageOf(path));
				try {
					read(in.readAllBytes(), named, finder);
				}
				catch (RuntimeException ex) {
					finder.found("its class %s cannot be read".formatted(path));
				}
			}
		}
		named.removeAll(packages);
		return new LibraryFacts(packages, named, finder.state);
	}

	private static void read(byte[] bytes, Set<String> named, StateFinder finder) {
		ClassReader reader = new ClassReader(bytes);
		char[] buffer = new char[reader.getMaxStringLength()];
		for (int i = 1; i < reader.getItemCount(); i++) {
			int item = reader.getItem(i);
			int tag = (item > 0) ? reader.readByte(item - 1) : 0;
			if (tag == CONSTANT_CLASS) {
				add(reader.readUTF8(item, buffer).replaceFirst("^\\[+L?", ""), named);
			}
			else if (tag == CONSTANT_UTF8) {
				// Annotations, fields and methods name classes only here.
				Matcher matcher = DESCRIPTOR.matcher(text(reader, item));
				while (matcher.find()) {
					add(matcher.group(1), named);
				}
			}
		}
		reader.accept(finder, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
	}

	/** The item begins with its length; names of classes are mostly ASCII. */
	private static String text(ClassReader reader, int item) {
		int length = reader.readUnsignedShort(item);
		byte[] text = new byte[length];
		for (int i = 0; i < length; i++) {
			text[i] = (byte) reader.readByte(item + 2 + i);
		}
		return new String(text, StandardCharsets.UTF_8);
	}

	private static void add(String type, Set<String> named) {
		if (type.contains("/") && !type.startsWith("java/")) {
			named.add(packageOf(type));
		}
	}

	private static String packageOf(String path) {
		int slash = path.lastIndexOf('/');
		return (slash > 0) ? path.substring(0, slash) : "";
	}

	private static final class StateFinder extends ClassVisitor {

		private @Nullable String state;

		private String type = "";

		private boolean enumeration;

		StateFinder() {
			super(Opcodes.ASM9);
		}

		void found(String what) {
			if (this.state == null) {
				this.state = what;
			}
		}

		@Override
		public void visit(int version, int access, String name, String signature, String superName,
				String[] interfaces) {
			this.type = name;
			this.enumeration = (access & Opcodes.ACC_ENUM) != 0;
		}

		@Override
		public @Nullable FieldVisitor visitField(int access, String name, String descriptor, String signature,
				Object value) {
			if ((access & Opcodes.ACC_STATIC) == 0 || (access & Opcodes.ACC_SYNTHETIC) != 0) {
				return null;
			}
			boolean constant = (access & Opcodes.ACC_FINAL) != 0 && (descriptor.length() == 1
					|| CONSTANT.contains(descriptor) || (this.enumeration && (access & Opcodes.ACC_ENUM) != 0));
			if (!constant) {
				found("it keeps '%s' in a static field of %s".formatted(name, this.type.replace('/', '.')));
			}
			return null;
		}

	}

}
