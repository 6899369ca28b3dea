package io.github.vicinal.copackage;

import org.objectweb.asm.ClassReader;

/** Reads class files, also of newer versions of Java than the library knows. */
final class ClassFiles {

	/** Java 21; newer class files have the same structure. */
	private static final int MAJOR = 65;

	private ClassFiles() {
	}

	/**
	 * Returns a reader.
	 * @throws RuntimeException if the file has something that the library does not know,
	 * or is damaged
	 */
	static ClassReader reader(byte[] classFile) {
		if (classFile.length < 8 || major(classFile) <= MAJOR) {
			return new ClassReader(classFile);
		}
		byte[] copy = classFile.clone();
		copy[6] = 0;
		copy[7] = MAJOR;
		return new ClassReader(copy);
	}

	/** Returns the version of a class file. */
	static int major(byte[] classFile) {
		return (classFile[6] & 0xff) << 8 | (classFile[7] & 0xff);
	}

}
