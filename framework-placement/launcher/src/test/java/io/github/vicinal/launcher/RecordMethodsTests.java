package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

class RecordMethodsTests {

	@Test
	@Timeout(60)
	void classesOfRecordsThatWereLinkedCanBeCollected() throws Exception {
		WeakReference<ClassLoader> loader = link();
		RecordMethods.forget();
		while (loader.get() != null && !Thread.currentThread().isInterrupted()) {
			System.gc();
		}
		assertThat(loader.get()).isNull();
	}

	/** Uses all methods of a record that only a class loader of its own knows. */
	private static WeakReference<ClassLoader> link() throws ReflectiveOperationException {
		ClassLoader loader = new Loader();
		Object value = loader.loadClass(Part.class.getName()).getConstructors()[0].newInstance();
		Object whole = loader.loadClass(Whole.class.getName()).getConstructors()[0].newInstance(value);
		assertThat(whole.equals(loader.loadClass(Whole.class.getName()).getConstructors()[0].newInstance(value)))
			.isTrue();
		assertThat(whole.hashCode()).isEqualTo(whole.hashCode());
		assertThat(whole.toString()).startsWith("Whole[part=");
		return new WeakReference<>(loader);
	}

	public static class Part {

	}

	/** A record. */
	public record Whole(Part part) {
	}

	private static final class Loader extends ClassLoader {

		Loader() {
			super(RecordMethodsTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(RecordMethodsTests.class.getName())) {
				return super.loadClass(name, resolve);
			}
			Class<?> loaded = findLoadedClass(name);
			if (loaded != null) {
				return loaded;
			}
			try (InputStream in = Objects.requireNonNull(getResourceAsStream(name.replace('.', '/') + ".class"))) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
