package io.github.vicinal.copackage;

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
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

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

	/** Their packages, with slashes. */
	private final Set<String> packages = new HashSet<>();

	/** Classes of the versions that would replace them. */
	private final Map<String, Type> replacing = new HashMap<>();

	/**
	 * Members that the application uses and no library has, each with a class that uses
	 * it.
	 */
	private final Set<String> missing = Collections.synchronizedSet(new TreeSet<>());

	private Linkage() {
	}

	/**
	 * Returns what two applications use that the versions of libraries lack which the
	 * other one has. What both have in the same version is read once.
	 * @param one an application
	 * @param files of its libraries that the other one has in other versions
	 * @param other another one
	 * @param otherFiles of its libraries that the first one has in other versions
	 * @param facts of libraries; those that name no package of these are not looked at
	 * @return what is missing for each, with a class that uses it
	 */
	static Missing missing(Inventory one, Set<String> files, Inventory other, Set<String> otherFiles,
			LibraryFacts.Known facts) throws IOException {
		Linkage forOne = new Linkage();
		Linkage forOther = new Linkage();
		try (ZipFile jar = BootJar.open(Objects.requireNonNull(one.jar()));
				ZipFile otherJar = BootJar.open(Objects.requireNonNull(other.jar()))) {
			replace(jar, files, forOne, forOther);
			replace(otherJar, otherFiles, forOther, forOne);
			forOne.own(jar, one);
			forOther.own(otherJar, other);
			Set<String> used = shas(one, files);
			Set<String> otherUsed = shas(other, otherFiles);
			one.libraries()
				.parallelStream()
				.filter((library) -> !files.contains(library.file()))
				.forEach((library) -> use(jar, library,
						otherUsed.contains(library.sha256()) ? List.of(forOne, forOther) : List.of(forOne), facts));
			other.libraries()
				.parallelStream()
				.filter((library) -> !otherFiles.contains(library.file()) && !used.contains(library.sha256()))
				.forEach((library) -> use(otherJar, library, List.of(forOther), facts));
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
		return new Missing(List.copyOf(forOne.missing), List.copyOf(forOther.missing));
	}

	/**
	 * Notes classes that an application has, and that the other one would get instead of
	 * its own.
	 */
	private static void replace(ZipFile jar, Set<String> files, Linkage owner, Linkage other) throws IOException {
		for (String file : files) {
			classes(jar, file, (path, bytes) -> {
				owner.replaced.add(path);
				owner.packages.add(LibraryFacts.packageOf(path));
				other.replacing.put(path, Type.of(bytes));
			});
		}
	}

	private static Set<String> shas(Inventory application, Set<String> without) {
		Set<String> shas = new HashSet<>();
		for (Library library : application.libraries()) {
			if (!without.contains(library.file())) {
				shas.add(library.sha256());
			}
		}
		return shas;
	}

	private void own(ZipFile jar, Inventory application) throws IOException {
		for (String path : application.resources().keySet()) {
			byte[] own = path.endsWith(".class") ? BootJar.own(jar, path) : null;
			if (own != null) {
				use(path, ClassFiles.reader(own));
			}
		}
	}

	private static void use(ZipFile jar, Library library, List<Linkage> users, LibraryFacts.Known facts) {
		try {
			LibraryFacts known = facts.of(jar, library);
			List<Linkage> naming = users.stream().filter((each) -> known == null || each.isNamedBy(known)).toList();
			if (!naming.isEmpty()) {
				classes(jar, library.file(), (path, bytes) -> {
					ClassReader reader = ClassFiles.reader(bytes);
					naming.forEach((each) -> each.use(path, reader));
				});
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns whether a library may use classes that are replaced. */
	private boolean isNamedBy(LibraryFacts library) {
		return !Collections.disjoint(library.named(), this.packages)
				|| !Collections.disjoint(library.packages(), this.packages);
	}

	private static void classes(ZipFile jar, String file, ClassFile action) throws IOException {
		byte[] library = BootJar.library(jar, file);
		if (library == null) {
			return;
		}
		try {
			NestedJar nested = new NestedJar(library, file);
			for (NestedJar.Entry entry : nested.classes()) {
				String path = entry.path();
				read(path.substring(0, path.length() - ".class".length()), nested.bytes(entry), action);
			}
		}
		catch (ZipException ex) {
			throw BootJar.damaged(jar, ex);
		}
	}

	private static void read(String path, byte[] bytes, ClassFile action) {
		try {
			action.read(path, bytes);
		}
		catch (RuntimeException ex) {
			// Newer than the library that reads it knows, or damaged.
		}
	}

	/** The constant pool names all that the code of a class calls and reads. */
	private void use(String path, ClassReader reader) {
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
				this.missing.add("%s.%s, which %s %s".formatted(owner.replace('/', '.'),
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

	/**
	 * Members that are missing, as texts for people.
	 *
	 * @param one for the first application
	 * @param other for the second one
	 */
	record Missing(List<String> one, List<String> other) {
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
