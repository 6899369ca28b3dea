package io.github.vicinal.boot.observation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls are observed in full where a private field of Micrometer has another name. Its
 * classes are loaded with one text of their constant pool changed.
 */
class MeterShortcutFieldsTests {

	private static final String HANDLER = "io.micrometer.core.instrument.observation.DefaultMeterObservationHandler";

	private static final String CONFIG = "io.micrometer.observation.ObservationRegistry$ObservationConfig";

	@ParameterizedTest
	@CsvSource({ HANDLER + ", meterRegistry", HANDLER + ", shouldCreateLongTaskTimer", CONFIG + ", observationHandlers",
			CONFIG + ", observationPredicates", CONFIG + ", observationFilters", CONFIG + ", observationConventions" })
	void withoutOneOfTheFieldsThereIsNoShortcut(String type, String field) throws Exception {
		RenamingLoader loader = new RenamingLoader(type, field);
		assertThat(loader.hasShortcut()).isFalse();
		assertThat(loader.loadClass(type).getDeclaredFields()).extracting((each) -> each.getName())
			.doesNotContain(field)
			.contains(RenamingLoader.other(field));
	}

	@Test
	void withAllFieldsThereIsOne() throws Exception {
		assertThat(new RenamingLoader("", "").hasShortcut()).isTrue();
	}

	/** Is loaded by the renaming loader. */
	public static final class Probe implements BooleanSupplier {

		@Override
		public boolean getAsBoolean() {
			MeterRegistry meters = new SimpleMeterRegistry();
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
			return MeterShortcut.of(registry, meters).isPresent();
		}

	}

	/** Loads Micrometer and the shortcut anew, with one field renamed. */
	private static final class RenamingLoader extends ClassLoader {

		private final String type;

		private final String field;

		RenamingLoader(String type, String field) {
			super(RenamingLoader.class.getClassLoader());
			this.type = type;
			this.field = field;
		}

		/** Returns a name of the same length. */
		static String other(String name) {
			return name.substring(0, name.length() - 1) + "_";
		}

		boolean hasShortcut() throws ReflectiveOperationException {
			Object probe = loadClass(Probe.class.getName()).getConstructor().newInstance();
			return ((BooleanSupplier) probe).getAsBoolean();
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			boolean own = name.startsWith("io.micrometer.")
					|| name.startsWith(MeterShortcutFieldsTests.class.getPackageName() + ".");
			if (!own) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (in == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] bytes = in.readAllBytes();
				if (name.equals(this.type)) {
					bytes = new String(bytes, StandardCharsets.ISO_8859_1).replace(this.field, other(this.field))
						.getBytes(StandardCharsets.ISO_8859_1);
				}
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
