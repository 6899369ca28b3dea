package io.github.vicinal.copackage;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Registries and switches that a library has in static fields. If the library is loaded
 * once, what one application adds or sets there holds for all applications, and stays
 * after the application has stopped. So a library is not loaded once if an application
 * changes such state of it.
 * <p>
 * Static methods that change a static field are found in the class files. Objects that a
 * library hands out to all, and that are changed then, are named here.
 */
final class StaticRegistries {

	private static final String METRICS = "io/micrometer/core/instrument/Metrics";

	/**
	 * Members of Netty that take a name which must be new in all that uses one copy of
	 * Netty. A class that takes one as it is initialised fails if it is loaded twice.
	 * {@code valueOf} takes a name that is there, too, and so is not among them.
	 */
	private static final Map<String, Pattern> NEW_NAMES = Map.of("io/netty/util/AttributeKey",
			Pattern.compile("(?:newInstance|exists)\\(.*"), "io/netty/channel/ChannelOption",
			Pattern.compile("(?:newInstance|exists)\\(.*"), "io/netty/channel/local/LocalAddress",
			Pattern.compile("<init>\\(Ljava/lang/String;\\)V"));

	private static final String NEW_INSTANCE = "newInstance";

	/** How the type of a method begins that makes an object for a name. */
	private static final String OF_A_NAME = "(Ljava/lang/String;)L";

	/** Members that change what all users of a class share, by class. */
	private static final Map<String, Pattern> NAMED = Map.of(
			// One registry, to which each member adds.
			METRICS, Pattern.compile(".*"),
			// Without an argument they use that registry.
			"io/micrometer/core/aop/TimedAspect", Pattern.compile("<init>\\(\\)V"),
			"io/micrometer/core/aop/CountedAspect", Pattern.compile("<init>\\(\\)V"),
			// An accessor replaces one of another application that has the same key.
			"io/micrometer/context/ContextRegistry", Pattern.compile("(?:register|remove|load)\\w+Accessors?\\(.*"),
			// Values stay in threads of others after the application has stopped.
			"io/netty/util/concurrent/FastThreadLocal", Pattern.compile("<init>\\(.*"), "io/netty/util/Recycler",
			Pattern.compile("<init>\\(.*"), "io/netty/util/internal/ObjectPool", Pattern.compile("newPool\\(.*"),
			// One thread for all.
			"io/netty/util/concurrent/GlobalEventExecutor", Pattern.compile("INSTANCE.*"),
			"io/netty/util/ThreadDeathWatcher", Pattern.compile("watch\\(.*"));

	/**
	 * Methods that return an object which all users of a class share, with the methods
	 * that change the object. Other objects have methods of these names, too, so they
	 * count in a class that calls both.
	 */
	private static final Map<String, Pattern> HANDED_OUT = Map.of(
			"org/springframework/core/convert/support/DefaultConversionService.getSharedInstance",
			Pattern.compile("addConverter|addConverterFactory|removeConvertible"),
			"org/springframework/core/ReactiveAdapterRegistry.getSharedInstance",
			Pattern.compile("registerReactiveType(?:Override)?"));

	/** Classes that have these methods. */
	private static final Set<String> HANDING_OUT = HANDED_OUT.keySet()
		.stream()
		.map((method) -> method.substring(0, method.indexOf('.')))
		.collect(Collectors.toSet());

	/** How names of static methods begin that set or add something. */
	private static final List<String> SETTERS = List.of("set", "add", "register", "install", "accept", "put", "use",
			"enable", "disable");

	/**
	 * Spring Boot adds the meters of an application to the registry of {@code Metrics}. A
	 * property turns that off where Micrometer is loaded once.
	 */
	private static final String TURNED_OFF = "org/springframework/boot/";

	private StaticRegistries() {
	}

	/** Returns whether a static method may be one that sets or adds something. */
	static boolean isSetter(String method, String descriptor) {
		return !descriptor.startsWith("()") && isSetter(method);
	}

	/** Returns whether a method of this name matters, whatever class has it. */
	static boolean matters(String method) {
		return isSetter(method) || method.equals(NEW_INSTANCE);
	}

	private static boolean isSetter(String method) {
		for (String each : SETTERS) {
			if (method.length() > each.length() && method.startsWith(each)
					&& Character.isUpperCase(method.charAt(each.length()))) {
				return true;
			}
		}
		return false;
	}

	/** Returns whether all members matter that are used of a class. */
	static boolean isOwner(String type) {
		return NAMED.containsKey(type) || NEW_NAMES.containsKey(type) || HANDING_OUT.contains(type);
	}

	/** Returns whether a member of a class changes, or hands out, what all share. */
	static boolean isNamed(Member member) {
		return isRegistry(member) || HANDED_OUT.containsKey(member.id());
	}

