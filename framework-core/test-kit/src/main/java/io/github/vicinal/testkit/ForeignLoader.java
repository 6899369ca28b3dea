package io.github.vicinal.testkit;

import java.io.IOException;
import java.io.InputStream;

import io.github.vicinal.testkit.contract.KitContract;

/**
 * Loads the contracts and their types once more, as an application of its own does.
 */
final class ForeignLoader extends ClassLoader {

	private static final String PREFIX = KitContract.class.getPackageName() + ".";

	ForeignLoader(ClassLoader parent) {
		super("kit-foreign", parent);
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(PREFIX)) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : define(name);
		}
	}

	private Class<?> define(String name) throws ClassNotFoundException {
		try (InputStream bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
			if (bytes == null) {
				throw new ClassNotFoundException(name);
			}
			byte[] content = bytes.readAllBytes();
			return defineClass(name, content, 0, content.length);
		}
		catch (IOException ex) {
			throw new ClassNotFoundException(name, ex);
		}
	}

}
