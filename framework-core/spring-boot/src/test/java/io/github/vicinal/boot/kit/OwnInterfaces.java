package io.github.vicinal.boot.kit;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;

/**
 * Interfaces that only clients have: each extends a contract and adds nothing to it.
 * Servers do not find it, and match its methods by their structure.
 */
public final class OwnInterfaces {

	/** Ends the names of such interfaces. */
	public static final String SUFFIX = "OfClient";

	private OwnInterfaces() {
	}

	/**
	 * Returns the client's interface of a contract.
	 * @param contract the contract
	 * @param lookup may define classes in its package
	 */
	@SuppressWarnings("unchecked")
	public static synchronized <T> Class<? extends T> of(Class<T> contract, MethodHandles.Lookup lookup) {
		String name = contract.getName().replace('$', '_') + SUFFIX;
		try {
			return (Class<? extends T>) Class.forName(name, false, contract.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			return (Class<? extends T>) define(contract, name, lookup);
		}
	}

	private static Class<?> define(Class<?> contract, String name, MethodHandles.Lookup lookup) {
		ClassWriter writer = new ClassWriter(0);
		int access = Modifier.isPublic(contract.getModifiers()) ? Opcodes.ACC_PUBLIC : 0;
		writer.visit(Opcodes.V17, access | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT, name.replace('.', '/'), null,
				"java/lang/Object", new String[] { contract.getName().replace('.', '/') });
		writer.visitEnd();
		try {
			return MethodHandles.privateLookupIn(contract, lookup).defineClass(writer.toByteArray());
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