	private static boolean isRegistry(Member member) {
		return matches(NAMED, member) || takesNewName(member);
	}

	/** Returns whether a member takes a name that must be new. */
	static boolean takesNewName(Member member) {
		return matches(NEW_NAMES, member);
	}

	private static boolean matches(Map<String, Pattern> members, Member member) {
		Pattern pattern = members.get(member.owner());
		return pattern != null && pattern.matcher(member.name() + member.descriptor()).matches();
	}

	/**
	 * Returns why a library that has a member is not loaded once.
	 * @param id of the member
	 * @param user what uses it, and is not loaded once
	 */
	static String reason(String id, String user) {
		String shown = id.replace('/', '.').replace(".<init>", "");
		return NEW_NAMES.containsKey(id.substring(0, id.indexOf('.')))
				? "its %s takes each name once, and %s, which is not loaded once, uses it".formatted(shown, user)
				: "what its %s changes would hold for all, and %s uses it".formatted(shown, user);
	}

	/**
	 * Returns members of other classes with which a class may change static state.
	 * @param caller the class, with slashes
	 * @param used members that it uses
	 * @return their ids; of setters, only the class file of their owner says what they
	 * change
	 */
	static Set<String> changes(String caller, Set<Member> used) {
		Set<String> changes = new HashSet<>();
		for (Member each : used) {
			Pattern changing = HANDED_OUT.get(each.id());
			boolean turnedOff = each.owner().equals(METRICS) && caller.startsWith(TURNED_OFF);
			boolean changed = isSetter(each.name(), each.descriptor()) || (isRegistry(each) && !turnedOff)
					|| (changing != null
							&& used.stream().anyMatch((other) -> changing.matcher(other.name()).matches()));
			if (changed) {
				changes.add(each.id());
			}
		}
		return changes;
	}

	/**
	 * Member of a class.
	 *
	 * @param owner the class, with slashes; of a static method that makes an object of
	 * Netty for a name, the class of the object
	 * @param name of the method or field
	 * @param descriptor its type
	 */
	record Member(String owner, String name, String descriptor) {

		/**
		 * The compiler names the class that the source names, which may be a subclass.
		 */
		Member {
			if (name.equals(NEW_INSTANCE) && descriptor.startsWith(OF_A_NAME) && descriptor.endsWith(";")) {
				String made = descriptor.substring(OF_A_NAME.length(), descriptor.length() - 1);
				owner = NEW_NAMES.containsKey(made) ? made : owner;
			}
		}

		/** Returns what names it among all classes; methods of one name are one. */
		String id() {
			return this.owner + "." + this.name;
		}

	}

	/**
	 * Finds out whether a method takes a new name, which its caller may have given it.
	 */
	static final class NewName extends MethodVisitor {

		private final String type;

		private final Runnable found;

		/**
		 * Creates a visitor of a method.
		 * @param next another visitor of it, or {@code null}
		 * @param type the class that has it, with slashes
		 * @param found called if it takes a name of another class
		 */
		NewName(@Nullable MethodVisitor next, String type, Runnable found) {
			super(Opcodes.ASM9, next);
			this.type = type;
			this.found = found;
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
			calls(new Member(owner, name, descriptor));
		}

		private void calls(Member member) {
			if (takesNewName(member) && !member.owner().equals(this.type)) {
				this.found.run();
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
			for (Object each : arguments) {
				if (each instanceof Handle handle) {
					calls(new Member(handle.getOwner(), handle.getName(), handle.getDesc()));
				}
			}
		}

	}

	/** Finds out whether a static method changes a static field of its class. */
	static final class Setter extends MethodVisitor {

		private static final Pattern COLLECTION = Pattern
			.compile("Ljava/util/.*(?:Map|List|Set|Collection|Queue|Deque|Properties|Hashtable|Vector);");

		private static final Pattern ADDING = Pattern.compile("(?:put|add|set|offer|push)\\w*");

		private final String type;

		private final Runnable found;

		private boolean hasCollection;

		/**
		 * Creates a visitor of a method.
		 * @param type the class that has it, with slashes
		 * @param found called if it changes something
		 */
		Setter(String type, Runnable found) {
			super(Opcodes.ASM9);
			this.type = type;
			this.found = found;
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			if (!owner.equals(this.type)) {
				return;
			}
			if (opcode == Opcodes.PUTSTATIC) {
				this.found.run();
			}
			else if (opcode == Opcodes.GETSTATIC && COLLECTION.matcher(descriptor).matches()) {
				this.hasCollection = true;
			}
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			if (this.hasCollection && owner.startsWith("java/util/") && ADDING.matcher(name).matches()) {
				this.found.run();
			}
		}

	}

}
