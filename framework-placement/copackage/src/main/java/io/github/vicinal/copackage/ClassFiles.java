package io.github.vicinal.copackage;

import org.objectweb.asm.ClassReader;

/** Reads class files, also of newer versions of Java than the library knows. */
final class ClassFiles {

	/** Java 21; newer class files have the same structure. */
	private static final int MAJOR = 65;

	/** Those with the version. */
	static final int HEAD_BYTES = 8;

	/** Java 1 has 45. */
	private static final int FIRST_MAJOR = 44;

	private ClassFiles() {
	}

	/**
	 * Returns a reader.
	 * @throws RuntimeException if the file has something that the library does not know,
	 * or is damaged
	 */
	static ClassReader reader(byte[] classFile) {
		if (classFile.length < HEAD_BYTES || major(classFile) <= MAJOR) {
			return new ClassReader(classFile);
		}
		byte[] copy = classFile.clone();
		copy[6] = 0;
		copy[7] = MAJOR;
		return new ClassReader(copy);
	}

	/** Returns whether bytes begin as a class file does. */
	static boolean isClass(byte[] bytes) {
		return bytes.length >= HEAD_BYTES && bytes[0] == (byte) 0xca && bytes[1] == (byte) 0xfe
				&& bytes[2] == (byte) 0xba && bytes[3] == (byte) 0xbe;
	}

	/** Returns the version of Java that a class file needs. */
	static int java(byte[] classFile) {
		return major(classFile) - FIRST_MAJOR;
	}

	/** Returns the version of a class file. */
	static int major(byte[] classFile) {
		return (classFile[6] & 0xff) << 8 | (classFile[7] & 0xff);
	}

}
