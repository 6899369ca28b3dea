package io.github.vicinal.copackage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Finds out whether an application would link with other versions of its libraries: what
 * its classes call and read must be there. A class that is not in the other version, or
 * whose superclass is elsewhere, is only looked at as far as it is known.
 */
final class Linkage {

	private static final int CONSTANT_CLASS = 7;

	private static final int CONSTANT_FIELD = 9;

	private static final int CONSTANT_METHOD = 10;

	private static final int CONSTANT_INTERFACE_METHOD = 11;

	private static final String OBJECT = "java/lang/Object";

	/** Members that each object inherits. */
	private static final Set<String> OF_OBJECT = Set.of("getClass", "hashCode", "equals", "clone", "toString", "notify",
			"notifyAll", "wait", "finalize");

	/** Classes of the versions that the application has, which are to be replaced. */
	private final Set<String> replaced = new HashSet<>();

	/** Classes of the versions that would replace them. */
	private final Map<String, Type> replacing = new HashMap<>();

	private Linkage() {
	}

	/**
	 * Returns what an application uses that other versions of its libraries lack.
	 * @param application it
	 * @param files of its libraries that are replaced
	 * @param other where the other versions are
	 * @param otherFiles of its libraries that replace them
	 * @return what is missing, each with a class that uses it
	 */
	static List<String> missing(Inventory application, Set<String> files, Inventory other, Set<String> otherFiles)
			throws IOException {
		Linkage linkage = new Linkage();
		try (ZipFile jar = BootJar.open(Objects.requireNonNull(application.jar()));
				ZipFile otherJar = BootJar.open(Objects.requireNonNull(other.jar()))) {
			for (String file : files) {
				classes(BootJar.library(jar, file), (path, bytes) -> linkage.replaced.add(path));
			}
			for (String file : otherFiles) {
				classes(BootJar.library(otherJar, file), (path, bytes) -> linkage.replacing.put(path, Type.of(bytes)));
			}
			return linkage.users(jar, application, files);
		}
	}

	private List<String> users(ZipFile jar, Inventory application, Set<String> files) throws IOException {
		Set<String> missing = Collections.synchronizedSet(new TreeSet<>());
		for (String path : application.resources().keySet()) {
			byte[] own = path.endsWith(".class") ? BootJar.own(jar, path) : null;
			if (own != null) {
				use(path, own, missing);
			}
		}
		try {
			application.libraries()
				.parallelStream()
				.filter((library) -> !files.contains(library.file()))
				.forEach((library) -> use(jar, library, missing));
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
		return new ArrayList<>(missing);
	}

	private void use(ZipFile jar, Library library, Set<String> missing) {
		try {
			classes(BootJar.library(jar, library.file()), (path, bytes) -> use(path, bytes, missing));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void classes(byte @Nullable [] jar, ClassFile action) throws IOException {
		if (jar == null) {
			return;
		}
		try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
			for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
				String path = entry.getName();
				if (path.endsWith(".class") && !path.startsWith("META-INF/") && !path.endsWith("module-info.class")) {
					try {
						action.read(path.substring(0, path.length() - ".class".length()), in.readAllBytes());
					}
					catch (RuntimeException ex) {
						// Newer than the library that reads it knows, or damaged.
					}
				}
			}
		}
	}

	/** The constant pool names all that the code of a class calls and reads. */
	private void use(String path, byte[] bytes, Set<String> missing) {
		ClassReader reader = ClassFiles.reader(bytes);
		char[] buffer = new char[reader.getMaxStringLength()];
		Map<Integer, String> owners = owners(reader, buffer);
		if (owners.isEmpty()) {
			return;
		}
		for (int i = 1; i < reader.getItemCount(); i++) {
			int item = reader.getItem(i);
			int tag = (item > 0) ? reader.readByte(item - 1) : 0;
			boolean member = tag == CONSTANT_FIELD || tag == CONSTANT_METHOD || tag == CONSTANT_INTERFACE_METHOD;
			String owner = member ? owners.get(reader.readUnsignedShort(item)) : null;
			if (owner == null) {
				continue;
			}
			int nameAndType = reader.getItem(reader.readUnsignedShort(item + 2));
			String name = reader.readUTF8(nameAndType, buffer);
			String descriptor = reader.readUTF8(nameAndType + 2, buffer);
			if (!has(owner, name, descriptor)) {
				missing.add("%s.%s, which %s %s".formatted(owner.replace('/', '.'),
						(tag == CONSTANT_FIELD) ? name : name + descriptor.substring(0, descriptor.indexOf(')') + 1),
						path.replace(".class", "").replace('/', '.'), (tag == CONSTANT_FIELD) ? "reads" : "calls"));
			}
		}
	}

	/** Classes that are replaced, by their place in the constant pool of a class. */
	private Map<Integer, String> owners(ClassReader reader, char[] buffer) {
		Map<Integer, String> owners = new HashMap<>();
		for (int i = 1; i < reader.getItemCount(); i++) {
			int item = reader.getItem(i);
			if (item > 0 && reader.readByte(item - 1) == CONSTANT_CLASS) {
				String name = reader.readUTF8(item, buffer);
				if (this.replaced.contains(name)) {
					owners.put(i, name);
				}
			}
		}
		return owners;
	}

	private boolean has(String owner, String name, String descriptor) {
		Type type = this.replacing.get(owner);
		if (type == null) {
			// Gone, unless it is the JDK's, or has moved to a library that is not
			// replaced.
			return !this.replaced.contains(owner);
		}
		if (type.members().contains(name + descriptor)) {
			return true;
		}
		for (String parent : type.parents()) {
			boolean known = this.replacing.containsKey(parent) || parent.equals(OBJECT);
			if (parent.equals(OBJECT) ? OF_OBJECT.contains(name) : !known || has(parent, name, descriptor)) {
				return true;
			}
		}
		return false;
	}

	/** Reads a class. */
	@FunctionalInterface
	private interface ClassFile {

		void read(String name, byte[] bytes);

	}

	/**
	 * Members of a class.
	 *
	 * @param members names with descriptors
	 * @param parents its superclass and interfaces
	 */
	private record Type(Set<String> members, List<String> parents) {

		static Type of(byte[] bytes) {
			Set<String> members = new HashSet<>();
			List<String> parents = new ArrayList<>();
			ClassFiles.reader(bytes).accept(new ClassVisitor(Opcodes.ASM9) {

				@Override
				public void visit(int version, int access, String name, String signature, String superName,
						String[] interfaces) {
					if (superName != null) {
						parents.add(superName);
					}
					parents.addAll(List.of(interfaces));
				}

				@Override
				public @Nullable FieldVisitor visitField(int access, String name, String descriptor, String signature,
						Object value) {
					members.add(name + descriptor);
					return null;
				}

				@Override
				public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
						String[] exceptions) {
					members.add(name + descriptor);
					return null;
				}

			}, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			return new Type(members, parents);
		}

	}

}
