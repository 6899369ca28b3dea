package io.github.vicinal.copackage;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Facts of a class file.
 *
 * @param java the Java version that it needs
 * @param jvmWideCalls what its methods change that a JVM has once, with the name of the
 * class
 */
record ClassFacts(int java, Set<String> jvmWideCalls) {

	/** Methods that change what a JVM has once, by class. */
	private static final Map<String, Set<String>> JVM_WIDE = Map.ofEntries(
			Map.entry("java/lang/System",
					Set.of("exit", "setOut", "setErr", "setIn", "setProperties", "setSecurityManager", "load",
							"loadLibrary")),
			Map.entry("java/lang/Runtime", Set.of("exit", "halt", "load", "loadLibrary")),
			Map.entry("java/net/URL", Set.of("setURLStreamHandlerFactory")),
			Map.entry("java/net/URLConnection", Set.of("setContentHandlerFactory", "setFileNameMap")),
			Map.entry("java/net/HttpURLConnection", Set.of("setFollowRedirects")),
			Map.entry("java/net/Authenticator", Set.of("setDefault")),
			Map.entry("java/net/ProxySelector", Set.of("setDefault")),
			Map.entry("java/net/CookieHandler", Set.of("setDefault")),
			Map.entry("java/net/ResponseCache", Set.of("setDefault")),
			Map.entry("javax/net/ssl/SSLContext", Set.of("setDefault")),
			Map.entry("javax/net/ssl/HttpsURLConnection",
					Set.of("setDefaultSSLSocketFactory", "setDefaultHostnameVerifier")),
			Map.entry("java/util/TimeZone", Set.of("setDefault")), Map.entry("java/util/Locale", Set.of("setDefault")),
			Map.entry("java/lang/Thread", Set.of("setDefaultUncaughtExceptionHandler")),
			Map.entry("java/security/Policy", Set.of("setPolicy")),
			Map.entry("java/security/Security",
					Set.of("setProperty", "addProvider", "insertProviderAt", "removeProvider")),
			Map.entry("java/io/ObjectInputFilter$Config", Set.of("setSerialFilter", "setSerialFilterFactory")),
			Map.entry("java/sql/DriverManager", Set.of("setLoginTimeout", "setLogWriter")),
			Map.entry("java/net/Socket", Set.of("setSocketImplFactory")),
			Map.entry("java/net/ServerSocket", Set.of("setSocketFactory")),
			Map.entry("java/net/DatagramSocket", Set.of("setDatagramSocketImplFactory")),
			Map.entry("java/rmi/server/RMISocketFactory", Set.of("setSocketFactory")),
			Map.entry("javax/naming/spi/NamingManager",
					Set.of("setInitialContextFactoryBuilder", "setObjectFactoryBuilder")),
			Map.entry("java/util/logging/LogManager", Set.of("reset", "readConfiguration")));

	/** Begin what is said of calls that load native code. */
	static final Set<String> LOADS = Set.of("System.load", "Runtime.load");

	/**
	 * Static methods that are called by the name of a subclass, too, such as one of
	 * {@code Thread}.
	 */
	private static final Set<String> INHERITED = Set.of("setDefaultUncaughtExceptionHandler", "setFollowRedirects",
			"setURLStreamHandlerFactory", "setContentHandlerFactory", "setFileNameMap", "setSocketImplFactory",
			"setDatagramSocketImplFactory", "setDefaultSSLSocketFactory", "setDefaultHostnameVerifier");

	/** Has {@code setDefault} from its superclass. */
	private static final String TIME_ZONE = "(Ljava/util/TimeZone;)V";

	static ClassFacts read(byte[] bytes, String path) {
		if (!ClassFiles.isClass(bytes)) {
			throw new InvalidInputException("'%s' is no class file; build the jar again".formatted(path));
		}
		Set<String> calls = new LinkedHashSet<>();
		try {
			ClassFiles.reader(bytes).accept(new Calls(calls), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
		}
		catch (IllegalArgumentException ex) {
			// It has what the library does not know: its version is what matters.
		}
		catch (RuntimeException ex) {
			throw new InvalidInputException("'%s' is damaged (%s); build the jar again".formatted(path, ex));
		}
		return new ClassFacts(ClassFiles.java(bytes), calls);
	}

	/** The compiler names the class that the source names, which may be a subclass. */
	private static boolean isJvmWide(boolean isStatic, String owner, String called, String type) {
		return JVM_WIDE.getOrDefault(owner, Set.of()).contains(called) || (isStatic
				&& (INHERITED.contains(called) || (called.equals("setDefault") && type.equals(TIME_ZONE))));
	}

	private static final class Calls extends ClassVisitor {

		private final Set<String> calls;

		private String name = "";

		Calls(Set<String> calls) {
			super(Opcodes.ASM9);
			this.calls = calls;
		}

		@Override
		public void visit(int version, int access, String className, String signature, String superName,
				String[] interfaces) {
			this.name = className.replace('/', '.');
		}

		@Override
		public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
				String[] exceptions) {
			return new MethodVisitor(Opcodes.ASM9) {

				@Override
				public void visitInvokeDynamicInsn(String called, String type, Handle bootstrap, Object... arguments) {
					for (Object each : arguments) {
						// A reference to a method, such as System::exit.
						if (each instanceof Handle handle) {
							visitMethodInsn(
									(handle.getTag() == Opcodes.H_INVOKESTATIC) ? Opcodes.INVOKESTATIC
											: Opcodes.INVOKEVIRTUAL,
									handle.getOwner(), handle.getName(), handle.getDesc(), handle.isInterface());
						}
					}
				}

				@Override
				public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
					if (isJvmWide(opcode == Opcodes.INVOKESTATIC, owner, called, type)) {
						Calls.this.calls.add("%s.%s in %s".formatted(owner.substring(owner.lastIndexOf('/') + 1),
								called, Calls.this.name));
					}
				}

			};
		}

	}

}
