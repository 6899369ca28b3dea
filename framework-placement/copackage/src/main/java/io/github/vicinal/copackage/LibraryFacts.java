package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

import io.github.vicinal.copackage.StaticRegistries.Member;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Facts that decide whether a library may be loaded once for several applications.
 *
 * @param packages that it has, with slashes
 * @param classes that it has, with dots
 * @param named packages that its classes name, with slashes
 * @param strings texts in its classes that may name a class
 * @param files texts in its classes that may name a file, without a slash before them
 * @param services interfaces that it has implementations of, by service files, and
 * {@value #NATIVE_CODE} if it has some, and paths of other native libraries
 * @param resources that it has outside of {@code META-INF}, and static ones of servlets
 * @param metaInf other files in {@code META-INF} that a library may look for
 * @param asked services of the JDK of which it finds only implementations beside itself,
 * and {@value #NATIVE_CODE} if it loads some
 * @param registries members of it that change, or hand out, what is in static fields
 * @param changes members of others with which it may change what is in static fields
 * @param namers classes of it that take new names for their callers, with dots
 * @param state why it may keep something of an application; {@code null} if it cannot
 * @param lookup why it may not find what an application has; {@code null} if nothing but
 * what it names could be missing
 */
record LibraryFacts(Set<String> packages, Set<String> classes, Set<String> named, Set<String> strings,
		Set<String> files, Set<String> services, Set<String> resources, Set<String> metaInf, Set<String> asked,
		Set<String> registries, Set<String> changes, Set<String> namers, @Nullable String state,
		@Nullable String lookup) {

	/** Looks for drivers by the loader of the class that calls it. */
	private static final String DRIVER_MANAGER = "java/sql/DriverManager";

	private static final String DRIVER = "java.sql.Driver";

	/** Name of the fact that Netty loads a native library. */
	static final String NATIVE_CODE = "native library of Netty";

	static final String NATIVE_LIBRARIES = "META-INF/native/";

	private static final String NATIVE_LOADER = "io/netty/util/internal/NativeLibraryLoader";

	/** Types of static final fields whose values never change. */
	private static final Set<String> CONSTANT = Set.of("Ljava/lang/String;", "Ljava/lang/Integer;", "Ljava/lang/Long;",
			"Ljava/lang/Boolean;", "Ljava/lang/Double;", "Ljava/lang/Byte;", "Ljava/lang/Short;",
			"Ljava/lang/Character;", "Ljava/lang/Float;", "Ljava/lang/Class;", "Ljava/math/BigInteger;",
			"Ljava/math/BigDecimal;", "Ljava/util/regex/Pattern;", "Ljava/nio/charset/Charset;",
			"Ljava/time/Duration;");

	private static final int CONSTANT_UTF8 = 1;

	private static final int CONSTANT_CLASS = 7;

	private static final int CONSTANT_STRING = 8;

	private static final int CONSTANT_FIELDREF = 9;

	private static final int CONSTANT_INTERFACE_METHODREF = 11;

	private static final int CONSTANT_NAME_AND_TYPE = 12;

	private static final Pattern CLASS_NAME = Pattern.compile("(?:[a-z_]\\w*\\.)+[A-Z][\\w$]*");

	/** Reads files that its callers name without their ending. */
	private static final String RESOURCE_BUNDLE = "java/util/ResourceBundle";

	private static final Pattern BUNDLE_NAME = Pattern.compile("[\\w-]+(?:[./][\\w-]+)*");

	/** Static fields that compilers add, which never change. */
	private static final Pattern OF_COMPILERS = Pattern
		.compile("(?:ENUM)?\\$VALUES|\\$ENTRIES|\\$assertionsDisabled|\\$SwitchMap\\$.*|\\$SWITCH_TABLE\\$.*");

	private static final Pattern FILE_NAME = Pattern.compile("/?((?:[\\w-]+/)*[\\w-][\\w.-]*\\.[a-z]\\w{1,10})");

	/** Others need not be loaded as carefully as Netty loads its own. */
	private static final Pattern NETTY_LIBRARY = Pattern.compile(NATIVE_LIBRARIES + "(?:lib)?netty_");

	private static final Pattern VERSIONS = Pattern.compile("META-INF/versions/\\d+/");

	/** Ending of bundles of texts. */
	static final String BUNDLE = ".properties";

	static final String SERVICES = "META-INF/services/";

	private static final String STATIC_RESOURCES = "META-INF/resources/";

	/**
	 * Reads a library.
	 * @param jar its bytes
	 * @param name its name, for people
	 */
	static LibraryFacts read(byte[] jar, String name) throws IOException {
		Reading reading = new Reading();
		NestedJar library = new NestedJar(jar, name);
		for (NestedJar.Entry entry : library.files()) {
			reading.entry(entry, library);
		}
		if (reading.readsBundles) {
			for (NestedJar.Entry entry : library.classes()) {
				reading.bundles(library.bytes(entry));
			}
		}
		return reading.facts();
	}

	/**
	 * Reads one class file, as if it were a library.
	 * @throws RuntimeException if it cannot be read
	 */
	static LibraryFacts readClass(byte[] classFile) {
		Reading reading = new Reading();
		reading.readClass(classFile);
		return reading.facts();
	}

	/** Returns whether it has native libraries of Netty, and nothing else. */
	boolean isNativeCodeOfNetty() {
		return this.packages.isEmpty() && this.services.equals(Set.of(NATIVE_CODE));
	}

	/** Returns whether two of a name in one class path hide each other. */
	static boolean isResource(String path) {
		return !path.endsWith(".class") && (!path.startsWith("META-INF/") || path.startsWith(STATIC_RESOURCES));
	}

	/** Facts of libraries that were read, by the SHA-256 of their bytes. Thread-safe. */
	static final class Known {

		private final Map<String, LibraryFacts> facts = new ConcurrentHashMap<>();

		@Nullable LibraryFacts get(String sha256) {
			return this.facts.get(sha256);
		}

		/**
		 * Returns facts of a library, which is read if it is new.
		 * @param jar an application that has it
		 * @param library it
		 * @return the facts, or {@code null} if its bytes are not there
		 */
		@Nullable LibraryFacts of(ZipFile jar, Library library) throws IOException {
			LibraryFacts known = this.facts.get(library.sha256());
			byte[] bytes = (known == null && !library.sha256().isEmpty()) ? BootJar.library(jar, library.file()) : null;
			if (bytes != null) {
				try {
					known = read(bytes, library.file());
				}
				catch (ZipException ex) {
					throw BootJar.damaged(jar, ex);
				}
				this.facts.put(library.sha256(), known);
			}
			return known;
		}

	}

	/** Facts read from a library. */
	private static final class Reading {

		private final Set<String> packages = new HashSet<>();

		private final Set<String> classes = new HashSet<>();

		private final Set<String> named = new HashSet<>();

		private final Set<String> strings = new HashSet<>();

		private final Set<String> files = new HashSet<>();

		private final Set<String> services = new HashSet<>();

		private final Set<String> resources = new HashSet<>();

		private final Set<String> metaInf = new HashSet<>();

		private boolean readsBundles;

		private final Set<String> asked = new HashSet<>();

		private final Set<String> registries = new HashSet<>();

		private final Set<String> changes = new HashSet<>();

		private final Set<String> namers = new HashSet<>();

		private final StateFinder finder = new StateFinder(this.registries, this.namers);

		void entry(NestedJar.Entry entry, NestedJar library) throws IOException {
			String path = VERSIONS.matcher(entry.path()).replaceFirst("");
			if (!path.equals(entry.path())) {
				this.finder.found("it has classes for other versions of Java");
			}
			if (path.startsWith(SERVICES)) {
				// Its user finds it through the loader of an application.
				this.finder.found("it has implementations of a service, by " + path);
				this.services.add(path.substring(SERVICES.length()));
			}
			else if (path.startsWith(NATIVE_LIBRARIES)) {
				this.services.add(NETTY_LIBRARY.matcher(path).lookingAt() ? NATIVE_CODE : path);
			}
			else if (isResource(path)) {
				this.resources.add(path);
			}
			else if (!path.endsWith(".class")) {
				if (BootJar.isRead(path)) {
					this.metaInf.add(path);
				}
			}
			else if (NestedJar.isClass(path)) {
				this.packages.add(packageOf(path));
				this.classes.add(path.substring(0, path.length() - ".class".length()).replace('/', '.'));
				try {
					readClass(library.bytes(entry));
				}
				catch (InvalidInputException ex) {
					throw ex;
				}
				catch (RuntimeException ex) {
					this.finder.found("its class %s cannot be read".formatted(path));
				}
			}
		}

		private void readClass(byte[] bytes) {
			ClassReader reader = ClassFiles.reader(bytes);
			char[] buffer = new char[reader.getMaxStringLength()];
			boolean registries = false;
			boolean lookups = false;
			for (int i = 1; i < reader.getItemCount(); i++) {
				int item = reader.getItem(i);
				int tag = (item > 0) ? reader.readByte(item - 1) : 0;
				if (tag == CONSTANT_CLASS) {
					String name = reader.readUTF8(item, buffer);
					if (name.equals(DRIVER_MANAGER)) {
						this.asked.add(DRIVER);
					}
					else if (name.equals(NATIVE_LOADER) && !packageOf(reader.getClassName()).equals(packageOf(name))) {
						this.asked.add(NATIVE_CODE);
					}
					this.readsBundles |= name.equals(RESOURCE_BUNDLE);
					registries |= StaticRegistries.isOwner(name);
					add(element(name), this.named);
				}
				else if (tag == CONSTANT_UTF8) {
					text(bytes, item);
				}
				else if (tag == CONSTANT_NAME_AND_TYPE) {
					lookups |= Lookups.matters(reader.readUTF8(item, buffer));
				}
			}
			Set<Member> used = used(reader, buffer, registries);
			this.changes.addAll(StaticRegistries.changes(reader.getClassName(), used));
			this.finder.takesNames(used.stream().anyMatch(StaticRegistries::takesNewName));
			this.finder.looksUp(lookups);
			reader.accept(this.finder, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
		}

		/** Any text may be the name of a bundle, also in a class that reads none. */
		void bundles(byte[] bytes) {
			ClassReader reader;
			try {
				reader = ClassFiles.reader(bytes);
			}
			catch (RuntimeException ex) {
				// It was found before.
				return;
			}
			char[] buffer = new char[reader.getMaxStringLength()];
			for (int i = 1; i < reader.getItemCount(); i++) {
				int item = reader.getItem(i);
				if (item > 0 && reader.readByte(item - 1) == CONSTANT_STRING) {
					String name = reader.readUTF8(item, buffer);
					if (BUNDLE_NAME.matcher(name).matches()) {
						this.files.add(name.replace('.', '/') + BUNDLE);
					}
				}
			}
		}

		/** Returns the type of the elements, if the type is that of an array. */
		private static String element(String type) {
			return type.startsWith("[") ? type.replaceFirst("^\\[+L?", "") : type;
		}

		/** Returns the members with which a class may change static state of others. */
		private static Set<Member> used(ClassReader reader, char[] buffer, boolean all) {
			Set<Member> used = new HashSet<>();
			for (int i = 1; i < reader.getItemCount(); i++) {
				int item = reader.getItem(i);
				int tag = (item > 0) ? reader.readByte(item - 1) : 0;
				if (tag >= CONSTANT_FIELDREF && tag <= CONSTANT_INTERFACE_METHODREF) {
					int nameAndType = reader.getItem(reader.readUnsignedShort(item + 2));
					String name = reader.readUTF8(nameAndType, buffer);
					String owner = (all || StaticRegistries.matters(name)) ? reader.readClass(item, buffer) : "";
					if (!owner.isEmpty() && !owner.startsWith("java/") && !owner.startsWith("[")) {
						used.add(new Member(owner, name, reader.readUTF8(nameAndType + 2, buffer)));
					}
				}
			}
			return used;
		}

		/** The item begins with its length; names of classes are mostly ASCII. */
		private void text(byte[] bytes, int item) {
			int start = item + 2;
			int end = start + ((bytes[item] & 0xff) << 8 | (bytes[item + 1] & 0xff));
			boolean dot = false;
			boolean plain = true;
			for (int i = start; i < end; i++) {
				dot |= bytes[i] == '.';
				plain &= bytes[i] == '.' || bytes[i] == '-' || isPartOfName(bytes[i]);
				if (bytes[i] == 'L') {
					// Annotations, fields and methods name classes only here.
					int last = i + 1;
					while (last < end && isPartOfName(bytes[last])) {
						last++;
					}
					if (last < end && last > i + 1 && (bytes[last] == ';' || bytes[last] == '<')) {
						add(new String(bytes, i + 1, last - i - 1, StandardCharsets.UTF_8), this.named);
						i = last;
						plain = false;
					}
				}
			}
			// Neither pattern has another character; most texts have one.
			if (dot && plain) {
				String text = new String(bytes, start, end - start, StandardCharsets.UTF_8);
				if (CLASS_NAME.matcher(text).matches()) {
					this.strings.add(text);
				}
				Matcher file = FILE_NAME.matcher(text);
				if (file.matches()) {
					this.files.add(file.group(1));
				}
			}
		}

		private static boolean isPartOfName(byte each) {
			return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9')
					|| each == '_' || each == '$' || each == '/' || each < 0;
		}

		LibraryFacts facts() {
			this.named.removeAll(this.packages);
			return new LibraryFacts(this.packages, this.classes, this.named, this.strings, this.files, this.services,
					this.resources, this.metaInf, this.asked, this.registries, this.changes, this.namers,
					this.finder.state, this.finder.lookup);
		}

	}

	private static void add(String type, Set<String> named) {
		if (type.contains("/") && !type.startsWith("java/")) {
			named.add(packageOf(type));
		}
	}

	static String packageOf(String path) {
		int slash = path.lastIndexOf('/');
		return (slash > 0) ? path.substring(0, slash) : "";
	}

	private static final class StateFinder extends ClassVisitor {

		private final Set<String> registries;

		private final Set<String> namers;

		private @Nullable String state;

		private @Nullable String lookup;

		private String type = "";

		private boolean enumeration;

		private boolean takesNames;

		private boolean looksUp;

		StateFinder(Set<String> registries, Set<String> namers) {
			super(Opcodes.ASM9);
			this.registries = registries;
			this.namers = namers;
		}

		/** Says whether the next class takes new names anywhere. */
		void takesNames(boolean takes) {
			this.takesNames = takes;
		}

		/** Says whether the next class may look for classes or files. */
		void looksUp(boolean may) {
			this.looksUp = may;
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
			named(new Member(this.type, name, descriptor));
			boolean synthetic = (access & Opcodes.ACC_SYNTHETIC) != 0;
			boolean constant = (access & Opcodes.ACC_FINAL) != 0
					&& (descriptor.length() == 1 || CONSTANT.contains(descriptor));
			if ((access & Opcodes.ACC_STATIC) == 0) {
				if (this.enumeration && !constant && !synthetic) {
					found("it keeps '%s' in the constants of the enumeration %s".formatted(name,
							this.type.replace('/', '.')));
				}
				return null;
			}
			constant |= this.enumeration && (access & Opcodes.ACC_ENUM) != 0;
			constant |= synthetic && OF_COMPILERS.matcher(name).matches();
			if (!constant) {
				found("it keeps '%s' in a static field of %s".formatted(name, this.type.replace('/', '.')));
			}
			return null;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			Member method = new Member(this.type, name, descriptor);
			named(method);
			MethodVisitor setter = ((access & Opcodes.ACC_STATIC) != 0 && StaticRegistries.isSetter(name, descriptor))
					? new StaticRegistries.Setter(this.type, () -> this.registries.add(method.id())) : null;
			// The initializer of a class has no caller that could give it a name.
			MethodVisitor names = (this.takesNames && !name.equals("<clinit>")) ? new StaticRegistries.NewName(setter,
					this.type, () -> this.namers.add(this.type.replace('/', '.'))) : setter;
			return (this.looksUp && this.lookup == null)
					? new Lookups(names, (access & Opcodes.ACC_STATIC) != 0, this::foundLookup) : names;
		}

		private void foundLookup() {
			this.lookup = "%s looks for classes or files beside itself, by names that are not in it"
				.formatted(this.type.replace('/', '.'));
		}

		private void named(Member member) {
			if (StaticRegistries.isNamed(member)) {
				this.registries.add(member.id());
			}
		}

	}

}
