package io.github.vicinal.copackage;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Finds out whether a method looks for classes or files through the loader of its own
 * class, by names that its class file does not contain: names that its callers give, that
 * it puts together, or that it reads.
 * <p>
 * A lookup through a loader that a caller gives, or through that of the thread, finds
 * what the application has, and is not meant.
 */
final class Lookups extends MethodVisitor {

	private static final String CLASS = "java/lang/Class";

	private static final String OBJECT_INPUT = "java/io/ObjectInputStream";

	private static final String BUNDLE = "java/util/ResourceBundle";

	private static final String GET_CLASS_LOADER = "getClassLoader";

	private static final String GET_BUNDLE = "getBundle";

	/** Methods of {@code Class} that take one name. */
	private static final Set<String> BY_NAME = Set.of("forName", "getResource", "getResourceAsStream");

	/** They take the nearest loader on the stack that is not one of the JDK. */
	private static final Set<String> READING = Set.of("readObject", "readUnshared", "defaultReadObject", "readFields");

	private static final String ONE_NAME = "(Ljava/lang/String;)";

	private final boolean isStatic;

	private final Runnable found;

	/** Value of the last instruction, if that is a text or a class of no JDK. */
	private @Nullable Object constant;

	/** Whether the last instructions have put the object itself, or its class, there. */
	private boolean self;

	private boolean hasText;

	/**
	 * Creates a visitor of a method.
	 * @param next another visitor of it, or {@code null}
	 * @param isStatic whether the method is static
	 * @param found called if it looks for something
	 */
	Lookups(@Nullable MethodVisitor next, boolean isStatic, Runnable found) {
		super(Opcodes.ASM9, next);
		this.isStatic = isStatic;
		this.found = found;
	}

	/** Returns whether a method of some class by this name may look for something. */
	static boolean matters(String method) {
		return BY_NAME.contains(method) || READING.contains(method) || method.equals(GET_CLASS_LOADER)
				|| method.equals(GET_BUNDLE);
	}

	private boolean isLookup(String owner, String name, String descriptor) {
		return switch (owner) {
			case CLASS ->
				(BY_NAME.contains(name) && descriptor.startsWith(ONE_NAME) && !(this.constant instanceof String))
						|| (name.equals(GET_CLASS_LOADER) && (this.self || this.constant instanceof Type));
			case OBJECT_INPUT -> READING.contains(name);
			// A name that is constant need not be the last argument.
			case BUNDLE -> name.equals(GET_BUNDLE) && !this.hasText && !descriptor.contains("Ljava/lang/ClassLoader;");
			default -> false;
		};
	}

	private void forget() {
		this.constant = null;
		this.self = false;
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
		if (isLookup(owner, name, descriptor)) {
			this.found.run();
		}
		boolean own = this.self && name.equals("getClass");
		forget();
		this.self = own;
	}

	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
		forget();
		for (Object each : arguments) {
			// A reference to a method, such as Class::forName.
			if (each instanceof Handle handle && isLookup(handle.getOwner(), handle.getName(), handle.getDesc())) {
				this.found.run();
			}
		}
	}

	@Override
	public void visitLdcInsn(Object value) {
		super.visitLdcInsn(value);
		forget();
		this.hasText |= value instanceof String;
		boolean ofTheJdk = value instanceof Type type && type.getInternalName().startsWith("java/");
		this.constant = ofTheJdk ? null : value;
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		super.visitVarInsn(opcode, variable);
		forget();
		this.self = !this.isStatic && opcode == Opcodes.ALOAD && variable == 0;
	}

	@Override
	public void visitInsn(int opcode) {
		super.visitInsn(opcode);
		forget();
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		super.visitTypeInsn(opcode, type);
		forget();
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		super.visitFieldInsn(opcode, owner, name, descriptor);
		forget();
	}

}
